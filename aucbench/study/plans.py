"""The tasks of the study and the plans of its parts, from tasks.csv and protocol.toml.

All choices of the study are in these files: the code has no number and no name of its own. Tasks
with groups, times or text are in apart.csv, and are reported apart.
"""

from __future__ import annotations

import csv
import re
import tomllib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.bench import Choice, Plan
from aucbench.bench.codec import load
from aucbench.registry.specs import parse_spec

FOLDER = Path(__file__).parent
TASKS, APART, PROTOCOL = (FOLDER / name for name in ("tasks.csv", "apart.csv", "protocol.toml"))
CAP = re.compile(r",?\brows=\d+")


@dataclass(frozen=True, slots=True)
class Task:
    """A row of tasks.csv: a binary question that is asked of a table.

    Attributes
    ----------
    task, dataset, group : str
        Its name, its data set, and its source: tasks of one group count once.
    all_rows, features : int
        Rows of the source, and features before any encoding.
    rarer : float
        Share of the rarer class.
    content : str
        numbers, categories or mixed.
    fewest : int
        Rows of the rarer class.
    apart : str
        Why it is reported apart: "groups", "time" or "text"; empty for those of tasks.csv.
    """

    task: str
    dataset: str
    group: str
    all_rows: int
    features: int
    rarer: float
    content: str
    fewest: int
    apart: str = ""

    def capped(self, rows: int) -> str:
        """Return the data set with at most so many rows."""
        bare = CAP.sub("", self.dataset).replace("[,", "[").replace("[]", "")
        if self.all_rows <= rows:
            return bare
        cap = f"rows={rows}"
        return f"{bare[:-1]},{cap}]" if bare.endswith("]") else f"{bare}[{cap}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPart:
    """A table of protocol.toml: solvers and effort of one results folder.

    Attributes
    ----------
    arms : tuple of str
        The names of cells that are tuned, and of those that are not.
    rows : int
        Rows of a task, at most.
    tune_evals, inner_splits : int
        Points of a search, and its folds of the training rows.
    timeout, memory : int
        Limits of a cell, in seconds and megabytes.
    tuned, self_tuned, untuned : tuple of str
        Solvers that are tuned, that are fitted once in both arms, and that are fitted once.
    defaults_of_tuned : bool
        Whether each tuned solver is also fitted with its default parameters.
    splits, holdout : int or float, optional
        Folds, or the share of held-out rows.
    tune_seconds : float, optional
        Limit of a search and the last fit together.
    apart : str
        Takes the tasks of apart.csv with this word; empty: those of tasks.csv.
    few : bool, optional
        Whether only tasks of few rows are taken, or only others; see `StudyPart.has_few`.
    one_of_each_group : bool
        Whether only the first task of each group is taken.
    least_rows, least_features : int
        Rows that the source of a task must have, and columns.
    most_tasks : int, optional
        Number of tasks, at most.
    most_features : tuple of int
        Numbers of features at which solvers are compared: each is an arm, such as sparse-5, where
        a solver has the fit of its path with the most features that are not more.
    few_rows, least_rarer : int
        A task has few rows if its source has at most so many, and so many of the rarer class.
    """

    arms: tuple[str, str]
    rows: int
    tune_evals: int
    inner_splits: int
    timeout: int
    memory: int
    tuned: tuple[str, ...] = ()
    self_tuned: tuple[str, ...] = ()
    untuned: tuple[str, ...] = ()
    defaults_of_tuned: bool = False
    splits: int | None = None
    holdout: float | None = None
    tune_seconds: float | None = None
    apart: str = ""
    few: bool | None = None
    one_of_each_group: bool = False
    least_rows: int = 0
    least_features: int = 0
    most_tasks: int | None = None
    most_features: tuple[int, ...] = ()
    few_rows: int = 0
    least_rarer: int = 0

    def choices(self) -> list[Choice]:
        """Return the solvers with and without tuning."""
        once = (*self.self_tuned, *(self.tuned if self.defaults_of_tuned else ()), *self.untuned)
        return [
            *(Choice(parse_spec(name), tune=True) for name in self.tuned),
            *(Choice(parse_spec(name)) for name in once),
        ]

    def has_few(self, task: Task) -> bool:
        """Return whether more folds cost little, and leave enough rows of each class in each."""
        return task.all_rows <= self.few_rows and task.fewest >= self.least_rarer

    def tasks_of(self, tasks: Sequence[Task]) -> list[Task]:
        """Return the tasks that this part takes, in their order."""
        taken = [
            task
            for task in tasks
            if task.apart == self.apart
            and task.all_rows >= self.least_rows
            and task.features >= self.least_features
            and self.few in (None, self.has_few(task))
        ]
        if self.one_of_each_group:
            first: dict[str, Task] = {}
            for task in taken:
                first.setdefault(task.group, task)
            taken = [*first.values()]
        return taken[: self.most_tasks]


@dataclass(frozen=True, slots=True)
class KindBounds:
    """The upper ends of the ranges of rows, features and the share of the rarer class."""

    rows: tuple[int, ...]
    features: tuple[int, ...]
    rarer: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """What `aucbench study` runs, see protocol.toml."""

    parts: tuple[str, ...]
    reference: str
    at_once: int


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(PROTOCOL.read_text(encoding="utf-8"))


@cache
def parts() -> dict[str, StudyPart]:
    """Return the parts of the study by their names, the main one first.

    A part has the values of the one that it is `like`, where it says nothing else.
    """
    found: dict[str, dict[str, Any]] = {}
    for name, table in _tables().items():
        if name not in ("kinds", "command"):
            own = {key: value for key, value in table.items() if key != "like"}
            found[name] = {**found.get(table.get("like", ""), {}), **own}
    return {name: load(table, StudyPart) for name, table in found.items()}


@cache
def kind_bounds() -> KindBounds:
    """Return how tasks are divided into kinds."""
    return load(_tables()["kinds"], KindBounds)


@cache
def command_options() -> CommandOptions:
    """Return what the protocol says of the command."""
    return load(_tables()["command"], CommandOptions)


def main_parts() -> tuple[StudyPart, ...]:
    """Return the parts whose arms a new solver joins; each task belongs to one of them.

    They have the same arms, solvers and limits, and differ in their folds.
    """
    return tuple(parts()[name] for name in command_options().parts)


def part_of(task: Task) -> StudyPart:
    """Return the main part that takes a task of tasks.csv."""
    return next(part for part in main_parts() if part.tasks_of([task]))


def tasks(*, apart: bool = False) -> list[Task]:
    """Return the tasks in a random order, which is always the same; those that are apart last.

    So a run that is cut short has a random part of them.
    """
    known = _read(TASKS)
    order = np.random.default_rng(0).permutation(len(known))
    return [*(known[at] for at in order), *(_read(APART) if apart else ())]


def _read(path: Path) -> list[Task]:
    with path.open(newline="", encoding="utf-8") as file:
        return [*map(_task_of, csv.DictReader(file))]


def _task_of(line: dict[str, str]) -> Task:
    share, positives = float(line["share"]), int(line["positives"])
    return Task(
        task=line["task"],
        dataset=line["dataset"],
        group=line["group"],
        all_rows=int(line["all_rows"]),
        features=int(line["features"]),
        rarer=min(share, 1.0 - share),
        content=line["kind"],
        fewest=min(positives, int(line["rows"]) - positives),
        apart=line.get("apart", ""),
    )


@cache
def every_kind() -> tuple[tuple[str, ...], ...]:
    """Return the kinds of tasks: by rows, by features, by the rarer class, and by content."""
    bounds = kind_bounds()
    return (
        _ranges(bounds.rows, "{} rows"),
        _ranges(bounds.features, "{} features"),
        _ranges([100 * end for end in bounds.rarer], "{} % in the rarer class"),
        ("numbers only", "with categories"),
    )


def _ranges(ends: Sequence[float], text: str) -> tuple[str, ...]:
    between = (f"more than {low:g} and at most {high:g}" for low, high in pairwise(ends))
    ranges = (f"at most {ends[0]:g}", *between, f"more than {ends[-1]:g}")
    return tuple(map(text.format, ranges))


def kinds_of(task: Task, rows: int) -> tuple[str, ...]:
    """Return the kinds of a task, of which at most `rows` rows are taken."""
    bounds = kind_bounds()
    places = (
        bisect_left(bounds.rows, min(task.all_rows, rows)),
        bisect_left(bounds.features, task.features),
        bisect_left(bounds.rarer, task.rarer),
        int(task.content != "numbers"),
    )
    return tuple(kinds[place] for kinds, place in zip(every_kind(), places, strict=True))


def spread(tasks: Sequence[Task], rows: int) -> list[Task]:
    """Return tasks so that the first ones, however many, are of all kinds.

    Next is always a task of the group that was taken least often; of these, one whose kinds were
    taken least often; of these, the first.
    """
    left = {task: kinds_of(task, rows) for task in tasks}
    groups, taken = Counter[str](), Counter[str]()
    order = list[Task]()

    def place(task: Task) -> tuple[int, int]:
        return groups[task.group], sum(taken[kind] for kind in left[task])

    while left:
        chosen = min(left, key=place)
        order.append(chosen)
        groups[chosen.group] += 1
        taken.update(left.pop(chosen))
    return order


def plan_of(
    part: StudyPart, tasks: Sequence[Task], solvers: Sequence[Choice | str] | None = None
) -> Plan:
    """Return the plan of a part on the tasks that it takes; `solvers` replace its own.

    Tasks of one group are a family of the plan.
    """
    taken = part.tasks_of(tasks)
    families = defaultdict(list)
    for task in taken:
        families[task.group].append(task.capped(part.rows))
    return Plan.of(
        {
            "data": tuple(task.capped(part.rows) for task in taken),
            "solvers": part.choices() if solvers is None else solvers,
            "splits": part.splits,
            "holdout": part.holdout,
            "tune_evals": part.tune_evals,
            "tune_seconds": part.tune_seconds,
            "inner_splits": part.inner_splits,
            "timeout": part.timeout,
            "memory": part.memory,
            "families": {
                name: tuple(members) for name, members in families.items() if len(members) > 1
            },
        }
    )
