"""Things are built by name: their parameters, mistakes, and data sets that nobody registers."""

from inspect import signature

import pytest
from refusals import assert_refused, refusals
from samples import data
from toys import HEAD, solver

from aucbench import get_solver, registry
from aucbench.errors import (
    AucbenchError,
    DataError,
    MissingExtraError,
    ParameterError,
    UnknownNameError,
)
from aucbench.registry import describe, get_dataset, names
from aucbench.registry.lookup import lookup
from aucbench.registry.signatures import call as built

pytestmark = pytest.mark.plain

LOGISTIC = get_solver("logistic")
MISTAKES = refusals(
    ("instance", lambda: get_solver(LOGISTIC, C=2.0), ParameterError, "C can only"),
    *(
        (f"no solver: {thing}", lambda given=thing: get_solver(given), ParameterError, "instance")
        for thing in (5, None, ["logistic"], registry.Description)
    ),
    *(
        (spec, lambda given=spec: get_solver(given), error, word)
        for spec, error, word in [
            ("foo[kk=5]", UnknownNameError, "'k'"),
            ("foo[fast=no]", ParameterError, "True or False"),
            ("foo[k=many]", ParameterError, "'many'"),
            ("foo[k=101]", ParameterError, "too large"),
            ("foo[k=", ParameterError, "cannot read"),
            ("fooo", UnknownNameError, "'foo'?"),
            ("bar:foo", UnknownNameError, "'bar:foo'"),
            ("lacking", ParameterError, "lacking[n=...,m=...]"),
        ]
    ),
    ("twice", lambda: get_solver("foo[k=5]", k=6), ParameterError, "twice"),
    ("kind", lambda: describe("solver", "foo"), UnknownNameError, "datasets"),
    ("data set", lambda: get_dataset("breast-cancr"), UnknownNameError, "'breast-cancer'"),
    ("file", lambda: get_dataset("absent.csv"), DataError, "absent.csv"),
    ("key of a file", lambda: get_dataset("mine[k=5]"), UnknownNameError, "drop"),
)


@pytest.fixture
def own(site, monkeypatch):
    """The solver foo, a function that makes solvers, and the file `mine.csv`."""
    lacking = "\n@hookimpl\ndef aucbench_solvers():\n    return {'lacking': lambda n, m: n}"
    site.add("foo", "2.5", foo=solver("foo"), other=HEAD + lacking)
    (site.path / "mine.csv").write_text("a,y\n1,0\n2,1\n3,0\n4,1\n", encoding="utf-8")
    monkeypatch.setenv("AUCBENCH_DATA", str(site.path))
    return site.path


@MISTAKES
def test_mistakes_are_told_in_one_sentence(own, call, error, word):
    assert_refused(call, error, word)


def test_a_solver_is_built_by_its_name_or_is_there_already(own):
    given = get_solver("foo[k=5,fast=false]", gamma=0.5)
    assert given == get_solver("foo:foo", k=5, fast=False, gamma=0.5)
    assert get_solver(given) is given


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_built_in_is_what_it_says(kind):
    assert names(kind) == sorted({*names(kind)})
    for name in names(kind):
        found = describe(kind, name)
        assert (found.name, found.distribution, found.kind) == (name, "aucbench", kind)
        assert found.doc
        assert all(p.type for p in found.parameters), name
        parameters = {p.name for p in found.parameters}
        assert {name for grid in found.space for name in grid} <= parameters


def test_what_nobody_registers_is_a_file(own, monkeypatch):
    path = own / "my data (1).csv"
    path.write_text((own / "mine.csv").read_text())
    assert get_dataset(str(path)).n == 4
    labels = get_dataset(f"{path}[target=a,positive=[1,2],negative=rest]").y
    assert labels.tolist() == [1, 1, -1, -1]
    assert get_dataset("mine", positive=0).y.tolist() == [1, -1, 1, -1]
    monkeypatch.chdir(own)
    assert get_dataset("mine.csv").d == 1


BAD = (-(10**400), 10**400, 10**30, -1, None, True, float("nan"), float("inf"), -0.5, "many", 2**31)
LARGEST = [  # the largest values that can be computed with
    *((name, "C", 1e100) for name in ("linear-svc", "logistic")),
    *((name, "lam", 1e100) for name in ("opauc", "opauc-lr", "uni-exp", "reg-solam")),
    *(("sgd-logistic", "alpha", 1e20), ("interval-regression", "margin", 1e100)),
    *(("spam-l1", "l1", 1e100), ("spam-net", "l2", 1e100)),
    *(("xgboost", "reg_lambda", 1e38), ("xgboost-pairs", "min_child_weight", 1e38)),
]
COUNTS = [("sht-auc", "k"), ("sht-auc", "blocks"), ("oam-seq", "buffer"), ("opauc-lr", "rank")]
LIMITS = [*LARGEST, ("lightgbm", "num_leaves", 131072), *((*each, 2**31 - 1) for each in COUNTS)]
LIBLINEAR = [(n, C) for n in ("linear-svc", "logistic", "logistic-balanced") for C in (0.0, 1e-320)]


def require_library(name):
    """Skip the test of a solver whose library is not installed."""
    if name.startswith(("catboost", "lightgbm", "xgboost")):
        pytest.importorskip(name.partition("-")[0])


@pytest.mark.parametrize("kind", ["solvers", "objectives", "projectors", "features"])
def test_each_value_of_a_parameter_is_taken_or_refused_in_one_sentence(kind):
    given = (data(n=24, d=3),) if kind == "objectives" else ()
    for name in {*names(kind)} - {"estimator"}:
        factory = lookup(kind, name).factory
        for parameter in [*signature(factory).parameters][len(given) :]:
            for value in BAD:
                said = ""
                try:
                    built(name, factory, given, {parameter: value})
                except MissingExtraError:
                    break
                except AucbenchError as refused:
                    said = str(refused)
                assert "\n" not in said


@pytest.mark.parametrize(("name", "parameter", "most"), LIMITS)
def test_what_cannot_be_computed_with_is_refused_when_the_solver_is_made(name, parameter, most):
    require_library(name)
    get_solver(name, **{parameter: most})
    for value in (10 * most, most + 1 if isinstance(most, int) else 100 * most):
        assert_refused(
            lambda more=value: get_solver(name, **{parameter: more}), ParameterError, "at most"
        )


@pytest.mark.parametrize(("name", "C"), LIBLINEAR)
def test_a_regularisation_for_which_liblinear_does_not_end_is_refused(name, C):
    assert_refused(lambda: get_solver(name, C=C), ParameterError, "C must be")
