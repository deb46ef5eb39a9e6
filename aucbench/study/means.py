"""Means of a solver on tasks: the published ones of the package, and rows like them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from hashlib import sha256
from math import isnan, nan
from pathlib import Path
from statistics import fmean, median

from aucbench.bench.results.record import Record
from aucbench.study.plans import FOLDER, Task, main_parts, tasks

MEANS = FOLDER / "means.csv"
DIGITS = ".5g"


@dataclass(frozen=True, slots=True)
class TaskMean:
    """What a solver has reached on a task, over the folds.

    Attributes
    ----------
    task, arm, solver : str
        The task, how the solver was tuned, and the solver.
    auc : float
        Mean AUC of the test rows; NaN where a fold failed.
    fit_seconds, tune_seconds : float
        Medians of the seconds of the last fit and of tuning; NaN where a fold failed.
    """

    task: str
    arm: str
    solver: str
    auc: float
    fit_seconds: float
    tune_seconds: float

    @property
    def seconds(self) -> float:
        """Seconds of tuning and fit."""
        return self.fit_seconds + self.tune_seconds


COLUMNS = tuple(field.name for field in fields(TaskMean))


def mean_of(task: str, arm: str, solver: str, records: Sequence[Record]) -> TaskMean:
    """Return the mean of the records of all folds, with the digits of the published means."""
    if not all(record.ok for record in records):
        return TaskMean(task, arm, solver, nan, nan, nan)
    measures = [record.measures for record in records]
    values = (
        fmean(one.auc for one in measures if one.auc is not None),
        median(one.fit_seconds or 0.0 for one in measures),
        median(one.tune_seconds or 0.0 for one in measures),
    )
    return TaskMean(task, arm, solver, *(float(format(value, DIGITS)) for value in values))


@cache
def published_means() -> tuple[TaskMean, ...]:
    """Return the means that come with the package."""
    with MEANS.open(newline="", encoding="utf-8") as file:
        return tuple(
            TaskMean(
                line["task"],
                line["arm"],
                line["solver"],
                *(float(line[name] or nan) for name in COLUMNS[3:]),
            )
            for line in csv.DictReader(file)
        )


@cache
def published_tasks() -> tuple[Task, ...]:
    """Return the tasks of the main parts that have published means, in the order of `tasks`."""
    arms = {arm for part in main_parts() for arm in part.arms}
    known = {one.task for one in published_means() if one.arm in arms}
    return tuple(task for task in tasks() if task.task in known)


@cache
def published_solvers() -> frozenset[str]:
    """Return the names of all solvers that have published means."""
    return frozenset(one.solver for one in published_means())


def format_means(means: Iterable[TaskMean]) -> str:
    """Return means as a table of text, in the form of the published ones."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for one in means:
        rows.writerow(value if isinstance(value, str) else _cell(value) for value in astuple(one))
    return text.getvalue()


def _cell(value: float) -> str:
    return "" if isnan(value) else format(value, DIGITS)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()
