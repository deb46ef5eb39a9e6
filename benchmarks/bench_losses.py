"""Losses over pairs as functions of scores: value and gradient, and what a tree asks for."""

from __future__ import annotations

import numpy as np

from aucbench.losses import PairLoss
from aucbench.losses.lightgbm import Boosting

SIZES = [10_000, 100_000, 1_000_000]
LOSSES = ["squared-hinge", "hinge", "logistic", "square", "aum"]
KINDS = ["all", "group", "fpr", "survival", "grades"]
GROUP = 100  # rows of a group


class ValueAndGradient:
    """Rows that are prepared, a tenth of them positive; each call has scores of another order."""

    version = "1"
    params = (SIZES, LOSSES)
    param_names = ("n", "loss")

    def setup(self, n: int, loss: str) -> None:
        rng = np.random.default_rng(0)
        self.scores = [rng.standard_normal(n) for _ in range(2)]
        self.f = PairLoss(loss).bind(rng.random(n) < 0.1)
        self.f.value_and_gradient(self.scores[1])
        self.turn = 0

    def time_value_and_gradient(self, n: int, loss: str) -> None:
        self.turn ^= 1
        self.f.value_and_gradient(self.scores[self.turn])


class Tree:
    """Gradient and curvature for one tree after the first: rows are compared with those before."""

    version = "1"
    params = (SIZES, KINDS)
    param_names = ("n", "pairs")

    def setup(self, n: int, pairs: str) -> None:
        rng = np.random.default_rng(0)
        signal = rng.standard_normal(n)
        targets = {
            "survival": np.where(rng.random(n) < 0.6, 1.0, -1.0) * np.exp(-signal),
            "grades": np.clip(np.round(signal), -2.0, 2.0),
        }
        self.target = targets.get(pairs, (signal > 1.28).astype(float))
        self.sizes = np.full(n // GROUP, GROUP) if pairs == "group" else None
        self.scores = [signal + rng.standard_normal(n) for _ in range(2)]
        self.f, self.turn = Boosting(pairs=pairs), 1
        self.f(self.target, self.scores[1], None, self.sizes)

    def time_derivatives(self, n: int, pairs: str) -> None:
        self.turn ^= 1
        self.f(self.target, self.scores[self.turn], None, self.sizes)
