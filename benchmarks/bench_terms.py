"""Bounds of weights and groups of features beside the same fit without them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import aucbench
from aucbench.data import Terms
from aucbench.optim.term_model import Model, model_minimum
from aucbench.projectors import GroupL2

from .rows import labels

N, D = 20_000, 100
SIZE = 5  # features of a term


@cache
def rows() -> aucbench.Data:
    """Normal features and labels that a linear score explains in part."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, D))
    return aucbench.Data.of(X, labels(X @ rng.standard_normal(D) / D**0.5, rng))


def terms(*, bounded: bool) -> Terms:
    """Terms of five features; about half of the bounds hold the minimum back."""
    rng = np.random.default_rng(2)
    owner = (np.arange(D) // SIZE).astype(np.int32)
    plain = Terms(tuple((t,) for t in range(D // SIZE)), owner, np.zeros(D, np.bool_))
    up = rng.random(D) < 0.5
    low, high = np.where(up, 0.0, -np.inf), np.where(up, np.inf, 0.0)
    return plain.bounded(low, high) if bounded else plain


class OnTerms:
    """A certified fit of 20 000 rows of 100 features."""

    version = "1"
    params = (["rank-svm", "ls-svm"], ["free", "bounds", "groups", "both"])
    param_names = ("solver", "kind")

    def setup(self, solver: str, kind: str) -> None:
        self.data = replace(rows(), terms=terms(bounded=kind in ("bounds", "both")))
        group = 0.02 if kind in ("groups", "both") else None
        self.solver = aucbench.get_solver(solver, group=group)

    def time_certified(self, solver: str, kind: str) -> None:
        aucbench.solve(self.solver, self.data)

    def track_passes(self, solver: str, kind: str) -> float:
        """Return the passes to a certificate."""
        return float(aucbench.solve(self.solver, self.data).points[-1].passes)


class Models:
    """The minimum of a quadratic model, which reads no rows."""

    version = "1"
    params = ([0.0, 0.02],)
    param_names = ("group",)

    def setup(self, group: float) -> None:
        rng = np.random.default_rng(0)
        A = rng.standard_normal((2 * D, D)) / D**0.5
        self.model, self.g = Model(A.T @ A + 0.01 * np.eye(D)), rng.standard_normal(D)
        self.penalty = GroupL2(group, terms=terms(bounded=True))

    def time_minimum(self, group: float) -> None:
        model_minimum(self.model, self.g, self.penalty, np.zeros(D))

    def time_prox(self, group: float) -> None:
        self.penalty(self.g.copy(), 0.1)
