"""Ranges of the ROC curve: pairs of the highest lower rows and the lowest upper rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector
from aucbench.errors import ParameterError
from aucbench.pairs.kinds import groups_of, labelled
from aucbench.pairs.members import Members, running_sums

COLLAPSED = (
    "no direction lifts the mean positive above the mean of the highest negatives in the range, so "
    "that w = 0 is the best and its scores say nothing: widen the range, or add rest=0.5"
)


@runtime_checkable
class Ranged(Protocol):
    """Pairs of which only those within a range count, by the present scores.

    Attributes
    ----------
    rest : float
        κ, the weight of all pairs; those in the range have 1 − κ.
    """

    @property
    def rest(self) -> float:
        """κ."""
        ...

    def within(self, members: Members, s: Vector) -> Members:
        """Return the pairs in the range at the scores s (n,)."""
        ...


def _require_share(name: str, value: float, *, low: bool, high: bool) -> None:
    """Raise `ParameterError` unless it is a share, of which 0 and 1 may be allowed."""
    above = value >= 0.0 if low else value > 0.0
    if not (above and (value <= 1.0 if high else value < 1.0)):
        ends = f"from 0{'' if low else ', above it,'} to 1{'' if high else ', below it'}"
        raise ParameterError(f"{name} is {value!r}; give a share {ends}")


@dataclass(frozen=True)
class Fpr:
    """Pairs at the left end of the ROC curve, FPR ≤ β, and where TPR ≥ α.

    f is the largest mean loss over the pairs of a share 1 − α of the positives and a share β of the
    negatives: Σ a_i b_j φ(s_i − s_j), where a has at most the share of each positive over 1 − α,
    and b that of each negative over β. A loss that falls as the margin grows has it at the lowest
    positives and the highest negatives. Of the last one, the part that is left counts. Of ties the
    first row does. f is convex, and a subgradient is that of these pairs.

    If a convex mixture of the highest negatives can lie on the mean of the lowest positives, w = 0
    is the minimum for every λ, and its scores say nothing. `rest` helps against it.

    Parameters
    ----------
    max : float
        β, the largest false-positive rate, in (0, 1].
    min_tpr : float
        α, the least true-positive rate, in [0, 1).
    rest : float
        κ in [0, 1]: the loss is (1 − κ) times that of the range, plus κ times that of all pairs.
    column : str, optional
        Column of a file with the group of each row; the range is one within each group. None: all
        rows are one group.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Narasimhan & Agarwal, "A structural SVM based approach for optimizing partial AUC", ICML 2013.
    """

    max: float = 1.0
    min_tpr: float = 0.0
    rest: float = 0.0
    column: str | None = None

    kind: ClassVar[str] = "range"
    measure: ClassVar[str] = "pauc"

    def __post_init__(self) -> None:
        _require_share("max", self.max, low=False, high=True)
        _require_share("min_tpr", self.min_tpr, low=True, high=False)
        _require_share("rest", self.rest, low=True, high=True)

    def members(self, data: Data, rows: Block = ALL) -> Members:
        """Return all pairs of a positive and a negative, of each group; `within` cuts them.

        Raises
        ------
        DataError
            When the rows have no labels, or the groups that are asked for are not there.
        """
        return labelled(data, rows, None if self.column is None else groups_of(data, rows))

    def within(self, members: Members, s: Vector) -> Members:
        """Return the pairs in the range at the scores s (n,)."""
        return _first(members, s, 1.0 - self.min_tpr, self.max)


@dataclass(frozen=True)
class Top:
    """Pairs with the highest negative: (1/n₊) Σ_i φ(s_i − max_j s_j), the top-push.

    It is `Fpr` with so small a β that one negative is in the range.

    Parameters
    ----------
    rest : float
        κ in [0, 1]: the loss is (1 − κ) times that of the range, plus κ times that of all pairs.
    column : str, optional
        Column of a file with the group of each row; None: all rows are one group.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Agarwal, "The infinite push", SDM 2011; Li, Jin & Zhou, "Top rank optimization in linear time",
    NeurIPS 2014.
    """

    rest: float = 0.0
    column: str | None = None

    kind: ClassVar[str] = "range"
    measure: ClassVar[str] = "pauc"

    def __post_init__(self) -> None:
        _require_share("rest", self.rest, low=True, high=True)

    def members(self, data: Data, rows: Block = ALL) -> Members:
        """Return all pairs, as `Fpr.members`."""
        return labelled(data, rows, None if self.column is None else groups_of(data, rows))

    def within(self, members: Members, s: Vector) -> Members:
        """Return the pairs of the highest lower row of each block at the scores s (n,)."""
        return _first(members, s, 1.0, 0.0)


def _first(members: Members, s: Vector, of_upper: float, of_lower: float) -> Members:
    """Return the lowest upper rows and the highest lower rows of each block, so many of each.

    The last one counts in part, and all are scaled so that blocks keep their masses.

    Parameters
    ----------
    members : Members
        Blocks.
    s : array of shape (n,)
        The scores.
    of_upper, of_lower : float
        The share of the upper rows, and that of the lower ones; 0: one row.
    """
    starts, shares, masses = members.sides
    room = masses * np.tile([of_upper, of_lower], members.count)
    x, cuts = s[members.rows], [*pairwise(starts.tolist())]
    if members.count == 1 and all(float(np.ptp(shares[lo:hi])) == 0.0 for lo, hi in cuts):
        (upper, lower), counts = (x[lo:hi] for lo, hi in cuts), room / shares[starts[:-1]]
        chosen = [
            _lowest(upper, members.rows[: upper.size], float(counts[0])),
            _lowest(-lower, members.rows[upper.size :], float(counts[1])) + upper.size,
        ]
        order, sizes = np.concatenate(chosen), np.array([part.size for part in chosen])
    else:
        sizes = np.diff(starts)
        value = np.where(members.key == 0, x, -x)
        order = np.lexsort((members.rows, value, np.repeat(np.arange(sizes.size), sizes)))
    side, shares = np.repeat(np.arange(sizes.size), sizes), shares[order]
    starts = np.append(0, np.cumsum(sizes))
    room = np.where(room > 0.0, room, shares[starts[:-1]])
    before = np.append(0.0, running_sums(starts, shares)[:-1])
    before[starts[:-1]] = 0.0
    counted = np.clip(room[side] - before, 0.0, shares)
    use = counted > 0.0
    order, side = order[use], side[use]
    scaled, key = counted[use] * (masses / room)[side], members.key[order]
    starts = np.searchsorted(side, np.arange(0, sizes.size + 1, 2))
    a, b = np.where(key == 0, scaled, 0.0), np.where(key == 0, 0.0, scaled)
    return Members(members.n, members.rows[order], key, starts, a, b, members.left_out)


def _lowest(value: Vector, rows: NDArray[np.int32], count: float) -> NDArray[np.intp]:
    """Return where the lowest values stand, ⌈count⌉ of them, at least one; O(n)."""
    k = min(max(int(np.ceil(count)), 1), value.size) - 1
    last = np.partition(value, k)[k]
    if np.isnan(last):  # which equals no value; it is the largest
        return np.lexsort((rows, value))[: k + 1]
    below, tied = np.flatnonzero(value < last), np.flatnonzero(value == last)
    tied = tied[np.argsort(rows[tied], kind="stable")]
    return np.concatenate([below, tied[: k + 1 - below.size]])


Sums = Callable[[Vector], tuple[float, Vector, float]]


class RangeSums:
    """Loss over the pairs in a range, its derivatives in the scores, and the active mass.

    f is a maximum over choices of rows. So the pairs at any scores give a valid cut of it, also
    where rounding has chosen others.

    Parameters
    ----------
    pairs : Ranged
        The range.
    members : Blocks
        All pairs.
    make : callable
        Returns the sums over pairs.
    """

    def __init__(self, pairs: Ranged, members: Members, make: Callable[[Members], Sums]):
        self._pairs, self._members, self._make = pairs, members, make
        self._whole = make(members) if pairs.rest > 0.0 else None

    def __call__(self, s: Vector) -> tuple[float, Vector, float]:
        """Return the mean loss, its derivatives in s (n,), and the active mass."""
        of_range = self._make(self._pairs.within(self._members, s))(s)
        if np.isnan(s).any():  # it has no place in the order, and may be out of the range
            return np.nan, of_range[1], of_range[2]
        if self._whole is None:
            return of_range
        (value, c, active), share = self._whole(s), self._pairs.rest
        return (
            value * share + of_range[0] * (1.0 - share),
            c * share + of_range[1] * (1.0 - share),
            active * share + of_range[2] * (1.0 - share),
        )
