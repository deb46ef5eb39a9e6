"""The Bayesian signed-rank test with a region of practical equivalence.

The unknown distribution of the differences has a Dirichlet process as its prior. Given n
differences, the posterior is a random discrete distribution: the differences z_1, ..., z_n and a
z_0 = 0 of the prior get weights w ~ Dirichlet(s, 1, ..., 1). Each draw of w gives

    theta_better = sum_ij w_i w_j [z_i + z_j > 2 rope],
    theta_worse = sum_ij w_i w_j [z_i + z_j < -2 rope],

and theta_equivalent is the rest. The probability of a region is the share of draws in which its
theta is the largest. Of sorted differences, those with which z_i has a large sum are the last
ones, and those with a small sum the first ones; so cumulated weights give the inner sums.

Benavoli, Corani, Demšar and Zaffalon (2017), "Time for a change: a tutorial for comparing multiple
classifiers through Bayesian analysis", JMLR 18.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from aucbench.errors import ParameterError, require_at_least, require_whole
from aucbench.stats.signed_rank import Array, walsh_averages
from aucbench.stats.words import LEVEL, ROPE, Word

PRIOR = 0.5  # weight s of the prior, in differences; it counts for `equivalent`
DRAWS = 2000  # their standard error at a probability of .95 is .005


@dataclass(frozen=True, slots=True)
class SignTest:
    """Posterior probabilities that a is mostly worse than, equivalent to, or better than b.

    Each is the probability that this region is the likeliest one for a further data set. They sum
    to 1, or are NaN if there is no difference.
    """

    worse: float
    equivalent: float
    better: float

    def word(self, level: float = LEVEL) -> Word:
        """Return the region with a probability of at least `level`; else `Word.UNCLEAR`."""
        regions = ((Word.WORSE, self.worse), (Word.EQUIVALENT, self.equivalent))
        for word, probability in (*regions, (Word.BETTER, self.better)):
            if probability >= level:
                return word
        return Word.UNCLEAR

    def flipped(self) -> SignTest:
        """Return the test of b against a."""
        return SignTest(self.better, self.equivalent, self.worse)


class Posterior:
    """Draws of the weights, which tests of equally many differences share.

    Parameters
    ----------
    draws : int
        Number of draws.
    seed : int
        Equal seeds give equal probabilities.
    """

    def __init__(self, draws: int = DRAWS, seed: int = 0):
        require_whole(1, draws=draws)
        require_whole(0, seed=seed)
        self._draws, self._seed = draws, seed
        self._weights: dict[int, Array] = {}

    def test(self, differences: Array, rope: float = ROPE) -> SignTest:
        """Test the differences of a pair over its data sets, shape (n,); they may be infinite.

        Raises
        ------
        ParameterError
            When `rope` is negative or not finite, or a difference is NaN.
        """
        require_at_least(0.0, rope=rope)
        if np.isnan(differences).any():
            raise ParameterError("a difference is NaN; leave its data set out")
        if differences.size == 0:
            return SignTest(nan, nan, nan)
        z = np.r_[0.0, differences]
        order = np.argsort(z, kind="stable")
        walsh = walsh_averages(z[order])
        w = self._of_size(differences.size)[order]
        sums = np.vstack([np.zeros(self._draws), np.cumsum(w, axis=0)])  # of the first m weights
        worse = np.sum(w * sums[np.count_nonzero(walsh < -rope, axis=1)], axis=0)
        better = np.sum(w * (1.0 - sums[np.count_nonzero(walsh <= rope, axis=1)]), axis=0)
        thetas = np.column_stack([worse, 1.0 - better - worse, better])
        won = np.bincount(np.argmax(thetas, axis=1), minlength=3) / self._draws
        return SignTest(*(float(share) for share in won))

    def _of_size(self, n: int) -> Array:
        """Return weights of shape (n + 1, draws), the first row for the difference of the prior."""
        if n not in self._weights:
            rng = np.random.default_rng([self._seed, n])
            shapes = np.r_[PRIOR, np.ones(n)][:, None]
            gamma = rng.standard_gamma(shapes, (n + 1, self._draws))
            self._weights[n] = gamma / gamma.sum(axis=0)
        return self._weights[n]
