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
from functools import cached_property, lru_cache
from math import nan

import numpy as np

from aucbench.stats.signed_rank import walsh_averages
from aucbench.stats.tables import Array
from aucbench.stats.words import LEVEL, ROPE, Word

PRIOR = 0.5  # weight s of the prior, in differences; it counts for `equivalent`
SEED = 0  # of the draws
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


def sign_test(differences: Array, rope: float = ROPE, *, draws: int = DRAWS) -> SignTest:
    """Test the differences of a pair over its data sets; they may be infinite, and are not NaN."""
    if differences.size == 0:
        return SignTest(nan, nan, nan)
    z = np.r_[0.0, differences]
    order = np.argsort(z, kind="stable")
    walsh = walsh_averages(z[order])
    w = _weights(differences.size, draws)[order]
    sums = np.vstack([np.zeros(draws), np.cumsum(w, axis=0)])  # of the first m weights
    worse = np.sum(w * sums[np.count_nonzero(walsh < -rope, axis=1)], axis=0)
    better = np.sum(w * (1.0 - sums[np.count_nonzero(walsh <= rope, axis=1)]), axis=0)
    thetas = np.column_stack([worse, 1.0 - better - worse, better])
    won = np.bincount(np.argmax(thetas, axis=1), minlength=3) / draws
    return SignTest(*(float(share) for share in won))


@dataclass(frozen=True)
class Asked:
    """A test that is made when it is first asked for: it takes longer than all else of a pair."""

    differences: tuple[float, ...]
    rope: float
    draws: int

    @cached_property
    def told(self) -> SignTest:
        """What it says."""
        d = np.array(self.differences, np.float64)
        return sign_test(d, self.rope, draws=self.draws)


@lru_cache(maxsize=8)  # all pairs with equally many differences share the draws
def _weights(n: int, draws: int) -> Array:
    """Draw weights of shape (n + 1, draws), the first row for the difference of the prior."""
    rng = np.random.default_rng([SEED, n])
    gamma = rng.standard_gamma(np.r_[PRIOR, np.ones(n)][:, None], (n + 1, draws))
    return np.asarray(gamma / gamma.sum(axis=0))
