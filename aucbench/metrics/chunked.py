"""The AUC of more scores than memory holds: bounds from one reading, or the value itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import inf, nextafter
from typing import Any, Literal

from aucbench.datasets.chunked import open_parts
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import ParameterError, UnsupportedError, require_above
from aucbench.metrics.partial import Range
from aucbench.scale.auc_bins import Counted, ScoreCounts, counted, outward
from aucbench.scale.engines import Engine, Here
from aucbench.scale.exact_auc import exact_masses, exact_twice
from aucbench.scale.grouped_auc import grouped_auc
from aucbench.scale.partial_auc import Clip, exact_area
from aucbench.scale.parts import Parts
from aucbench.stats.mixture import mixture_beta
from aucbench.stats.words import LEVEL, Interval, require_level

FEW = 1 << 22  # rows whose AUC is always exact: they take no more memory than the bins
A_SCORE = 16  # bytes of a score that is sorted, with the spare place for it
WEIGHED, GROUPED = 4, 10  # places of a score with its weight, and of one with its group


@dataclass(frozen=True, slots=True)
class AucBounds:
    """An AUC that lies between `low` and `high` for certain.

    Attributes
    ----------
    measure : str
        auc, pauc[max_fpr=...] or gauc[each=...].
    low, high : float
        Bounds for the scores that were read. An equal pair is the value, rounded once. A weighted
        AUC that is known lies between two neighbouring floats, or is one.
    n_pos, n_neg : int
        Rows of each class.
    readings : int
        How often all rows were read.
    interval : Interval or None
        DeLong's interval of the AUC on more rows like these; None for weights, groups and parts of
        the curve.
    note : str
        What was left out; empty if nothing was.
    """

    measure: str
    low: float
    high: float
    n_pos: int
    n_neg: int
    readings: int
    interval: Interval | None = None
    note: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether the bounds are equal, or neighbouring floats."""
        return self.high <= nextafter(self.low, inf)


def auc_in_chunks(
    parts: Parts,
    *,
    exact: bool = False,
    weighted: bool = False,
    max_fpr: float | None = None,
    groups: Literal["pair", "group"] | None = None,
    memory: float = 1000.0,
    level: float = LEVEL,
    engine: Engine | None = None,
) -> AucBounds:
    """Bounds of the AUC of scores in parts, or the AUC itself.

    One reading counts the scores of both classes in about 1.3 million bins, of which the bounds
    follow; they are about 1e-6 apart. If some parts differ so much from others that the bounds are
    wider, a second reading has other bins. With `exact`, and up to 4 million rows, further readings
    sort the scores of one range after another. Then the value has the same bits as `auc`.

    Parameters
    ----------
    parts : Parts
        Its first column is the score. Where groups are asked for, the second one is the group.
    exact : bool
        Whether the AUC itself is wanted. With weights, bounds of about 1e-11 are, because weights
        are counted in units of their largest one.
    weighted : bool
        Whether a pair counts for the product of the weights of its rows.
    max_fpr : float, optional
        The largest false-positive rate of the part of the ROC curve, in (0, 1]; the value is that
        of `partial_auc`, on McClish's scale.
    groups : {"pair", "group"}, optional
        Only pairs of one group count. pair: each pair the same; group: each group. It is exact.
    memory : float
        MB for the scores of a range, for exact values and groups.
    level : float
        Of the interval, in (0, 1).
    engine : Engine, optional
        What reads the parts; None: threads of this process.

    Raises
    ------
    DataError
        When a score is NaN, a weight is no finite number above 0, a class is missing, parts change
        while they are read, or scores that must be sorted together do not fit.
    ParameterError
        When a parameter is out of its range.
    UnsupportedError
        When weights, groups and `max_fpr` are asked for together.
    """
    require_above(0.0, memory=memory)
    require_level(level)
    if weighted + (max_fpr is not None) + (groups is not None) > 1:
        raise UnsupportedError(
            "weights, groups and max_fpr are not computed together from parts; give one of them, "
            "or load all rows and call the measure of aucbench.metrics"
        )
    engine, room = engine or Here(), max(1, int(memory * 2**20 / A_SCORE))
    if groups is not None:
        return _grouped(parts, engine, groups, max(1, room // GROUPED))
    part = None if max_fpr is None else Range(max_fpr)
    known = counted(parts, engine, weighted=weighted)
    wanted = (exact or parts.n <= FEW) and bool(known.counts.mixed.any())
    if part is not None:
        return _partial(known, part, partial(exact_area, parts, engine) if wanted else None, room)
    readings, counts = known.readings, known.counts
    low, high = counts.bounds
    if wanted and known.unit is not None:
        (low, high), more = exact_masses(parts, engine, known, max(1, room // WEIGHED))
        readings += more
    elif wanted:
        twice, more = exact_twice(parts, engine, known, room)
        low = high = twice / (2 * counts.n_pos * counts.n_neg)
        readings += more
    interval = None if weighted else _interval(counts, low, high, level)
    return AucBounds("auc", low, high, counts.n_pos, counts.n_neg, readings, interval)


def auc_of_file(
    source: str | os.PathLike[str],
    score: str | int = "score",
    *,
    reading: ReadOptions | None = None,
    each: Literal["pair", "group"] | None = None,
    exact: bool = False,
    max_fpr: float | None = None,
    memory: float = 1000.0,
    level: float = LEVEL,
    engine: Engine | None = None,
    tell: Callable[[str], object] | None = None,
    **options: Any,
) -> AucBounds:
    """Bounds of the AUC of the scores in files, or the AUC itself; see `auc_in_chunks`.

        auc_of_file("scores/*.parquet", "probability", target="died", exact=True)

    Parameters
    ----------
    source : str or path
        Files as `aucbench.datasets.chunked.open_parts` reads them: Parquet, or CSV, which is first
        written as Parquet into the user's cache.
    score : str or int
        The column of the scores.
    reading : ReadOptions, optional
        Which column has the labels, and which labels are positive. Where it names `weights`, a pair
        counts for the product of them; where it names `groups`, only pairs of one group count. The
        column of groups holds numbers.
    each : {"pair", "group"}, optional
        What counts the same where there are groups; None: each pair.
    exact, max_fpr, memory, level, engine :
        As for `auc_in_chunks`.
    tell : function (str), optional
        Called with what is done besides reading.
    **options
        Fields of `reading` in place of it, such as `target`.

    Raises
    ------
    DataError, ParameterError, UnsupportedError
        As `open_parts` and `auc_in_chunks`.
    """
    asked = ReadOptions(**((reading.options() if reading else {}) | options))
    grouped, weighted = asked.groups is not None, asked.weights is not None
    if each is not None and not grouped:
        raise ParameterError(f"each={each!r} is for groups; name their column with groups, too")
    columns = [score] if asked.groups is None else [score, asked.groups]
    parts = open_parts(source, replace(asked, groups=None), columns=columns, tell=tell)
    return auc_in_chunks(
        parts,
        exact=exact,
        weighted=weighted,
        max_fpr=max_fpr,
        groups=(each or "pair") if grouped else None,
        memory=memory,
        level=level,
        engine=engine,
    )


def _interval(counts: ScoreCounts, low: float, high: float, level: float) -> Interval:
    """Return the interval of `stats.auc_interval`, as wide as the bounds leave it."""
    variances, sizes = counts.variance, (counts.n_pos, counts.n_neg)
    total, rows = sum(variances), min(sizes)
    below = sum(v * v / (n - 1.0) for v, n in zip(variances, sizes, strict=True) if v > 0.0)
    degrees = total * total / below if below else inf
    full = rows < 2 or total == 0.0
    ends = [mixture_beta(A, total, degrees, rows, level, full=full) for A in (low, high)]
    return Interval((low + high) / 2.0, ends[0][0], ends[1][1], level, "DeLong, mixture beta")


def _partial(
    known: Counted, part: Range, area: Callable[..., tuple[Fraction, int]] | None, room: int
) -> AucBounds:
    """Return bounds of a part of the ROC curve, or its area."""
    counts, readings = known.counts, known.readings
    most = 2 * counts.n_pos * counts.n_neg * Fraction(part.max_fpr)
    low, high = Clip.of(counts, part.max_fpr).bounds(counts)
    if area is not None:
        low, more = area(known, room, part.max_fpr)
        high, readings = low, readings + more
    ends = outward(
        part.scaled(float(low / most)), part.scaled(float(high / most)), exact=low == high
    )
    name = f"pauc[max_fpr={part.max_fpr!r}]"
    return AucBounds(name, *ends, counts.n_pos, counts.n_neg, readings)


def _grouped(parts: Parts, engine: Engine, each: Literal["pair", "group"], room: int) -> AucBounds:
    if each not in ("pair", "group"):
        raise ParameterError(f"groups is {each!r}; give 'pair' or 'group'")
    told = grouped_auc(parts, engine, room)
    value = told.per_pair if each == "pair" else told.per_group
    note = f"{told.left_out} groups of one class are left out." if told.left_out else ""
    name = "gauc" if each == "pair" else "gauc[each=group]"
    return AucBounds(name, value, value, told.n_pos, told.n_neg, told.readings, None, note)
