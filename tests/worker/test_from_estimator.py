"""Any scikit-learn classifier as a solver."""

import sys
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused, refusals
from samples import sample
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelPropagation
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from toys import cell, cells_in_process, told

from aucbench import auc, compare, from_estimator, get_solver, solve
from aucbench.bench import resolver
from aucbench.bench.worker.build import points_of
from aucbench.bench.worker.resolve import resolve_spec
from aucbench.data import Data
from aucbench.errors import ParameterError, PluginError, UnknownNameError
from aucbench.ranges import Range
from aucbench.registry import describe
from aucbench.registry.specs import parse_spec

X, Y = sample(8, 150, 5, density=0.7)
DATA = Data.of(X, Y)


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


@pytest.mark.parametrize(
    "estimator",
    [
        *(LogisticRegression(C=0.5), SVC(), GaussianNB(), LabelPropagation()),
        RandomForestClassifier(n_estimators=7, random_state=3),
        make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=3, random_state=1)),
    ],
    ids=lambda e: type(e).__name__,
)
def test_scores_are_those_of_the_estimator_fitted_to_labels_0_and_1(estimator):
    run = solve(from_estimator(estimator), DATA, passes=1)
    fitted = estimator.fit(X, (Y > 0).astype(int))  # of label propagation, -1 is no class
    scores = getattr(fitted, "decision_function", lambda X: fitted.predict_proba(X)[:, 1])(X)
    np.testing.assert_allclose(run.decision_function(X), scores, rtol=1e-9)
    assert (run.w, run.points[-1].passes) == (None, 1.0)
    assert not hasattr(run.model, "w")


def test_the_seed_decides_where_no_random_state_is_given():
    bagged = BaggingClassifier(DecisionTreeClassifier(max_features=2), n_estimators=4)
    nested = make_pipeline(StandardScaler(), bagged)
    a, b, c = (solve(from_estimator(nested), DATA, seed=s).decision_function(X) for s in (1, 1, 2))
    fixed = RandomForestClassifier(n_estimators=3, random_state=5)
    d, e = (solve(from_estimator(fixed), DATA, seed=s).decision_function(X) for s in (1, 2))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)
    np.testing.assert_array_equal(d, e)
    assert bagged.random_state is None  # what was handed in stays as it is
    assert not hasattr(bagged, "estimators_")


def seen(rows, asked):
    Seen.log.clear()
    solve(from_estimator(Seen()), Data.of(rows, Y)).decision_function(asked)
    (rows, y), (asked, _) = Seen.log
    return rows, y, asked


def test_it_sees_labels_names_and_read_only_rows():
    rows, y, asked = seen(X, X[:3])
    assert {*y.tolist()} == {0, 1}
    np.testing.assert_array_equal(y == 1, Y == 1)
    assert (type(rows), rows.dtype, rows.flags.writeable) == (np.ndarray, np.float64, False)
    assert np.shares_memory(rows, X)
    assert asked.shape == (3, 5)
    frame = pd.DataFrame(X, columns=list("abcde"))
    rows, _, asked = seen(frame, frame)
    assert [*rows.columns] == [*asked.columns] == list("abcde")
    rows, _, _ = seen(csr_array(X), X)
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


MISTAKES = refusals(
    *[
        (str(given), lambda one=given: from_estimator(one), ParameterError, word)
        for given, word in [(SVC, "SVC()"), (Ridge(), "not a classifier"), ("svc", "'svc'")]
    ],
    *[
        (f"[{given}]", lambda text=given: get_solver(f"estimator[{text}]"), error, word)
        for given, error, word in [
            ("", ParameterError, "classifier=..."),
            ("sklearn.svms:SVC", ParameterError, "'sklearn.svms'"),
            ("sklearn.svm:SVCC", UnknownNameError, "'SVC'"),
            ("sklearn.svm:l1_min_c", ParameterError, "a class"),
            ("sklearn.svm:SVC,c=1", UnknownNameError, "'c'"),
            ("sklearn.svm:SVC,C=-1", ParameterError, "'C'"),
            ("broken_estimators:A", PluginError, "ZeroDivisionError"),
            ("lacking_estimators:A", PluginError, "'nothing_at_all'"),
        ]
    ],
)


@MISTAKES
def test_mistakes_are_told_in_a_sentence(site, call, error, word):
    site.module("broken_estimators", "1 / 0")
    site.module("lacking_estimators", "import nothing_at_all")
    assert_refused(call, error, word)


def test_it_runs_in_a_cell_and_is_tuned(bench):
    spec = "estimator[sklearn.neighbors:KNeighborsClassifier]"
    plain = bench.run(cell(spec))
    tuned = bench.run(cell(spec, tune=(("n_neighbors", (1, 15)),)))
    assert (plain.result["status"], plain.result["nnz"]) == ("ok", None)
    assert told(tuned, "tuning")[0]["chosen"]["n_neighbors"] in (1, 15)
    assert told(plain, "parameters")[0]["n_neighbors"] == 5
    drawn = points_of(cell(spec, tune=(("n_neighbors", Range(1, 99, integer=True)),)))
    assert drawn[0].values == {"n_neighbors": 5}


def test_bases_and_steps_are_packages_too(site):
    site.module("base_of_own", "from sklearn.svm import SVC\nclass Base(SVC): pass\n")
    site.module("own_steps", "from base_of_own import Base\nclass Own(Base): pass\n")
    from own_steps import Own

    solver = from_estimator(make_pipeline(StandardScaler(), Own()))
    assert solver.needs.packages == ("base_of_own", "own_steps", "sklearn")
    answer = resolve_spec("solvers", parse_spec("estimator[sklearn.svm:SVC]"))
    assert (answer["ok"], answer["packages"]) == (True, ["sklearn"])
    assert describe("solvers", "lightgbm").needs["packages"] == ["lightgbm"]


def test_the_code_of_the_class_counts_in_the_id_of_a_cell(site):
    source = "from sklearn.tree import DecisionTreeClassifier\nclass Own(DecisionTreeClassifier): "

    def ids(body):
        site.module("own_trees", source + body)
        sys.modules.pop("own_trees", None)
        resolver._package.cache_clear()
        with cells_in_process():
            found = compare("estimator[own_trees:Own],constant", "breast-cancer", splits=2)
        return [record.id for record in found[:2]]

    first, again, other = ids("pass"), ids("pass"), ids("x = 1")
    assert first == again
    assert first[1] == other[1]
    assert first[0] != other[0]
