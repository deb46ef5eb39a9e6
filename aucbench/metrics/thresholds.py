"""Thresholds on scores, which the AUC does not determine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from math import inf, isfinite, nextafter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.data.sorting import argsort
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.metrics.roc import corners
from aucbench.stats.rows import Fold

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What a threshold is chosen for. Without any aim, Youden's J is maximised.

    Attributes
    ----------
    sensitivity : float, optional
        Share of the positives, in (0, 1], that must be predicted positive. The threshold is the
        largest one with this property.
    specificity : float, optional
        Share of the negatives, in (0, 1], that must be predicted negative. The threshold is the
        smallest one with this property.
    precision : float, optional
        Share of the rows predicted positive, in (0, 1], that must be positive. The threshold is
        the smallest one with this property.
    flags : float, optional
        Share of all rows, in (0, 1], that may be predicted positive. The threshold is the
        smallest one with this property.
    cost_fp, cost_fn : float, optional
        Cost of a negative that is predicted positive, and of a positive that is predicted
        negative, both > 0; give both. The threshold has the smallest cost on the rows; of equal
        ones it is the largest.

    Raises
    ------
    ParameterError
        When a value is out of its range, or more than one aim is given.
    """

    sensitivity: float | None = None
    specificity: float | None = None
    precision: float | None = None
    flags: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None

    def __post_init__(self) -> None:
        values = self.given()
        for name, value in values.items():
            if name.startswith("cost"):
                if not (isfinite(value) and value > 0):
                    raise ParameterError(f"{name} is {value}; give a cost above 0")
            elif not 0 < value <= 1:
                raise ParameterError(f"{name} is {value}; give a share of the rows in (0, 1]")
        if (self.cost_fp is None) != (self.cost_fn is None):
            raise ParameterError(
                f"one cost is given, {_listed(values)}; give cost_fp and cost_fn, because their "
                "ratio decides"
            )
        if len({name.partition("_")[0] for name in values}) > 1:
            raise ParameterError(
                f"{_listed(values)} are given, but one threshold decides all of them; give one of "
                "them"
            )

    @staticmethod
    def of(wanted: Mapping[str, float | None]) -> Aim:
        """Return the aim with these values by name.

        Raises
        ------
        UnknownNameError
            When there is no such value.
        ParameterError
            As the class.
        """
        known = [f.name for f in fields(Aim)]
        for name in wanted:
            if name not in known:
                raise UnknownNameError("aim of a threshold", str(name), known)
        return Aim(**wanted)

    def given(self) -> dict[str, float]:
        """Return what is given, by name."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def __str__(self) -> str:
        """Return the aim in words."""
        if self.cost_fp is not None and self.cost_fn is not None:
            return (
                f"the smallest cost, {self.cost_fp:g} per false positive and {self.cost_fn:g} per "
                "false negative"
            )
        if self.flags is not None:
            return f"at most {self.flags:.4g} of the rows flagged"
        for name, value in self.given().items():
            return f"a {name} of at least {value:g}"
        return "the largest sensitivity + specificity"


@dataclass(frozen=True, eq=False)
class Cuts:
    """All ways to divide rows by their scores. Cut k predicts the `ends[k]` highest as positive.

    Attributes
    ----------
    order : array of shape (n,)
        Numbers of the rows, descending by score.
    scores : array of shape (n,)
        Scores in this order.
    positive : array of shape (n,)
        Whether each row is positive, in this order.
    """

    order: Index
    scores: Vector
    positive: NDArray[np.bool_]

    @staticmethod
    def of(y: ArrayLike, scores: ArrayLike, pos_label: Any = None) -> Cuts:
        """Sort the rows. Time: O(n log n); errors are those of `auc`."""
        rows = Fold.of_both_classes(y, scores, pos_label=pos_label)
        values, order = argsort(-rows.scores)
        return Cuts(order, -values, rows.positive[order])

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """Number of rows that each cut predicts as positive, from 0 to n. None splits a tie."""
        s = self.scores
        last = np.flatnonzero(np.append(s[1:] < s[:-1], True))
        return np.concatenate([np.zeros(1, np.intp), 1 + last])

    def counts(self, times: Counts | None = None) -> tuple[Counts, Counts]:
        """Return the true and the false positives of each cut.

        Parameters
        ----------
        times : array of shape (n,), optional
            How often each row counts, in the order of `order`. Default: once.
        """
        each = np.ones(self.scores.size, np.int64) if times is None else times
        true, flagged = (
            np.concatenate([[0], np.cumsum(part)])[self.ends]
            for part in (each * self.positive, each)
        )
        return true, flagged - true

    def threshold(self, k: int) -> float:
        """Return a threshold that exactly the rows of cut k reach.

        Raises
        ------
        DataError
            When a row must be predicted negative and has an infinite score.
        """
        return _above(self.scores, int(self.ends[k]))


def best_cut(aim: Aim, tp: Counts, fp: Counts) -> int:
    """Return the number of the cut that an aim chooses.

    Parameters
    ----------
    tp, fp : arrays of shape (m,)
        True and false positives of each cut, ascending; the last cut predicts all rows positive.

    Raises
    ------
    DataError
        When no cut that predicts a row positive reaches the precision or the share of flags.
    """
    positives, negatives = int(tp[-1]), int(fp[-1])
    if aim.sensitivity is not None:
        return int(np.argmax(tp / positives >= aim.sensitivity))
    if aim.specificity is not None:
        return int(np.flatnonzero((negatives - fp) / negatives >= aim.specificity)[-1])
    if aim.precision is not None:
        share = tp / np.maximum(tp + fp, 1)
        if not (enough := np.flatnonzero(share >= aim.precision)).size:
            raise DataError(
                f"no threshold has a precision of {aim.precision:g} on these rows: the best one "
                f"has {share.max():.3g}; ask for less, or for another aim"
            )
        return int(enough[-1])
    if aim.flags is not None:
        few = int(np.flatnonzero(tp + fp <= aim.flags * (positives + negatives))[-1])
        if not tp[few] + fp[few]:
            raise DataError(
                f"the highest score is that of {tp[1] + fp[1]} of {positives + negatives} rows, "
                f"more than {aim.flags:g} of them; allow more flags"
            )
        return few
    if aim.cost_fp is not None and aim.cost_fn is not None:
        return int(np.argmin(aim.cost_fp * fp + aim.cost_fn * (positives - tp)))
    # in whole numbers, so that equally good cuts compare as equal
    return 1 + int(np.argmax((tp * negatives + (negatives - fp) * positives)[1:]))


def intercept_at(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    pos_label: Any = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    precision: float | None = None,
    flags: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
) -> float:
    """Threshold t: a row with `score >= t` is predicted positive.

    As an intercept this is -t: `score + intercept >= 0`. The AUC does not determine it. t lies
    halfway between two scores. If all rows are predicted positive, t is the smallest score. If
    none is, t is the next float above the largest score. Time: O(n log n).

    Parameters
    ----------
    y, scores, pos_label :
        As in `auc`.
    sensitivity, specificity, precision, flags, cost_fp, cost_fn : float, optional
        The aim, one of those of `Aim`. Without one, t maximises the sum of sensitivity and
        specificity (Youden's J); of equally good thresholds it is the largest.

    Raises
    ------
    ParameterError
        As `Aim`.
    DataError
        As `auc`; as `best_cut`; and when a negative that must be predicted negative has an
        infinite score.
    """
    aim = Aim(
        sensitivity=sensitivity,
        specificity=specificity,
        precision=precision,
        flags=flags,
        cost_fp=cost_fp,
        cost_fn=cost_fn,
    )
    cuts = Cuts.of(y, scores, pos_label)
    return cuts.threshold(best_cut(aim, *cuts.counts()))


class RocCurve(NamedTuple):
    """The corners of a ROC curve, from (0, 0) to (1, 1).

    Attributes
    ----------
    fpr, tpr : arrays of shape (m,)
        The shares of the negatives and of the positives whose score is at least the threshold.
    thresholds : array of shape (m,)
        Descending scores; the first one is infinite, which no row reaches.
    """

    fpr: Vector
    tpr: Vector
    thresholds: Vector


def roc_curve(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    drop_intermediate: bool = True,
) -> RocCurve:
    """ROC curve: fpr, tpr, thresholds, as `sklearn.metrics.roc_curve`. Time: O(n log n).

    Parameters
    ----------
    y, scores, sample_weight, pos_label :
        As in `auc`.
    drop_intermediate : bool
        Leave out corners that lie on the straight line between their neighbours.

    Raises
    ------
    DataError
        As `auc`.
    """
    rows = Fold.of_both_classes(y, scores, sample_weight, pos_label=pos_label)
    fp, tp = corners(rows)
    thresholds = np.append(inf, np.unique(rows.scores)[::-1])
    if drop_intermediate:
        kept = np.ones(fp.size, bool)
        kept[2:-1] = (np.diff(fp[1:], 2) != 0.0) | (np.diff(tp[1:], 2) != 0.0)
        fp, tp, thresholds = fp[kept], tp[kept], thresholds[kept]
    return RocCurve(fp / fp[-1], tp / tp[-1], thresholds)


def _listed(values: dict[str, float]) -> str:
    return " and ".join(f"{name} {value}" for name, value in values.items())


def _above(s: Vector, count: int) -> float:
    """Return a threshold that exactly the first `count` of the descending scores reach."""
    if count == s.size:
        return float(s[-1])
    low, high = float(s[count]), float(s[count - 1]) if count else inf
    if np.isinf(low) and low > 0:
        raise DataError(
            "a negative row has an infinite score, and no threshold is above that; scale the "
            "weights down"
        )
    middle = low / 2 + high / 2 if count else nextafter(low, inf)
    return middle if low < middle <= high else high  # no float lies between, or a score is infinite
