"""The target of error functions: where the errors of each example change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data.arrays import Block, Index, Vector, lock
from aucbench.data.intervals import columns, steps
from aucbench.data.targets import side_of
from aucbench.errors import DataError, ParameterError

Denominator = Literal["rate", "count"]


class Targets(NamedTuple):
    """For each example an interval of scores with the fewest errors."""

    low: Vector  # (n,) its ends, which may be -inf and inf
    high: Vector


class Sides(NamedTuple):
    """The binary labels that breakpoints were made from."""

    y: NDArray[np.int8]  # (n,): the labels
    n_pos: int  # the number of positives
    rates: bool  # whether errors are rates (shares of their class) or counts


@dataclass(frozen=True, eq=False)
class Breakpoints:
    """Error functions of `n` examples: their errors change where score + threshold = value.

    Breakpoints are in the order of the examples, and within an example in the order of growing
    values, each value once. The constructors `of_labels` and `of_penalties` sort them.

    Attributes
    ----------
    example : array of shape (B,), int32
        The example of each breakpoint, numbered from 0.
    value : array of shape (B,)
        Where its errors change, in units of the scores.
    fp_diff, fn_diff : arrays of shape (B,)
        By how much false positives and false negatives change as the threshold grows.
    n : int
        Number of examples; some may have no breakpoint.
    fp_base, fn_base : arrays of shape (n,)
        False positives below all values, and false negatives above all values. No threshold
        changes these constants. The AUM leaves them out, because with them it would be infinite.
    fp_possible, fn_possible : arrays of shape (n,)
        How many errors of each kind an example can have. The axes of the ROC curve are errors
        divided by the sums of these numbers. A class of labels has as many as it has members.
    """

    what: ClassVar[str] = "error functions"

    example: Index
    value: Vector
    fp_diff: Vector
    fn_diff: Vector
    n: int
    fp_base: Vector
    fn_base: Vector
    fp_possible: Vector
    fn_possible: Vector

    def __post_init__(self) -> None:
        """Check what kernels do not check.

        Raises
        ------
        DataError
            When arrays do not fit together, a number is not finite, or the order is wrong.
        """
        lock(self, *(name for name in vars(self) if name != "n"))
        e = self.example
        if e.dtype != np.int32 or e.ndim != 1:
            raise DataError(
                f"example has type {e.dtype} and {e.ndim} dimension(s); give an int32 vector"
            )
        if e.size and not 0 <= e.min() <= e.max() < self.n:
            raise DataError(
                f"example numbers run from {e.min()} to {e.max()}, but there are {self.n} "
                "examples; number the examples from 0"
            )
        for x in columns(e.size, value=self.value, fp_diff=self.fp_diff, fn_diff=self.fn_diff):
            if not np.isfinite(x).all():
                raise DataError(
                    f"breakpoint {np.isinf(x).argmax()} is infinite; leave out breakpoints that no "
                    "finite threshold reaches"
                )
        columns(self.n, fp_base=self.fp_base, fn_base=self.fn_base)
        columns(self.n, fp_possible=self.fp_possible, fn_possible=self.fn_possible)
        if not _follows(e, self.value).all():
            raise DataError(
                "breakpoints are out of order; sort them by example and then by value, and add up "
                "those of one example that have equal values"
            )

    @property
    def weights(self) -> None:
        """Examples have no weights."""
        return None

    @property
    def strata(self) -> NDArray[np.int8]:
        """What the parts of a split have in the same shares: nothing."""
        return np.zeros(self.n, np.int8)

    @property
    def numbers(self) -> dict[str, int]:
        """How much there is of it, by name."""
        return {"breakpoints": self.value.size}

    @property
    def size(self) -> str:
        """The same for people."""
        return f"{self.example.size} breakpoints"

    @staticmethod
    def of_labels(y: Any, denominator: Denominator = "rate") -> Breakpoints:
        """Return the breakpoints of binary labels: one for each example, at value 0.

        There a negative becomes a false positive, and a positive stops being a false negative.

        Parameters
        ----------
        y : array of shape (n,)
            Labels in {-1, 1}, {0, 1} or booleans.
        denominator : {"rate", "count"}
            Errors as shares of their class, or as numbers.

        Raises
        ------
        DataError
            When a label is missing or is none of these, or rates are asked for and a class is
            missing.
        ParameterError
            When the denominator is neither of the two.
        """
        positive = side_of(y) > 0
        n, n_pos = positive.size, int(np.count_nonzero(positive))
        rates = _is_rate(denominator)
        if rates and not 0 < n_pos < n:
            raise DataError(
                f"{n_pos} of {n} labels are positive, but rates need both classes; give both, or "
                "use denominator='count'"
            )
        fp, fn = _of_one(n, n_pos, rates)
        fps, fns = np.where(positive, 0.0, fp), np.where(positive, fn, 0.0)
        example, zeros = np.arange(n, dtype=np.int32), np.zeros(n)
        return Breakpoints(example, zeros, fps, fns, n, zeros, zeros, fps, -fns)

    @staticmethod
    def of_penalties(
        example: ArrayLike,
        min_log_lambda: ArrayLike,
        fp: ArrayLike,
        fn: ArrayLike,
        *,
        max_log_lambda: ArrayLike | None = None,
        possible_fp: ArrayLike | None = None,
        possible_fn: ArrayLike | None = None,
        denominator: Denominator = "rate",
    ) -> Breakpoints:
        """Return the breakpoints of errors that are constant on intervals of the log penalty.

        This is the target of changepoint detection. A score is a predicted -log λ: a larger
        score means more changes. The values of the breakpoints are in the same units.

        Parameters
        ----------
        example : array of shape (I,)
            Example of each interval, numbered from 0. Each example has at least one interval.
        min_log_lambda : array of shape (I,)
            Where the interval begins. The first interval of an example begins at -inf.
        fp, fn : arrays of shape (I,)
            False positives and false negatives on the interval.
        max_log_lambda : array of shape (I,), optional
            Where it ends: where the next interval of the example begins, or inf for the last.
        possible_fp, possible_fn : arrays of shape (I,), optional
            How many errors of each kind the example of the interval can have: the number of its
            labels of that kind. The default is the largest number of errors on its intervals.
        denominator : {"rate", "count"}
            Errors divided by their total change over all thresholds, or as numbers.

        Raises
        ------
        DataError
            When intervals of an example are missing or repeated, or do not cover the line, or
            when an example has more errors than are possible, or two numbers of possible errors.
        ParameterError
            When the denominator is neither of the two.
        """
        counts = Breakpoints(
            *steps(example, min_log_lambda, max_log_lambda, fp, fn, possible_fp, possible_fn)
        )
        return counts.rates if _is_rate(denominator) else counts

    def take(self, block: Block) -> Breakpoints:
        """Return the breakpoints of some examples, which are numbered anew in the order given."""
        chosen = np.arange(self.n)[block]
        starts = np.searchsorted(self.example, np.arange(self.n + 1))
        lengths = np.diff(starts)[chosen]
        at = np.repeat(starts[chosen] - np.cumsum(lengths) + lengths, lengths)
        at += np.arange(at.size)
        example = np.repeat(np.arange(chosen.size, dtype=np.int32), lengths)
        value, fp, fn = (x[at] for x in (self.value, self.fp_diff, self.fn_diff))
        ends = (self.fp_base, self.fn_base, self.fp_possible, self.fn_possible)
        return Breakpoints(example, value, fp, fn, chosen.size, *(x[chosen] for x in ends))

    @cached_property
    def totals(self) -> tuple[float, float]:
        """By how much FP grows and by how much FN falls over all thresholds; both are > 0.

        Raises
        ------
        DataError
            When FP does not grow or FN does not fall.
        """
        return _total("fp", self.fp_diff), _total("fn", -self.fn_diff)

    @cached_property
    def possible(self) -> tuple[float, float]:
        """How many false positives and false negatives are possible in all."""
        return float(self.fp_possible.sum()), float(self.fn_possible.sum())

    @cached_property
    def is_complete(self) -> bool:
        """Whether thresholds change the errors from none to all that are possible.

        Then the ROC curve goes from (0, 0) to (1, 1).
        """
        changed = float(self.fp_diff.sum()), -float(self.fn_diff.sum())
        return changed == self.possible and not (self.fp_base.any() or self.fn_base.any())

    @cached_property
    def target_intervals(self) -> Targets:
        """The widest interval of scores in which FP + FN of an example is least.

        Of several that are equally wide it is the lowest. If the errors are least at both ends
        of the line, it is the whole line. These are the rules of `targetIntervals` of the R
        package penaltyLearning.
        """
        e, number = self.example, np.arange(self.n)
        starts = np.searchsorted(e, number)
        # Piece starts[i] + i begins at -inf, and each of the next ones at a breakpoint of i.
        first, piece = starts + number, np.arange(e.size) + e + 1
        left = np.full(e.size + self.n, -np.inf)
        left[piece] = self.value
        change = np.zeros(left.size)
        change[piece] = self.fp_diff + self.fn_diff
        owner = np.repeat(number, np.diff(np.r_[first, left.size]))
        right = np.where(np.append(owner[1:] == owner[:-1], False), np.append(left[1:], 0), np.inf)
        errors = np.cumsum(change)
        errors -= errors[first][owner]
        slack = 1e-12 * np.abs(change).sum()  # errors that are rates are rounded
        fewest = errors <= np.minimum.reduceat(errors, first)[owner] + slack
        joined = fewest[1:] & fewest[:-1] & (owner[1:] == owner[:-1])
        low = np.flatnonzero(fewest & ~np.append(False, joined))
        high = np.flatnonzero(fewest & ~np.append(joined, False))
        width = right[high] - left[low]
        best = np.lexsort((left[low], -width, owner[low]))
        best = best[np.flatnonzero(np.diff(owner[low][best], prepend=-1))]
        at_both_ends = fewest[first] & fewest[np.append(first[1:], left.size) - 1]
        return Targets(
            np.where(at_both_ends, -np.inf, left[low[best]]),
            np.where(at_both_ends, np.inf, right[high[best]]),
        )

    @property
    def rates(self) -> Breakpoints:
        """Errors divided by their `totals`."""
        fps, fns = self.totals
        return replace(
            self,
            fp_diff=self.fp_diff / fps,
            fn_diff=self.fn_diff / fns,
            fp_base=self.fp_base / fps,
            fn_base=self.fn_base / fns,
            fp_possible=self.fp_possible / fps,
            fn_possible=self.fn_possible / fns,
        )

    @cached_property
    def sides(self) -> Sides | None:
        """The labels, if these are the breakpoints of binary labels; else None."""
        if self.value.size != self.n or self.value.any():
            return None  # here each example has one breakpoint, since no value occurs twice
        positive = self.fn_diff != 0.0
        n_pos = int(np.count_nonzero(positive))
        for rates in (False, True)[: 1 + (0 < n_pos < self.n)]:
            fp, fn = _of_one(self.n, n_pos, rates)
            same = np.array_equal(self.fp_diff, np.where(positive, 0.0, fp))
            if same and np.array_equal(self.fn_diff, np.where(positive, fn, 0.0)):
                return Sides(np.where(positive, np.int8(1), np.int8(-1)), n_pos, rates)
        return None


def _of_one(n: int, n_pos: int, rates: bool) -> tuple[float, float]:
    """Return fp_diff of a negative and fn_diff of a positive."""
    return (1.0 / max(n - n_pos, 1), -1.0 / max(n_pos, 1)) if rates else (1.0, -1.0)


def _is_rate(denominator: str) -> bool:
    if denominator not in ("rate", "count"):
        raise ParameterError(f"denominator is {denominator!r}; give 'rate' or 'count'")
    return denominator == "rate"


def _follows(e: Index, v: Vector) -> NDArray[np.bool_]:
    """Say of each breakpoint but the first whether it belongs after the one before it."""
    after: NDArray[np.bool_] = (e[1:] > e[:-1]) | ((e[1:] == e[:-1]) & (v[1:] > v[:-1]))
    return after


def _total(name: str, diff: Vector) -> float:
    total = float(diff.sum())
    if not total > 0.0:
        raise DataError(
            f"{name} changes by {total} over all thresholds, but rates divide by a change that is "
            "above 0; use counts, or add examples with such errors"
        )
    return total
