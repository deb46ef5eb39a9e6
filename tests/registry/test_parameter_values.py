"""A parameter that makes no sense is one `ParameterError`, when its owner is made by name."""

from inspect import signature

import numpy as np
import pytest

from aucbench import get_solver, solve
from aucbench.data import Data
from aucbench.errors import AucbenchError, MissingExtraError, ParameterError
from aucbench.registry import list_solvers
from aucbench.registry.lookup import lookup, names
from aucbench.registry.signatures import call

BAD = (-(10**400), 10**400, 10**30, -1, None, True, float("nan"), float("inf"), -0.5, "many", 2**31)
SOLVERS = sorted({*list_solvers()} - {"estimator"})
LARGEST = [  # the largest values that can be computed with
    ("linear-svc", "C", 1e100),
    ("logistic", "C", 1e100),
    ("sgd-logistic", "alpha", 1e20),
    ("interval-regression", "margin", 1e100),
    ("opauc", "lam", 1e100),
    ("opauc-lr", "lam", 1e100),
    ("uni-exp", "lam", 1e100),
    ("reg-solam", "lam", 1e100),
    ("spam-l1", "l1", 1e100),
    ("spam-net", "l2", 1e100),
    ("xgboost", "reg_lambda", 1e38),
    ("xgboost-pairwise", "min_child_weight", 1e38),
]


def factory_of(name):
    return lookup("solvers", name).factory


def require_library(name):
    """Skip the test of a solver whose library is not installed."""
    if name.startswith(("lightgbm", "xgboost")):
        pytest.importorskip(name.partition("-")[0])


@pytest.mark.parametrize("name", SOLVERS)
def test_a_value_is_taken_or_refused_in_one_sentence(name):
    for parameter in signature(factory_of(name)).parameters.values():
        for value in BAD:
            try:
                get_solver(name, **{parameter.name: value})
            except MissingExtraError:
                pytest.skip("its library is not installed")
            except AucbenchError as refused:
                said = str(refused)
            else:
                said = ""
            assert "\n" not in said


@pytest.mark.parametrize(
    ("name", "parameter"),
    [("sht-auc", "k"), ("sht-auc", "blocks"), ("oam-seq", "buffer"), ("opauc-lr", "rank")],
)
def test_what_a_kernel_counts_fits_into_its_integers(name, parameter):
    get_solver(name, **{parameter: 2**31 - 1})
    for value in (2**31, 10**30):
        with pytest.raises(ParameterError, match=f"{parameter} must be at most 2147483647, got"):
            get_solver(name, **{parameter: value})


@pytest.mark.parametrize(
    ("name", "parameter", "most"), [*LARGEST, ("lightgbm", "num_leaves", 131072)]
)
def test_what_a_library_cannot_do_is_refused_when_the_solver_is_made(name, parameter, most):
    require_library(name)
    get_solver(name, **{parameter: most})
    with pytest.raises(ParameterError, match=f"{parameter} must be at most"):
        get_solver(name, **{parameter: 10 * most})


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        ("fsauc", "kappa", 1e308),
        ("fsauc", "passes", 1e308),
        ("logistic-balanced", "C", 2**31 - 1),
        ("solam", "kappa", 1e308),
        *LARGEST,
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_fit_with_a_large_value_ends(name, parameter, value):
    require_library(name)
    X = np.random.default_rng(0).normal(size=(24, 3))
    data = Data.of(X, np.where(X[:, 0] > 0, 1, -1))

    assert solve(get_solver(name, **{parameter: value}), data, passes=2).stop is not None


@pytest.mark.parametrize("kind", ["objectives", "projectors", "features"])
def test_parameters_of_other_kinds_are_taken_or_refused_too(kind):
    X = np.random.default_rng(0).normal(size=(24, 3))
    data = Data.of(X, np.where(X[:, 0] > 0, 1, -1))
    given = (data,) if kind == "objectives" else ()
    for name in names(kind):
        factory = lookup(kind, name).factory
        for parameter in [*signature(factory).parameters][len(given) :]:
            for value in BAD:
                try:
                    call(name, factory, given, {parameter: value})
                except AucbenchError as refused:
                    said = str(refused)
                else:
                    said = ""
                assert "\n" not in said


@pytest.mark.parametrize("name", ["linear-svc", "logistic", "logistic-balanced"])
@pytest.mark.parametrize("C", [0.0, 1e-320, 1e-200, float("nan")])
def test_a_regularisation_for_which_liblinear_does_not_end_is_refused(name, C):
    with pytest.raises(ParameterError, match="C must be"):
        get_solver(name, C=C)
