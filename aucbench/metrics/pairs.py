"""Measures of pairs: the share of pairs in order, whichever pairs count.

Design
  a. One measure belongs to each kind of pairs, and `quality_of` is that of the pairs of some rows.
     Inner folds of a tuner, models and the parent call it, so that what is trained is what is
     chosen by and judged by.
  b. Rows with groups are independent from group to group only. So groups are the units of the
     variance wherever there are some, also where pairs may be of different groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from math import isnan, nan
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from aucbench.aum.loss import roc_auc
from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.categories import Categories
from aucbench.data.kinds import Target
from aucbench.data.survival import Survival
from aucbench.data.targets import Labels
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.metrics.classes import hand_till
from aucbench.metrics.group_ranges import DEFAULTS, NAME, grouped_range
from aucbench.metrics.measures import MEASURES, auc, filled, measure, named, parts_of
from aucbench.metrics.order import cindex, grade_auc
from aucbench.metrics.rows import TargetRows, bare
from aucbench.pairs import (
    ByClass,
    Grade,
    Group,
    Members,
    NoPairsError,
    Pairs,
    Time,
    concordance,
    pairs_of,
)
from aucbench.pairs.censoring import Censoring
from aucbench.stats.influence import Influence
from aucbench.stats.measures import Measure, Value
from aucbench.stats.rows import Fold, Rows
from aucbench.stats.vectors import floats

AUC = "auc"
# By measure: the parameters of its pairs, and what the measure calls them. That of `time` has no
# weight: where test rows are measured, the censoring of the training rows may not be known.
SHARED: Mapping[str, Mapping[str, str]] = {
    "gauc": {"each": "each"},
    "pauc": {"max": "max_fpr", "min_tpr": "min_tpr"},
    NAME: {"max": "max_fpr", "min_tpr": "min_tpr"},
    "cindex": {"tau": "tau"},
    "grade-auc": {"each": "each", "gain": "gain", "across": "across"},
}


@dataclass(frozen=True, slots=True)
class Kind:
    """The pairs of a measure, and its parameters with their defaults."""

    pairs: Callable[..., Pairs]
    defaults: Mapping[str, Value]


def _grade(each: Any, gain: Any, across: str) -> Grade:
    if across.lower() not in ("true", "false"):
        raise ParameterError(f"across is {across!r}; give true or false")
    return Grade(each=each, gain=gain, across=across.lower() == "true")


PAIRED: dict[str, Kind] = {
    "gauc": Kind(Group, {"each": "pair"}),
    "cindex": Kind(Time, {"weight": "none", "tau": None}),
    "grade-auc": Kind(_grade, {"each": "pair", "gain": "none", "across": "false"}),
    "hand-till": Kind(lambda: ByClass("classes"), {}),
    "one-vs-rest": Kind(lambda: ByClass("rest"), {}),
}


@dataclass(frozen=True, slots=True)
class PairMeasure(Measure):
    """The share of pairs in order, with the scores of ties counted half."""

    pairs: Any = None  # `Pairs`

    def __call__(
        self, y: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the value on labels without groups; NaN where no two rows can be compared."""
        return float(self.values([Fold(y, scores, sample_weight)])[0])

    @property
    def is_told(self) -> bool:
        """Whether it is known by its values only."""
        return False

    @property
    def has_variance(self) -> bool:
        """Whether its variance over test rows is known."""
        return True

    def values(self, folds: Sequence[Rows | None]) -> Vector:
        """Return the value on each fold; NaN without one, and where no two rows can be compared."""
        values = np.full(len(folds), nan)
        for number, fold in enumerate(folds):
            if fold is not None:
                values[number] = concordance_of(_uncensored(self.pairs, fold), *_judged(fold))
        return values

    def influence(self, fold: Rows) -> Influence | None:
        """Return how it moves with each row or group; None where no two rows can be compared."""
        return influence_of(_uncensored(self.pairs, fold), *_judged(fold))


def pair_measure(spec: str) -> PairMeasure:
    """Return a measure of pairs by its specification, such as `gauc[each=group]`.

    Parameters
    ----------
    spec : str
        `gauc`, within groups; `cindex`, of survival times; `grade-auc`; `hand-till` or
        `one-vs-rest`, of three or more classes. Parameters are those of `Group`, `Time` and
        `Grade`.

    Raises
    ------
    UnknownNameError, ParameterError
        As `aucbench.metrics.measure`.
    """
    name, given = parts_of(spec)
    kind = PAIRED[name]
    params = filled(name, given, kind.defaults, spec)
    told = named(name, params, kind.defaults)
    return PairMeasure(told, None, params, share=True, pairs=kind.pairs(**params))


def measure_of(spec: str) -> Measure:
    """Return a measure of aucbench by its specification: of pairs, or as `stats.measure`."""
    name, _ = parts_of(spec)
    if name in PAIRED:
        return pair_measure(spec)
    if name == NAME:
        return grouped_range(spec)
    if name not in MEASURES:
        raise UnknownNameError("measure", name, [*MEASURES, *PAIRED, NAME])
    return measure(spec)


def measured_by(pairs: Pairs | None) -> str:
    """Return the measure of pairs of aucbench, with what both have parameters for."""
    if pairs is None:
        return AUC
    name = pairs.measure
    if pairs.kind == "range" and getattr(pairs, "column", None) is not None:
        name = NAME  # the range is one within each group
    shared, defaults = SHARED.get(name, {}), _defaults(name)
    values = {
        shared[f.name]: getattr(pairs, f.name)
        for f in fields(cast("Any", pairs))
        if f.name in shared
    }
    told = [
        f"{key}={value}"
        for key, value in values.items()
        if value is not None and str(value).lower() != str(defaults[key])
    ]
    return f"{name}[{','.join(told)}]" if told else name


def _defaults(name: str) -> Mapping[str, Value]:
    """Return the parameters of a measure with their defaults; none of that of a plugin."""
    if name in PAIRED:
        return PAIRED[name].defaults
    if name == NAME:
        return DEFAULTS
    return MEASURES[name].params if name in MEASURES else {}


@cache
def _measure_by(spec: str) -> Measure:
    return measure_of(spec)


def gauc(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    each: Literal["pair", "group"] = "pair",
) -> float:
    """Grouped AUC: the share of pairs of a positive and a negative of one group that are in order.

    Equal scores count ½. With `each="group"` it is the mean of the AUCs of the groups. A group of
    one class has no pair and is left out; CatBoost's QueryAUC counts it as 0 and divides by the
    number of all groups.

    Parameters
    ----------
    y, scores, sample_weight, pos_label :
        As `auc`; a pair counts for the product of the weights.
    groups : array of int of shape (n,), optional
        The number of the group of each row; without them all rows are one group.
    each : {"pair", "group"}
        What counts the same.

    Raises
    ------
    DataError
        As `auc`, and when no group has rows of both classes.
    ParameterError
        When `each` is something else.
    """
    own = np.zeros(np.shape(scores), np.int64) if groups is None else groups
    fold = Fold.of_both_classes(y, scores, sample_weight, own, pos_label=pos_label)
    return _theta(Group(each=each), *_judged(fold))


def quality_of(data: Data, scores: ArrayLike) -> float:
    """Return how good scores are by the measure of the pairs of some rows.

    It is the AUC of labels, the grouped AUC, the partial AUC, the concordance index of survival
    times, that of grades, or Hand and Till's M. Of error functions it is the AUC of `roc_auc`. Of
    pairs whose measure is that of a plugin, it is the share of pairs in order.

    Parameters
    ----------
    data : Data
        Target, groups and pairs; its features are not looked at.
    scores : array of shape (n,), or (n, K) for K classes

    Raises
    ------
    DataError
        When no two rows can be compared, or a score is NaN.
    """
    target = data.target
    if isinstance(target, Breakpoints):
        return auc_of(target, scores)
    if data.pairs is None and isinstance(target, Labels | Categories):
        return auc_of(target, scores)
    pairs = pairs_of(data)
    if pairs is not None and pairs.measure.partition("[")[0] not in {*PAIRED, *MEASURES}:
        return _theta(pairs, data, TargetRows(data, floats("scores", scores)).scores)
    chosen = _measure_by(measured_by(pairs))
    if isinstance(chosen, PairMeasure):
        return _theta(chosen.pairs, data, TargetRows(data, floats("scores", scores)).scores)
    rows = Fold(data.labels.y, scores, data.labels.weights, data.groups)
    value = float(chosen.values([rows])[0])
    if isnan(value):
        raise NoPairsError("no group has rows of both classes")
    return value


def auc_of(target: Target, scores: ArrayLike) -> float:
    """Area under the ROC curve of labels or breakpoints, or what stands for it of other targets.

    That of breakpoints is the one of the R function `ROChange`, see `aucbench.aum.roc_auc`. It
    may lie outside [0, 1]. That of three or more classes is Hand and Till's M, of survival times
    Harrell's C, and of grades the share of pairs in order.

    Parameters
    ----------
    target : Labels, Breakpoints, Categories, Survival or Grades
        What was to be predicted, for n rows.
    scores : array of shape (n,), or (n, K) for K classes
        A larger score means more positive, an earlier event, or a higher grade.

    Raises
    ------
    DataError
        As `auc`, `aucbench.aum.roc_auc`, `hand_till`, `cindex` and `grade_auc`.
    """
    if isinstance(target, Labels):
        return auc(target.y, scores, target.weights)
    if isinstance(target, Breakpoints):
        return roc_auc(target, scores)
    if isinstance(target, Categories):
        return hand_till(target.y, scores, target.weights)
    if isinstance(target, Survival):
        return cindex(target.time, target.event, scores, target.weights)
    return grade_auc(target.y, scores, target.weights)


def concordance_of(pairs: Pairs, data: Data, scores: Vector) -> float:
    """Return the share of pairs in order; NaN where no two rows can be compared."""
    try:
        return _theta(pairs, data, scores)
    except NoPairsError:
        return nan


def _theta(pairs: Pairs, data: Data, scores: Vector) -> float:
    columns = [concordance(members, s)[0] for members, s in _columns(pairs, data, scores)]
    return min(1.0, sum(columns) / len(columns))  # a sum of shares may be rounded up


def influence_of(pairs: Pairs, data: Data, scores: Vector) -> Influence | None:
    """Return how the share of pairs in order moves with each row, or each group of rows.

    None where no two rows can be compared. Of classes, it is the mean over the columns.
    """
    units = np.arange(data.n) if data.groups is None else data.groups
    try:
        columns = [*_columns(pairs, data, scores)]
    except NoPairsError:
        return None
    psi, inner = np.zeros((2, data.n))
    masses = np.zeros((2, data.n))  # as upper and as lower ends
    theta = 0.0
    for members, s in columns:
        value, A, B = concordance(members, s)
        own = _psi(pairs, data, value, A, B)
        theta, psi, masses = theta + value, psi + own, masses + members.row_masses
        if pairs.kind == "group":
            inner = own
        elif data.groups is not None:
            inner = inner + _inside(members, s, value, units)
    K = len(columns)
    value = min(1.0, theta / K)  # a sum of shares may be rounded up
    if isinstance(pairs, ByClass):
        masses = masses.sum(axis=0) * (np.arange(K)[:, None] == data.target.y)  # type: ignore[union-attr]
    told = Influence.of(value, psi / K, masses / K, units, inside=inner / K)
    return replace(told, groups=_groups(columns[0][0])) if pairs.kind == "group" else told


def _columns(pairs: Pairs, data: Data, scores: Vector) -> Iterator[tuple[Members, Vector]]:
    """Yield pairs and the scores that order them: one column for each class."""
    if not isinstance(pairs, ByClass):
        if scores.ndim != 1:
            raise DataError(f"scores have shape {scores.shape}; give one for each row, shape (n,)")
        yield pairs.members(data), scores
        return
    of_each = [*pairs.of_each(data)]
    if scores.ndim != 2 or scores.shape[1] != len(of_each):
        raise DataError(
            f"scores have shape {scores.shape} for {len(of_each)} classes; give one for each row "
            "and class, shape (n, K)"
        )
    yield from zip(of_each, np.ascontiguousarray(scores.T), strict=True)


def _psi(pairs: Pairs, data: Data, theta: float, A: Vector, B: Vector) -> Vector:
    """Return Σ π (k − θ) over the pairs of each row.

    Where classes weigh the same, each pair of classes has a θ of its own, that of the rows of one
    class in a column: how many rows a class has moves nothing.
    """
    if not (isinstance(pairs, ByClass) and pairs.each == "classes"):
        return A - theta * B
    y: Any = data.target.y  # type: ignore[union-attr]
    own: Vector = A - (np.bincount(y, A) / np.bincount(y, B))[y] * B
    return own


def _inside(members: Members, s: Vector, theta: float, units: Any) -> Vector:
    """Return Σ π (k − θ) over those pairs of each row whose two rows are of one unit."""
    of = members.blocks
    rows, shares, upper = of.rows, of.a + of.b, of.key == 0
    unit = np.unique(units, return_inverse=True)[1][rows]
    cell = np.unique(of.group * (int(unit.max()) + 1) + unit, return_inverse=True)[1]
    try:
        inner = Members.of_blocks(members.n, rows, cell, upper, shares)
    except NoPairsError:
        return np.zeros(members.n)
    masses = [np.bincount(cell[side], shares[side], cell.max() + 1) for side in (upper, ~upper)]
    _, A, B = concordance(inner, s)
    own: Vector = float(masses[0] @ masses[1]) * (A - theta * B)
    return own


def _groups(members: Members) -> tuple[int, int]:
    """Return how many groups are left out, and how many there are."""
    return members.left_out, members.left_out + members.blocks.count


@dataclass(frozen=True)
class _Weighted(Time):
    """Pairs of survival times that count by the censoring of other rows."""

    censoring: Censoring | None = None

    def members(self, data: Data, rows: Block = ALL) -> Members:
        """Return the comparable pairs."""
        if not isinstance(data.target, Survival):
            return super().members(data, rows)  # which refuses
        return self.of(data.target, rows, self.censoring)


def _uncensored(pairs: Pairs, fold: Rows) -> Pairs:
    """Return the pairs, with the censoring of the training rows where pairs count by it."""
    learnt = fold.learnt if isinstance(fold, TargetRows) else None
    if learnt is None or not isinstance(pairs, Time) or pairs.weight != "ipcw":
        return pairs
    return _Weighted(pairs.tau, pairs.weight, Censoring.of(learnt.time, learnt.event))


def _judged(fold: Rows) -> tuple[Data, Vector]:
    """Return target and groups of test rows, and their scores."""
    if isinstance(fold, TargetRows):
        return fold.data, fold.scores
    assert isinstance(fold, Fold)
    y = np.where(fold.positive, np.int8(1), np.int8(-1))
    return bare(Labels(y, fold.uneven), fold.groups), fold.scores
