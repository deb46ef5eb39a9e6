"""StoIHT: stochastic iterative hard thresholding, on the logistic loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem
from aucbench.data import Data

from .sht_auc import ShtAuc
from .sparsity import sparse_logistic


@about("few features, by the logistic loss with blocks of rows", sparse=True, cites=("nguyen2017",))
@dataclass(frozen=True)
class StoIht(ShtAuc):
    """w ← H_k(w − γ (m b/n) ∇f_B(w)), where B is one of m blocks of rows, drawn uniformly.

    The loop is that of `sht-auc`, with another f: the mean logistic loss. b is the number of rows
    in B, and H_k keeps the k weights that are largest in magnitude. The paper
    allows any distribution over the blocks. Here it is uniform, and the factor m b/n keeps the mean
    over the blocks equal to the full gradient.

    The cost of a step is O(b d) for dense rows, and O(stored values of the block + d) for CSR.

    Parameters
    ----------
    k : int or "auto"
        Number of weights to keep, k ≥ 1. The intercept is not counted. "auto" tries
        d, d/4, d/16, … ≥ 10 in short fits, and takes the one that ranks a held-out fifth of the
        training rows best; with fewer than 30 rows of a class it takes d. The time of these fits
        counts, but their passes do not, as those of tuning.
    gamma : float, optional
        Step size γ > 0, in squared units of w per unit of f. None means 1/(2L̂), where L̂ is
        the maximum over the blocks of λ_max(X_Bᵀ X_B)/(4b): half the step of the theory, so that
        the last iterate has less of the noise of the blocks. To find L̂ takes about 5 passes.
    blocks : int
        Number m ≥ 1 of blocks in a pass. A block has b ≈ n/m rows. With fewer rows than blocks
        there are n blocks of one row.
    shuffle : bool
        Whether the blocks come from a random permutation of the rows. False: from consecutive
        rows.
    intercept : bool
        Whether to append a feature 1. Its weight takes part in the steps, but is never
        thresholded. Without it, w·x = 0 has to separate the classes, which costs much AUC where
        one class is rare.
    centre : bool
        Whether features are relative to their mean over the training rows. With an intercept this
        has the same minimum, but steps are much longer where means are far from 0. False, as
        published: features are taken as they are.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    UnsupportedError
        When `gamma` is None and the objective in place of f has no curvature.

    References
    ----------
    Nguyen, Needell & Woolf, "Linear convergence of stochastic iterative greedy algorithms
    with sparse constraints", IEEE Trans. Inf. Theory 63(11), 2017. The grid of k and m is that of
    Yang, Zhou, Lei & Ying, ICDM 2020. That of γ is ours.
    """

    intercept: bool = True
    centre: bool = True

    space: ClassVar = {
        "gamma": (None, 0.1, 1.0, 10.0),
        "k": tuple(range(10, 101, 10)),
        "blocks": (1, 2, 4, 8, 10),
    }
    needs: ClassVar = Needs(frozenset({"any-objective", "any-projector", "warm-start"}))

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the logistic loss over k-sparse weights."""
        return sparse_logistic(self, data, rng, budget)
