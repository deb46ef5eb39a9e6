"""Boosted trees on pairs of rows, of LightGBM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from aucbench.about import about
from aucbench.contract import Budget, Problem, State
from aucbench.data import Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import ParameterError, UnsupportedError, require_count
from aucbench.pairs import pairs_of

from .lightgbm import LightGbm, boosted
from .parts import queries

LIMIT = 10_000  # rows of a query that lambdarank takes
OBJECTIVES = ("lambdarank", "rank_xendcg")


@about("boosted trees that learn the order of pairs of rows", cites=("burges2010", "bruch2021"))
@dataclass(frozen=True)
class LightGbmPairwise(LightGbm):
    """F ← F + ν T_t, T_t fitted to the gradient of Σ_ij |ΔNDCG_ij| log(1 + exp(F(x_j) − F(x_i))).

    i runs over positives, j over negatives: all rows are one query, with relevance 0 and 1. Where
    pairs within groups count, each group is a query, and rows without a pair are left out.
    |ΔNDCG_ij|, the gain of swapping the two rows in the ranking, weighs pairs near its top
    more; where it is the same for all pairs the AUC is left. LightGBM cannot leave it out.

    LightGBM takes at most 10 000 rows in a query of lambdarank. More rows are divided at random
    into as few equal queries as hold them, each with its share of positives. Only pairs within a
    query count then, a fixed random sample of all pairs. rank_xendcg, a
    listwise cross-entropy, has no limit, and all rows are one query. A tree of lambdarank takes
    a time in proportion to the rows of a query squared, or to rows times `truncation`.

    Parameters
    ----------
    n_estimators, learning_rate, num_leaves, min_child_samples, colsample_bytree, reg_lambda :
        As `lightgbm`.
    objective : {"lambdarank", "rank_xendcg"}
        The objective of LightGBM.
    truncation : int or None
        Pairs count in which one row is ranked so high; None: all pairs. Of lambdarank.

    References
    ----------
    Burges, "From RankNet to LambdaRank to LambdaMART: an overview", 2010. Bruch, "An alternative
    cross entropy loss for learning-to-rank", WWW 2021.
    """

    objective: Literal["lambdarank", "rank_xendcg"] = "lambdarank"
    truncation: int | None = None

    needs: ClassVar = replace(LightGbm.needs, capabilities=frozenset({"group-pairs"}))
    expected_failures: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("any-order", "exchanged-classes"),
        "rows with one score are ranked in their order, and all scores are equal at first",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count(1, truncation=self.truncation)
        if self.objective not in OBJECTIVES:
            raise ParameterError(
                f"objective must be one of {', '.join(OBJECTIVES)}, got {self.objective!r}"
            )

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the boosted trees."""
        data, settings = problem.data, self.settings(rng)
        settings |= {"objective": self.objective, "metric": "None"}
        data, sizes = queries(data, "lightgbm-pairwise")
        if self.objective == "lambdarank":
            settings["lambdarank_truncation_level"] = self.truncation or min(max(sizes), LIMIT)
            if max(sizes) > LIMIT:
                data, sizes = _shorter(data, rng)
        return boosted(settings, data, self.n_estimators, sizes)


def _shorter(data: Data, rng: np.random.Generator) -> tuple[Data, list[int]]:
    """Return queries that LightGBM takes, of rows that are too many for one."""
    if pairs_of(data) is not None:
        raise UnsupportedError(
            f"a group has more than {LIMIT} rows, which LightGBM does not take; take svm-or or "
            "rank-svm, or objective=rank_xendcg"
        )
    order, sizes = divide_rows(data.y > 0, rng)
    return data.take(order), sizes


def divide_rows(positive: NDArray[np.bool_], rng: np.random.Generator) -> tuple[Index, list[int]]:
    """Rows query by query, and the sizes of the queries; each has its share of both classes."""
    count = -(-positive.size // LIMIT)
    by_class = [rng.permutation(np.flatnonzero(positive == side)) for side in (True, False)]
    shuffled = np.concatenate(by_class)
    queries = [shuffled[first::count] for first in range(count)]
    return np.concatenate(queries).astype(np.int32), [query.size for query in queries]
