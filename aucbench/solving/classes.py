"""Three or more classes: one fit for each class against the rest.

Design
  a. The loss of Hand and Till is the mean over the classes of the loss of all pairs of a class
     against the rest, where all classes weigh the same. Each term has scores of its own, so that
     K fits to weighted labels minimise it, and the mean of their gaps is its gap.
  b. A solver that draws pairs draws them by their weights. Another one that ignores weights cannot
     train it. Its fits are one-vs-rest, where rows weigh the same. If the pairs were not asked for,
     it takes these, and `Run.trained_on` says so.
  c. Fits are done one after another, so that one problem is in memory. A limit of passes is that of
     each fit; a limit of seconds is divided among those that are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import hypot
from statistics import fmean
from typing import Any

from aucbench.contract import Solver
from aucbench.data import Categories, Data
from aucbench.data.targets import Labels
from aucbench.errors import DataError
from aucbench.pairs.classes import ByClass, Weighted
from aucbench.records import Point, Run, Stop

KIND = ByClass.kind
ONE_VS_REST = "class[each=rest]"  # the pairs of a solver without weights
ENDS = (  # of several fits the first of these is that of all
    *(Stop.INVALID, Stop.STALLED, Stop.SECONDS, Stop.PASSES, Stop.FINISHED, Stop.CERTIFIED),
)


def pairs_trained(solver: Solver, data: Data) -> ByClass:
    """Return the pairs of a fit: those asked for, or else those that the solver can learn."""
    if data.pairs is not None:
        return _of_classes(data.pairs)
    return ByClass("classes" if learns_class_pairs(solver) else "rest")


def trained_on(solver: Solver, data: Data) -> str:
    """Return the pairs that a solver takes in place of those of the target; mostly empty."""
    asked = data.pairs is not None or not isinstance(data.target, Categories)
    return "" if asked or pairs_trained(solver, data).each == "classes" else ONE_VS_REST


def learns_class_pairs(solver: Solver) -> bool:
    """Whether it takes weights of rows, or draws pairs by theirs."""
    return _weighs(solver) or f"{KIND}-pairs" in solver.needs.capabilities


def _of_classes(pairs: Any) -> ByClass:
    if not isinstance(pairs, ByClass):
        raise DataError(
            f"the rows have three or more classes, whose pairs are those of ByClass, and "
            f"{type(pairs).__name__} was given; leave pairs out"
        )
    return pairs


def against_rest(solver: Solver, data: Data) -> Iterator[Data]:
    """Yield the rows for the fit of each class, with labels of two classes."""
    for labels in pairs_trained(solver, data).labels(data):
        if labels.weights is None or _weighs(solver):
            yield replace(data, target=labels, pairs=None)
        else:
            yield replace(data, target=Labels(labels.y), pairs=Weighted(labels.weights))


def _weighs(solver: Solver) -> bool:
    """Whether it takes weights of rows."""
    return "weights" in solver.needs.capabilities


def join_runs(runs: Sequence[Run], trained_on: str = "") -> Run:
    """Return the run of all classes; its curve has the points of the fit with the most passes."""
    stop = min((run.stop for run in runs), key=ENDS.index)
    cpu = [run.cpu_seconds for run in runs]
    places = align_points([[point.passes for point in run.points] for run in runs])
    points = (
        join_points([run.points[j] for run, j in zip(runs, at, strict=True)]) for at in places
    )
    return Run(
        None,
        runs[0].scorer,
        stop,
        tuple(points),
        cpu_seconds=None if None in cpu else sum(filter(None, cpu)),
        parts=tuple(runs),
        trained_on=trained_on,
    )


def align_points(passes: Sequence[Sequence[float]]) -> list[tuple[int, ...]]:
    """Return for each point of a joint curve which point of each fit it is made of.

    The joint curve has the passes of the fit that lasts longest. There it takes the latest point
    of each fit that has come so far; one that has ended keeps its last point.

    Parameters
    ----------
    passes : sequence of sequences of float
        Those of the points of each fit, ascending.
    """
    longest = max(passes, key=lambda own: own[-1])
    return [
        tuple(max(sum(1 for q in own if q <= p) - 1, 0) for own in passes) for p in longest[:-1]
    ] + [tuple(len(own) - 1 for own in passes)]


def join_points(points: Sequence[Point]) -> Point:
    """Return the point of all classes: passes, objective and gap are means, seconds a sum."""
    values, gaps, lengths = (
        [getattr(point, name) for point in points] for name in ("objective", "gap", "residual")
    )
    return Point(
        step=sum(point.step for point in points),
        passes=fmean(point.passes for point in points),
        seconds=sum(point.seconds for point in points),
        objective=None if None in values else fmean(values),
        gap=None if None in gaps else fmean(gaps),
        residual=None if None in lengths else hypot(*lengths) / len(lengths),
    )
