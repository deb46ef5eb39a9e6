"""Laws that every registered plugin obeys; a new one is held to them without a line here."""

from dataclasses import fields

import installed
import pytest

from aucbench import metrics
from aucbench.registry import get_solver, names
from aucbench.testing import LAWS, Verdict, parametrize_checks
from aucbench.testing.laws import found
from aucbench.testing.samples import Extent, extended
from aucbench.testing.solvers import aims
from aucbench.testing.solvers.inputs import values_somewhere

# What cannot be built by its name alone, and forests, whose few trees obey the same laws as many.
WRITTEN = {
    "ebm": installed.FEW_ROUNDS,
    "catboost": "catboost[n_estimators=20]",
    "hist-gradient-boosting": "hist-gradient-boosting[max_iter=20]",
    "lightgbm": "lightgbm[n_estimators=20]",
    "lightgbm-pairs": "lightgbm-pairs[n_estimators=20]",
    "random-forest": "random-forest[n_estimators=10]",
    "xgboost": "xgboost[n_estimators=20]",
    "xgboost-pairs": "xgboost-pairs[n_estimators=20]",
    "estimator": "estimator[sklearn.tree:DecisionTreeClassifier,max_depth=3]",
    "top-k": "top-k[k=3]",
    "box": "box[lo=-1,hi=0.5]",
    "whole": "whole[data=breast-cancer]",
    "sample": "sample[data=breast-cancer,n=100]",
}


def written(kind):
    return [WRITTEN.get(name, name) for name in names(kind)]


@pytest.fixture(autouse=True)
def few_ends(request, monkeypatch):
    """Each change looks at fewer ends of a space than each night."""
    if "not nightly" in (request.config.getoption("-m") or ""):
        monkeypatch.setattr(aims, "PATIENCE", 0.3 * aims.PATIENCE)


@pytest.mark.parametrize("name", installed.WAITING)
def test_the_package_of_a_solver_is_installed(name):
    assert name in installed.SOLVERS


# Scikit-learn and others draw random numbers on many rows only, which a law warns of.
@pytest.mark.filterwarnings("default::aucbench.testing.LawWarning")
@parametrize_checks("solvers", [WRITTEN.get(name, name) for name in installed.SOLVERS])
def test_solvers(thing, law):
    law(thing)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("linear_model:LogisticRegression", Verdict.WARNING),  # its own solver draws nothing
        ("svm:SVC", Verdict.WARNING),
        ("naive_bayes:GaussianNB", Verdict.NOT_ASKED),  # has no random_state
        ("svm:LinearSVC", Verdict.HOLDS),
        ("ensemble:RandomForestClassifier,n_estimators=3", Verdict.HOLDS),
        ("ensemble:RandomForestClassifier,n_estimators=3,random_state=1", Verdict.NOT_ASKED),
    ],
)
def test_a_class_of_scikit_learn_may_use_its_random_state_or_not(name, verdict):
    asked = ("seeds-differ", "any-order", "exchanged-classes")
    solver = get_solver(f"estimator[sklearn.{name}]")
    verdicts = {law.name: found(law, solver, name, {}).verdict for law in LAWS["solvers"]
                if law.name in asked}  # fmt: skip
    assert verdicts["seeds-differ"] is verdict
    assert Verdict.BROKEN not in verdicts.values()


@pytest.mark.parametrize("name", [n for n in installed.SOLVERS if n != "estimator"])
def test_the_law_of_parameters_asks_all_of_them(name):
    solver = get_solver(name)
    assert all(values_somewhere(solver, f.name) for f in fields(solver) if f.init)


def test_a_small_tree_ranks_many_rows_well_enough():
    [asked] = [each for each in LAWS["solvers"] if each.name == "ranks"]
    with extended(Extent(2000, 50)):
        asked(get_solver(WRITTEN["estimator"]))


@parametrize_checks("objectives", written("objectives"))
def test_objectives(thing, law):
    law(thing)


@parametrize_checks(
    "projectors",
    [*written("projectors"), "box[lo=0]", "l1-ball[R=40]", "elastic-net[l1=0.5,l2=2]"],
)
def test_projectors(thing, law):
    law(thing)


@parametrize_checks(
    "pairs", [*written("pairs"), "group[each=group]", "grade[each=grades]", "grade[gain=exp2]"]
)
def test_pairs(thing, law):
    law(thing)


@parametrize_checks("features", written("features"))
def test_feature_maps(thing, law):
    law(thing)


@parametrize_checks("datasets", written("datasets"))
def test_data_sets(thing, law):
    law(thing)


@parametrize_checks("metrics", [metrics.auc, *names("metrics")])
def test_metrics(thing, law):
    law(thing)


def test_there_is_something_of_each_kind():
    kinds = ["solvers", "objectives", "projectors", "pairs", "features", "datasets", "metrics"]
    assert all(names(kind) for kind in kinds)
