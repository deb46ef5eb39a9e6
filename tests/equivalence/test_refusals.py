"""What the solvers refuse: parameters of no sense, rows that they cannot take, and other parts."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from refusals import assert_refused, refusals
from samples import data
from scipy.sparse import random as sparse_random
from sequences import wide
from stepping import posed, states

from aucbench.contract import Budget, Problem
from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.errors import (
    DataError,
    MissingExtraError,
    ParameterError,
    UnknownNameError,
    UnsupportedError,
)
from aucbench.features import Splines
from aucbench.features.chain import applied
from aucbench.objectives import Aum, PairwiseSquare
from aucbench.projectors import ElasticNet, L2Ball
from aucbench.registry import describe, get_solver
from aucbench.registry.lookup import find
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import recast
from aucbench_plugins.roc_svm import roc_svm_kernel
from aucbench_plugins.roc_svm.additive import Additive

PARAMETERS = {  # of a solver: one that is refused, and a word of the error
    "svm-or": [({"lam": 0.0}, "lam")],
    "rank-svm": [({"lam": 0.0}, "lam")],
    "roc-svm": [({"beta1": 1.0}, "beta1"), ({"beta2": -0.1}, "beta2"), ({"beta2": np.nan}, "beta2"),
                ({"lam": 0.0}, "lam"), ({"step": -1.0}, "step")],
    "roc-svm-full": [({"beta1": 1.0}, "beta1"), ({"step": -1.0}, "step")],
    "roc-svm-kernel": [({"kernel": "cosine"}, "rbf")],
    "roc-svm-nystrom": [({"kernel": "cosine"}, "rbf"), ({"loss": "half"}, "loss"),
                        ({"pairs": 9}, "pairs"), ({"lam": 0.0}, "lam")],
    "aum": [({"validation": 0.2, "early_stopping": False}, "validation"), ({"memory": 0}, "memory"),
            ({"tol": -1.0}, "tol")],
    "aum-margin": [({"validation": -0.1}, "validation")],
    "interval-regression": [({"penalty": "l3"}, "l2"), ({"lam": 0.0}, "lam")],
    "lightgbm": [({"colsample_bytree": 0.0}, "colsample_bytree"), ({"num_leaves": 1}, "leaves")],
    "lightgbm-pairs": [({"loss": "hinge"}, "logistic")],
    "xgboost": [({"subsample": 1.5}, "subsample")],
    "xgboost-pairs": [({"loss": "aum"}, "squared-hinge")],
    "random-forest": [({"max_features": "all"}, "sqrt"), ({"max_features": 1.5}, "max_features")],
    "sgd-logistic": [({"penalty": "l3"}, "l1")],
    "abess": [({"k": 0}, "k"), ({"criterion": "cp"}, "gic")],
    "celer": [({"ratio": 0.0}, "ratio"), ({"ratio": 1.5}, "ratio"), ({"max_iter": 0}, "max_iter")],
    "ebm": [({"max_leaves": 1}, "max_leaves"), ({"interactions": -1.0}, "interactions")],
    "skglm": [({"penalty": "scad"}, "mcp"), ({"gamma": 4.0}, "gamma"), ({"ratio": 0.0}, "ratio")],
    "hist-gradient-boosting": [({"learning_rate": 0.0}, "learning_rate")],
}  # fmt: skip


@refusals(
    *((f"{name} {given}", lambda name=name, given=given: get_solver(name, **given), ParameterError,
       word) for name, pairs in PARAMETERS.items() for given, word in pairs),
    ("search", lambda: get_solver("aum", line_search="quadratic"), UnknownNameError, "exact"),
)  # fmt: skip
def test_parameters_of_no_sense_are_refused(call, error, word):
    assert_refused(call, error, word)


DATA = data(1)
LIKE_TEXT = Data.of(
    sparse_random(200, 400, density=0.01, rng=np.random.default_rng(0), format="csr"),
    np.arange(200) % 2,
)
EQUAL = Data.of([[0.0], [1.0], [0.0], [1.0]], [0, 0, 1, 1])
ALMOST = Data.of(np.full((9, 1), 6.19263283e-07), [1] + [0] * 8)
CURVED = applied(Splines().fit(DATA, np.random.default_rng(0)), DATA)
MANY = Data(rows(np.zeros((4, 4001))), wide(4).target)
MOST = roc_svm_kernel.MAX_ROWS
TOO_MANY = Data.of(np.ones((MOST + 1, 1)), np.arange(MOST + 1) % 2)


def of_another_part(name, **part):
    solver, rng = get_solver(name), np.random.default_rng(0)
    return next(states(solver, replace(posed(solver, DATA, rng), **part), rng))


def adamax_of_a_square():
    problem = Problem(PairwiseSquare(DATA), ElasticNet(0.0, 0.0))
    next(get_solver("roc-svm").iterates(problem, np.zeros(4), np.random.default_rng(0), Budget()))


@refusals(
    ("normalised errors", lambda: solve(get_solver("aum", normalise=True), wide(20)),
     UnsupportedError, "normalise"),
    ("margin of errors", lambda: Aum(wide(20), 1.0), UnsupportedError, "margin"),
    ("equal means", lambda: solve("aum", EQUAL), DataError, "mean"),
    ("almost equal means", lambda: solve("aum", ALMOST), DataError, "rounding"),
    ("4001 features", lambda: solve("interval-regression", MANY), DataError, "4000"),
    ("many rows", lambda: solve("roc-svm-kernel", TOO_MANY), UnsupportedError, "roc-svm-nystrom"),
    ("curves of text", lambda: solve(Additive(curve=0.3), LIKE_TEXT), UnsupportedError, "text"),
    ("pairs of text", lambda: solve(Additive(pairs=2), LIKE_TEXT), UnsupportedError, "text"),
    ("curves of curves", lambda: solve("additive", CURVED), UnsupportedError, "already"),
    *((f"projector of {name}", lambda name=name: recast(get_solver(name), projector=L2Ball(1.0)),
       UnsupportedError, "tied") for name in ("roc-svm-kernel", "roc-svm-nystrom")),
    ("another penalty", lambda: of_another_part("roc-svm-nystrom", project=ElasticNet()),
     UnsupportedError, "kernel norm"),
    ("no cuts", adamax_of_a_square, UnsupportedError, "cuts"),
)  # fmt: skip
def test_rows_and_parts_that_a_solver_cannot_take_are_refused(call, error, word):
    assert_refused(call, error, word)


# --- packages that are not installed -------------------------------------------------------

EXTRAS = {  # of a solver: the extra that installs its package
    **dict.fromkeys(("mlp", "aucm", "soap", "sopa-s"), "torch"),
    **dict.fromkeys(("abess", "celer", "skglm"), "sparse"),
    **dict.fromkeys(("catboost", "ebm", "lightgbm", "lightgbm-pairs"), "baselines"),
    **dict.fromkeys(("xgboost", "xgboost-pairs"), "baselines"),
}


@pytest.mark.parametrize("name", EXTRAS)
def test_what_is_not_installed_is_named(name, monkeypatch):
    [package] = find("solvers", name).factory.needs.packages
    monkeypatch.setitem(sys.modules, package, None)
    way_out = f"pip install 'aucbench[{EXTRAS[name]}]'"
    assert_refused(lambda: get_solver(name), MissingExtraError, way_out)
    assert way_out in describe("solvers", name).missing
