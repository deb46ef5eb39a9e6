"""The charts and tables of experiments: a closed list of forms, made of the lines of a paper.

A drawing of the file of a paper has a `form` and the keys of this form, see `FORMS`. Its titles may
name {row}, {method} and other values of the lines that it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import isnan
from typing import Any

import numpy as np

from aucbench.papers.claims import find_means, mean_range, mean_series
from aucbench.papers.parts import AUC, Form, Line, Plain, check_form, require_keys
from aucbench.papers.results import Curve, Results, value_of
from aucbench.report.chart import Chart
from aucbench.report.grid import Grid, Value
from aucbench.stats.vectors import Vector

PASSES = np.concatenate([np.arange(1.0, 20.0), np.arange(20.0, 301.0, 5.0)])  # of mean curves
POINTS = 60  # of a median curve
Shown = Iterator[Chart | Grid | str]
Points = tuple[Sequence[float], Sequence[float]]


def draw(results: Results) -> Shown:
    """Yield the drawings of an experiment.

    With `each`, there is one for each combination of some values of the lines. Neighbours with the
    same `each` are drawn in turn for a combination, before the next one.
    """
    for each, some in groupby(results.experiment.drawings, lambda one: one.get("each", ())):
        groups: dict[tuple[Any, ...], list[tuple[Plain, list[Line]]]] = {}
        for drawing in some:
            by: dict[tuple[Any, ...], list[Line]] = {}
            for line in results.select(drawing.get("of", {})):
                by.setdefault(tuple(value_of(line, key) for key in each), []).append(line)
            for values, lines in by.items():
                groups.setdefault(values, []).append((drawing, lines))
        for values, drawn in groups.items():
            for drawing, lines in drawn:
                words = dict(zip(each, values, strict=True))
                yield from FORMS[drawing["form"]].use(results, drawing, words, lines)


def check_drawing(drawing: Plain) -> None:
    """Refuse a drawing as `check_form` does, and columns with keys that are not known."""
    check_form("drawing", drawing, FORMS)
    for column in drawing.get("columns", ()):
        require_keys("a column", column, OF_COLUMN)


def _chart(drawing: Plain, words: Plain, lines: Mapping[str, Points]) -> Shown:
    """Yield a chart with the titles of a drawing, if it has some line."""
    if lines:
        title, x, y = (drawing[key].format(**words) for key in OF_CHART)
        log_x, log_y = (drawing.get(key, False) for key in ("log_x", "log_y"))
        yield Chart(title, x, y, lines, log_x=log_x, log_y=log_y)


def _means(results: Results, drawing: Plain, words: Plain, lines: Sequence[Line]) -> Shown:
    """Yield charts of the mean of a measure against a value of the lines, by method.

    With `published`, the numbers of the paper are lines too; `also` has lines that are given.
    """
    along, measure = drawing["along"], drawing.get("measure", AUC)
    means = find_means(results, lines, along, measure)
    shown: dict[str, Points] = {}
    for method in dict.fromkeys(line.method for line in lines):
        if ours := means.get(method):
            shown[method] = ([*ours], [*ours.values()])
        if drawing.get("published"):
            own = [line for line in lines if line.method == method]
            printed = {value_of(x, along): results.published(x, measure) for x in own}
            theirs = {at: number.mean for at, number in printed.items() if number}
            if theirs:
                shown[f"{method}, published"] = ([*theirs], [*theirs.values()])
    yield from _chart(drawing, words, {**shown, **drawing.get("also", {})} if shown else {})


def _curves(results: Results, drawing: Plain, words: Plain, lines: Sequence[Line]) -> Shown:
    """Yield charts of curves along the fits: their `mean`, or their `median`.

    `curves` has the curve of each method if these differ, and `label` names the lines.
    """
    shown = {}
    for line in _ordered(lines, drawing):
        curve = drawing.get("curves", {}).get(line.method, drawing.get("curve"))
        curves = [*results.curves(line, curve, drawing.get("against", "passes")).values()]
        name = drawing["label"].format(**{**line.at, "row": line.row, "method": line.method})
        if curves and drawing["centre"] == "mean":
            shown[name] = _mean_curve(curves)
        elif curves:
            shown[name] = _median_curve(curves, log=drawing.get("log_y", False))
    yield from _chart(drawing, words, shown)


def _mean_curve(curves: Iterable[Curve]) -> Points:
    """Return the mean over the runs at the passes of `PASSES`."""
    return [*PASSES], [*np.mean([np.interp(PASSES, x, y) for x, y in curves], axis=0)]


def _median_curve(curves: Sequence[Curve], *, log: bool = False) -> Points:
    """Return the median over the runs, at x equally far apart in log(x).

    With `log`, y is taken between its points by its logarithm.
    """
    low, high = min(x[0] for x, _ in curves), max(x[-1] for x, _ in curves)
    grid = np.geomspace(low, high, POINTS)
    heights = [(x, np.log(y) if log else y) for x, y in curves]
    middle = np.median([np.interp(grid, x, y) for x, y in heights], axis=0)
    return grid.tolist(), (np.exp(middle) if log else middle).tolist()


def _shares(results: Results, drawing: Plain, words: Plain, lines: Sequence[Line]) -> Shown:
    """Yield charts of the share of the runs with at most x of a measure, by method."""
    shown: dict[str, Points] = {}
    for line in lines:
        values = np.sort(_drop_missing(results.values(line, drawing["measure"])))
        if values.size:
            shown[line.method] = ([*values], [(k + 1) / values.size for k in range(values.size)])
    yield from _chart(drawing, words, shown)


def _given(results: Results, drawing: Plain, words: Plain, lines: Sequence[Line]) -> Shown:
    """Yield a chart of lines that the file has."""
    yield from _chart(drawing, words, drawing["lines"])


def _table(results: Results, drawing: Plain, words: Plain, lines: Sequence[Line]) -> Shown:
    """Yield a text and a table for each group, with a line for each value of `by`.

    A column has a `title`. It shows a value of the lines, by its `key`; or a `statistic` of a
    `measure` of the lines, or of those of a `method`, as a text if it has a `text` form. Lines
    without results are left out, and with `whole` those that lack a number.
    """
    columns = drawing["columns"]
    by: dict[tuple[Any, ...], list[Line]] = {}
    for line in _ordered(lines, drawing):
        by.setdefault(tuple(value_of(line, key) for key in drawing["by"]), []).append(line)
    table = []
    for some in by.values():
        cells = [_cell(results, some, column) for column in columns]
        ours = [x for x, c in zip(cells, columns, strict=True) if "measure" in c]
        if any(x is not None for x in ours) and (None not in ours or not drawing.get("whole")):
            table.append([_text(x, c) for x, c in zip(cells, columns, strict=True)])
    if table:
        if "title" in drawing:
            yield drawing["title"].format(**words)
        yield Grid([column["title"] for column in columns], table)


def _ordered(lines: Sequence[Line], drawing: Plain) -> list[Line]:
    """Return lines with equal values of the key `order` beside each other."""
    key = drawing.get("order", "")
    order = [*dict.fromkeys(value_of(line, key) for line in lines)]
    return sorted(lines, key=lambda line: order.index(value_of(line, key)))


def _cell(results: Results, lines: Sequence[Line], column: Plain) -> Any:
    """Return what a column shows of some lines; None if they have no such number."""
    if "key" in column:
        return value_of(lines[0], column["key"])
    some = [line for line in lines if column.get("method") in (None, line.method)]
    measure = column.get("measure", AUC)
    if column["statistic"] == "growth":
        slopes = mean_series(results, some, measure, 10.0, column["along"])
        return str(mean_range([*slopes.values()])) if slopes else None
    if "published" in column["statistic"]:
        return _published(results, some, column)
    each = [results.values(line, measure) for line in some]
    values = _drop_missing(np.concatenate([np.empty(0), *each]))
    if not values.size:
        return None
    if column["statistic"] == "spread":
        sd = float(values.std(ddof=1)) if values.size > 1 else None
        return spread(float(values.mean()), sd)
    if column["statistic"].endswith("sets"):
        values = np.array(_means_of_sets(results, some, measure))
    return STATISTICS[column["statistic"]](values)


def _published(results: Results, lines: Sequence[Line], column: Plain) -> float | None:
    """Return the published number of the first line, or this divided by our mean."""
    printed = results.published(lines[0], column.get("measure", AUC))
    if printed is None:
        return None
    if column["statistic"] == "published":
        return printed.mean
    ours = _cell(results, lines, {**column, "statistic": "mean"})
    return None if ours is None else printed.mean / float(ours)


def _means_of_sets(results: Results, lines: Sequence[Line], measure: str) -> list[float]:
    """Return the mean over the splits of each data set."""
    by_set: dict[int, list[float]] = {}
    for line in lines:
        for run, value in results.series(line, measure).items():
            by_set.setdefault(run[0], []).append(value)
    return [float(np.nanmean(values)) for values in by_set.values()]


def _drop_missing(values: Vector) -> Vector:
    numbers: Vector = values[~np.isnan(values)]
    return numbers


def _text(value: Any, column: Plain) -> Value:
    """Return a cell of a table: a number, or a text in the form that the column asks for."""
    if "text" not in column:
        shown: Value = value
        return shown
    if value is None:
        return "–"
    if column["text"] == "short":
        return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"
    return f"{value:{column['text']}}"


def spread(mean: float, sd: float | None, digits: int = 4) -> str:
    """Return "0.8275 ± 0.0302"; so many decimals of what is at most 1, else significant digits."""
    if isnan(mean):
        return "–"
    form = f".{digits}{'f' if abs(mean) <= 1 else 'g'}"
    return f"{mean:{form}}" if sd is None or isnan(sd) else f"{mean:{form}} ± {sd:{form}}"


STATISTICS: Mapping[str, Callable[[Vector], float]] = {
    "mean": lambda values: float(values.mean()),
    "median": lambda values: float(np.median(values)),
    "largest": lambda values: float(values.max()),
    "number of sets": len,
    "lowest of sets": lambda values: float(values.min()),
    "median of sets": lambda values: float(np.median(values)),
    "highest of sets": lambda values: float(values.max()),
}
OF_COLUMN = {"title", "key", "statistic", "measure", "method", "along", "text"}
OF_CHART = ("title", "x", "y")


CHOSEN = ("of", "each", "log_x", "log_y")
FORMS: Mapping[str, Form] = {
    "means": Form(_means, (*OF_CHART, "along"), ("measure", "published", "also", *CHOSEN)),
    "curves": Form(
        _curves, (*OF_CHART, "label", "centre"), ("curve", "curves", "against", "order", *CHOSEN)
    ),
    "shares": Form(_shares, (*OF_CHART, "measure"), CHOSEN),
    "given": Form(_given, (*OF_CHART, "lines"), ("log_x", "log_y")),
    "table": Form(_table, ("by", "columns"), ("title", "of", "each", "order", "whole")),
}
