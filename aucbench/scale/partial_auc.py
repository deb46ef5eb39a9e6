"""Bounds of the area under the ROC curve up to a false-positive rate, and the area itself.

With x = β n₋, the area is 1/N times the positives above each of the x highest negatives, where ties
are straight edges of the curve. Of the bin in which the x-th negative is, a part counts. All is
computed in fractions, in which a float is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.scale.auc_bins import Counted, ScoreCounts, dot
from aucbench.scale.engines import Engine
from aucbench.scale.exact_auc import exact_twice, range_scores
from aucbench.scale.parts import Parts


@dataclass(frozen=True, eq=False)
class Clip:
    """What of the bins is left of a false-positive rate.

    Attributes
    ----------
    whole : ScoreCounts
        The counts of the bins that are there wholly, and 0 for the others.
    bin : int
        The bin that is there in part; -1 for none.
    above : int
        Positives above it.
    rest : Fraction
        Its negatives that count.
    """

    whole: ScoreCounts
    bin: int
    above: int
    rest: Fraction

    @staticmethod
    def of(counts: ScoreCounts, max_fpr: float) -> Clip:
        """Find the bin in which the rate is."""
        x = Fraction(max_fpr) * counts.n_neg
        upto = counts.n_neg - counts.below  # negatives of a bin and of those above it
        kept = upto <= int(x)
        pos, neg = (np.where(kept, side, 0) for side in (counts.pos, counts.neg))
        at = int(np.flatnonzero(~kept)[-1]) if not kept.all() else -1
        return Clip(ScoreCounts(pos, neg, counts.single), at, int(pos.sum()), x - int(neg.sum()))

    def bounds(self, counts: ScoreCounts) -> tuple[Fraction, Fraction]:
        """Return twice the least and the largest area, times N."""
        low, high = map(Fraction, self.whole.twice)
        if self.bin < 0:
            return low, high
        p, q = int(counts.pos[self.bin]), int(counts.neg[self.bin])
        least = 2 * self.rest * self.above
        if counts.single[self.bin]:
            least += p * self.rest**2 / q
            return low + least, high + least
        return low + least, high + least + 2 * self.rest * p


def exact_area(
    parts: Parts,
    engine: Engine,
    known: Counted,
    room: int,
    max_fpr: float,
) -> tuple[Fraction, int]:
    """Return twice the area, times N, and the number of readings; raises as `exact_twice`."""
    counts = known.counts
    clip = Clip.of(counts, max_fpr)
    twice, readings = exact_twice(parts, engine, replace(known, counts=clip.whole), room)
    area = Fraction(twice)
    if clip.bin < 0:
        return area, readings
    if not counts.mixed[clip.bin]:
        return area + clip.bounds(counts)[0] - clip.whole.twice[0], readings
    part = slice(clip.bin, clip.bin + 1)
    (pos, neg), _ = range_scores(parts, engine, known, part)
    within = area_of(pos, neg, clip.rest)
    return area + 2 * clip.rest * clip.above + within, readings + 1


def area_of(pos: Vector, neg: Vector, x: Fraction) -> Fraction:
    """Return 2 ∫_0^x T du, where T of the u highest negatives is how many positives are above."""
    values, at = np.unique(np.concatenate([-pos, -neg]), return_inverse=True)
    p, q = (np.bincount(own, minlength=values.size) for own in (at[: pos.size], at[pos.size :]))
    above, before = np.cumsum(p) - p, np.cumsum(q) - q
    whole = before + q <= int(x)
    area = Fraction(2 * dot(q[whole], above[whole]) + dot(p[whole], q[whole]))
    k = int(np.count_nonzero(whole))
    if k < values.size:
        r = x - int(before[k])
        area += 2 * r * int(above[k]) + int(p[k]) * r * r / int(q[k])
    return area
