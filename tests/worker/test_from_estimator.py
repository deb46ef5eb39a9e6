"""Any scikit-learn classifier as a solver."""

import sys
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelPropagation
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from toys import cell, told

from aucbench import auc, from_estimator, get_solver, solve
from aucbench.bench import answers, resolver
from aucbench.bench.fingerprints import package_fingerprint
from aucbench.bench.plan.plan import Plan
from aucbench.bench.worker.build import points_of
from aucbench.bench.worker.resolve import resolve_spec
from aucbench.data import Data
from aucbench.data.packed import pack_arrays
from aucbench.errors import (
    ParameterError,
    PluginError,
    UnknownNameError,
)
from aucbench.processes.records import Ending, Outcome
from aucbench.ranges import Range
from aucbench.registry import describe
from aucbench.registry.specs import parse_spec

RNG = np.random.default_rng(8)
Y = np.where(RNG.random(150) < 0.3, 1, -1)
X = RNG.normal(size=(150, 5)) + 0.7 * Y[:, None]
X[RNG.random(X.shape) < 0.3] = 0.0


class Seen(ClassifierMixin, BaseEstimator):
    """Notes what it is fitted and asked with, and ranks by the first feature."""

    log: ClassVar = []

    def __init__(self, writes=False):
        self.writes = writes

    def fit(self, X, y):
        self.log.append((X, y))
        if self.writes:
            X[0] = 0.0
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        self.log.append((X, None))
        return np.asarray(X)[:, 0]


def sklearn_scores(estimator, at=X):
    fitted = estimator.fit(X, Y.astype(np.int64))
    if hasattr(fitted, "decision_function"):
        return fitted.decision_function(at)
    return fitted.predict_proba(at)[:, 1]


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(C=0.5),
        SVC(),
        RandomForestClassifier(n_estimators=7, random_state=3),
        make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=3, random_state=1)),
        AdaBoostClassifier(n_estimators=5, random_state=1),
        GaussianNB(),
        GradientBoostingClassifier(n_estimators=5, random_state=1),
        HistGradientBoostingClassifier(max_iter=5),
        KNeighborsClassifier(),
        LinearDiscriminantAnalysis(),
        LinearSVC(random_state=1),
        MLPClassifier(max_iter=500, tol=1e-2, random_state=1),
        RidgeClassifier(),
        SGDClassifier(random_state=1),
    ],
    ids=lambda e: type(e).__name__,
)
def test_scores_are_those_of_the_estimator_fitted_to_any_two_labels(estimator):
    data = Data.of(X, Y)
    run = solve(from_estimator(estimator), data, passes=1)

    np.testing.assert_array_equal(run.decision_function(X), sklearn_scores(estimator))
    assert (run.w, run.points[-1].passes) == (None, 1.0)
    assert not hasattr(solve(from_estimator(estimator), data).model, "w")


@pytest.mark.parametrize("name", ["xgboost", "label propagation"])
def test_a_classifier_that_wants_labels_0_and_1_gets_them(name):
    classifier = LabelPropagation()  # to it, the label -1 says that the class is not known
    if name == "xgboost":
        xgboost = pytest.importorskip("xgboost")
        classifier = xgboost.XGBClassifier(n_estimators=5, n_jobs=1, random_state=1)
    run = solve(from_estimator(classifier), Data.of(X, Y))
    wanted = classifier.fit(X, (Y > 0).astype(int)).predict_proba(X)[:, 1]

    np.testing.assert_allclose(run.decision_function(X), wanted, rtol=1e-9)


def test_the_estimator_handed_in_stays_as_it_is():
    forest = RandomForestClassifier(n_estimators=3)
    solve(from_estimator(forest), Data.of(X, Y))

    assert forest.random_state is None
    assert not hasattr(forest, "estimators_")


def test_the_seed_decides_where_no_random_state_is_given():
    nested = make_pipeline(
        StandardScaler(),
        BaggingClassifier(DecisionTreeClassifier(max_features=2), n_estimators=4),
    )
    data = Data.of(X, Y)
    a, b, c = (solve(from_estimator(nested), data, seed=s).decision_function(X) for s in (1, 1, 2))
    fixed = RandomForestClassifier(n_estimators=3, random_state=5)
    d, e = (solve(from_estimator(fixed), data, seed=s).decision_function(X) for s in (1, 2))

    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)
    np.testing.assert_array_equal(d, e)


def test_it_sees_labels_and_read_only_rows():
    Seen.log.clear()
    run = solve(from_estimator(Seen()), Data.of(X, Y))
    run.decision_function(X[:3])
    (rows, y), (asked, _) = Seen.log

    assert {*y.tolist()} == {0, 1}
    np.testing.assert_array_equal(y == 1, Y == 1)
    assert (type(rows), rows.dtype, rows.flags.writeable) == (np.ndarray, np.float64, False)
    assert np.shares_memory(rows, X)
    assert asked.shape == (3, 5)


def test_it_sees_names_and_sparse_rows():
    Seen.log.clear()
    frame = pd.DataFrame(X, columns=list("abcde"))
    solve(from_estimator(Seen()), Data.of(frame, Y)).decision_function(frame)
    (rows, _), (asked, _) = Seen.log
    assert [*rows.columns] == [*asked.columns] == list("abcde")

    Seen.log.clear()
    solve(from_estimator(Seen()), Data.of(csr_array(X), Y))
    ((rows, _),) = Seen.log
    assert issparse(rows)
    assert rows.format == "csr"
    assert not rows.data.flags.writeable


@pytest.mark.parametrize(
    "writer", [Seen(writes=True), make_pipeline(StandardScaler(copy=False), SVC())]
)
def test_an_estimator_that_writes_gets_a_copy(writer):
    data = Data.of(X.copy(), Y)
    data.rows.stored.setflags(write=False)
    run = solve(from_estimator(writer), data)

    np.testing.assert_array_equal(data.rows.matrix, X)
    assert auc(Y, run.decision_function(data.rows)) > 0.7


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        (SVC, r"got the class SVC; pass SVC\(\)"),
        (Ridge(), r"got Ridge\(\), wanted a classifier .*; this object is not a classifier"),
        (KMeans(), "this object is not a classifier"),
        ("svc", "got 'svc', wanted a classifier of scikit-learn's kind"),
        (VotingClassifier([("a", SVC())]), "neither decision_function nor predict_proba"),
    ],
)
def test_what_gives_no_scores_is_refused_at_once(estimator, sentence):
    with pytest.raises(ParameterError, match=sentence):
        from_estimator(estimator)


@pytest.mark.parametrize(
    ("inside", "error", "sentence"),
    [
        ("", ParameterError, r"estimator needs classifier: write estimator\[classifier=...\]"),
        ("SVC", ParameterError, "got 'SVC', wanted module:Class; write it like estimator"),
        ("sklearn.svms:SVC", ParameterError, "there is no module 'sklearn.svms'; install"),
        ("nowhere.at:SVC", ParameterError, "there is no module 'nowhere'; install"),
        ("sklearn.svm:SVCC", UnknownNameError, "unknown class of sklearn.svm 'SVCC': did you mean"),
        ("sklearn.svm:l1_min_c", ParameterError, "wanted a class"),
        ("sklearn.svm:SVR", ParameterError, "this object is not a classifier"),
        ("sklearn.svm:SVC,c=1", UnknownNameError, "unknown parameter of SVC 'c'"),
        ("sklearn.svm:SVC,C=-1", ParameterError, "The 'C' parameter of SVC must be a float"),
        ("broken_estimators:A", PluginError, "cannot be imported .ZeroDivisionError"),
        ("lacking_estimators:A", PluginError, "No module named 'nothing_at_all'; install that"),
    ],
)
def test_mistakes_are_told_in_a_sentence(site, inside, error, sentence):
    site.module("broken_estimators", "1 / 0")
    site.module("lacking_estimators", "import nothing_at_all")
    with pytest.raises(error, match=sentence):
        get_solver(f"estimator[{inside}]")


def test_it_runs_in_a_cell_and_is_tuned(bench):
    spec = "estimator[sklearn.neighbors:KNeighborsClassifier]"
    plain = bench.run(cell(spec))
    tuned = bench.run(cell(spec, tune=(("n_neighbors", (1, 15)),)))

    assert (plain.result["status"], plain.result["nnz"]) == ("ok", None)
    assert told(tuned, "tuning")[0]["chosen"]["n_neighbors"] in (1, 15)
    assert told(plain, "parameters")[0]["n_neighbors"] == 5
    drawn = points_of(cell(spec, tune=(("n_neighbors", Range(1, 99, integer=True)),)))
    assert drawn[0].values == {"n_neighbors": 5}
    assert bench.run(cell("random-forest[n_estimators=5]")).result["status"] == "ok"


def test_the_answer_names_packages_and_their_code_counts(site):
    answer = resolve_spec("solvers", parse_spec("estimator[sklearn.svm:SVC]"))
    assert answer["ok"]
    assert answer["packages"] == ["sklearn"]
    assert describe("solvers", "lightgbm").needs["packages"] == ["lightgbm"]

    site.module("own_classifier", "x = 1")
    first = package_fingerprint("own_classifier")
    site.module("own_classifier", "x = 2")
    assert package_fingerprint("own_classifier") != first


def test_an_installed_package_counts_by_its_version(site):
    site.module("packed", "x = 1")
    site.metadata("packed-up", "1.0", {})
    info = site.path / "packed_up-1.0.dist-info"
    (site.path / "packed-up-1.0.dist-info").rename(info)
    (info / "top_level.txt").write_text("packed")
    first = package_fingerprint("packed")

    site.module("packed", "x = 2")
    assert package_fingerprint("packed") == first
    metadata = info / "METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))
    second = package_fingerprint("packed")
    assert second != first
    (info / "direct_url.json").write_text('{"url": "file:///x", "dir_info": {"editable": true}}')
    assert package_fingerprint("packed") not in (first, second)


def test_the_code_of_the_class_counts_in_the_id_of_a_cell(site):
    spec = "estimator[own_trees:Own]"
    source = "from sklearn.tree import DecisionTreeClassifier\nclass Own(DecisionTreeClassifier): "
    plan = Plan.of({"data": ("breast-cancer",), "solvers": [spec, "logistic"]})

    def ids(body):
        site.module("own_trees", source + body)
        sys.modules.pop("own_trees", None)
        resolver._package.cache_clear()
        outcomes = [
            (
                answers.Name(kind, parse_spec(text)),
                Outcome(Ending.OK, result=resolve_spec(kind, parse_spec(text))),
            )
            for kind, text in (("solvers", "logistic"), ("solvers", spec), ("features", "auto"))
        ]
        target = {"target.npz": pack_arrays({"y": np.array([-1, 1], np.int8)})}
        data = Outcome(Ending.OK, result={"hash": "d", "n": 2}, files=target)
        outcomes.append((answers.Name("datasets", parse_spec("breast-cancer")), data))
        found = resolver.read_answers(plan, outcomes)
        return {str(cell.solver): found.id(cell) for cell in plan.cells() if cell.split == 0}

    first, again, other = ids("pass"), ids("pass"), ids("x = 1")

    assert first == again
    assert first["logistic"] == other["logistic"]
    assert first[spec] != other[spec]


def test_bases_and_steps_are_packages_too(site):
    site.module("base_of_own", "from sklearn.svm import SVC\nclass Base(SVC): pass\n")
    site.module("own_steps", "from base_of_own import Base\nclass Own(Base): pass\n")
    sys.modules.pop("own_steps", None)
    from own_steps import Own

    solver = from_estimator(make_pipeline(StandardScaler(), Own()))

    assert solver.needs.packages == ("base_of_own", "own_steps", "sklearn")
