"""Boosted trees on pairs of rows, of XGBoost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Problem, State
from aucbench.data.arrays import Vector
from aucbench.errors import require_count

from .parts import queries
from .xgboost import XgBoost, boosted


@about("boosted trees that learn the order of pairs of rows", cites=("burges2010",))
@dataclass(frozen=True)
class XgBoostPairwise(XgBoost):
    """F ← F + ν T_t, T_t fitted to the gradient of Σ_ij log(1 + exp(F(x_j) − F(x_i))).

    i runs over positives, j over negatives: all rows are one query, with relevance 0 and 1. Where
    pairs within groups count, each group is a query, and rows without a pair are left out. For
    each row and each tree, `pairs` rows of the other class are drawn; pairs are not weighted by
    their place in the ranking. Sparse rows are made dense, as `xgboost` does.

    Parameters
    ----------
    n_estimators, learning_rate, max_depth, min_child_weight, subsample, colsample_bytree,
    reg_lambda :
        As `xgboost`.
    pairs : int
        Partners of each row.

    References
    ----------
    Burges, "From RankNet to LambdaRank to LambdaMART: an overview", 2010.
    """

    pairs: int = 1

    needs: ClassVar = replace(XgBoost.needs, capabilities=frozenset({"group-pairs"}))
    expected_failures: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("any-order", "exchanged-classes"),
        "the partners of a row are drawn by its place",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count(1, pairs=self.pairs)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the boosted trees."""
        settings = {
            **self.settings(rng),
            "objective": "rank:pairwise",
            "lambdarank_pair_method": "mean",
            "lambdarank_num_pair_per_sample": self.pairs,
        }
        data, sizes = queries(problem.data, "xgboost-pairwise")
        return boosted(settings, data, self.n_estimators, sizes)
