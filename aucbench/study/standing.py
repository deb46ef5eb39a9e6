"""Where a solver stands among the published means of the study: words, tables, a page and rows.

Design
  a. The words are those of `judge` on the published means of the tasks that the solver has
     finished and its own, with groups of tasks as families and the solver as the reference.
  b. A published solver of the same name is not compared with itself: its own rows take the place
     of the published ones, and a sentence says whether both are equal.
  c. Seconds of another machine are compared by one factor: the median ratio of the seconds of a
     reference here to its published ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from statistics import median

import numpy as np
import pandas as pd

from aucbench.judging.options import Columns, JudgeOptions
from aucbench.judging.values import NO_ROWS
from aucbench.report.chart import Chart
from aucbench.report.document import Section
from aucbench.report.grid import Grid
from aucbench.report.html_page import InlinePage, make_page
from aucbench.report.judged import Verdict, judge_tables
from aucbench.report.running import End
from aucbench.report.tables import leaderboard
from aucbench.stats import Pair, PairTest, ResultTable, Word, holm
from aucbench.study.means import TaskMean, published_means, published_tasks
from aucbench.study.plans import (
    Task,
    command_options,
    every_kind,
    kinds_of,
    main_parts,
    part_of,
    tasks,
)

FEWEST = 5  # groups of a kind, below which it has no line
LEAST = 1e-5  # seconds, so that a logarithm exists
FILLED = (
    "in a mean AUC over groups, a solver without a value on a task has the worst value there; the "
    "table of all solvers leaves such tasks out"
)
WORDS = {  # of the other solver, and how a sentence about the new one begins
    Word.WORSE: "It is certainly better than",
    Word.BETTER: "It is certainly worse than",
    Word.EQUIVALENT: "It is equivalent to",
    Word.UNCLEAR: "It is not distinguishable from",
}


@dataclass(frozen=True)
class Standing:
    """What the means of a solver say beside those of the study.

    Attributes
    ----------
    solver : str
        Its name.
    means, reference : tuple of TaskMean
        Of the solver on its complete tasks, and of the reference on some of them. Those of the
        solver have one arm, whose published means it is compared with.
    without_data : tuple of str
        Tasks whose data cannot be had here.
    end : End
        How the run has ended.
    """

    solver: str
    means: tuple[TaskMean, ...]
    reference: tuple[TaskMean, ...] = ()
    without_data: tuple[str, ...] = ()
    end: End = End.FINISHED

    @property
    def arm(self) -> str:
        """The arm of the solver."""
        return self.means[0].arm

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The complete tasks by name."""
        known = {task.task: task for task in tasks()}
        return {one.task: known[one.task] for one in self.means}

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each task and solver: the published means, and those of the new solver."""
        others = [
            one
            for one in published_means()
            if one.arm == self.arm and one.task in self.tasks and one.solver != self.solver
        ]
        rows = [
            (one.task, self.tasks[one.task].group, one.solver, one.auc, one.seconds)
            for one in (*self.means, *others)
        ]
        return pd.DataFrame(rows, columns=["task", "group", "solver", "auc", "seconds"])

    @cached_property
    def verdict(self) -> Verdict:
        """What `judge` says of the table; differences are those to the new solver."""
        columns = Columns(method="solver", dataset="task", family="group")
        frame = self.table.drop(columns="seconds")
        options = JudgeOptions(by="auc", reference=self.solver, columns=columns)
        return replace(judge_tables([frame], "long", options), title=f"{self.solver} in the study")

    @cached_property
    def filled(self) -> pd.DataFrame:
        """AUCs as tasks × solvers; a solver that failed has the worst value of the task."""
        wide = self.table.pivot(index="task", columns="solver", values="auc").loc[[*self.tasks]]
        return fill_failures(wide)

    def averaged(self, table: pd.DataFrame) -> pd.Series:
        """Return the mean of each column over groups of tasks."""
        return average_over_groups(table, [self.tasks[task].group for task in table.index])

    @cached_property
    def averages(self) -> pd.Series:
        """Mean AUC of each solver over groups of tasks, the highest first."""
        return self.averaged(self.filled).sort_values(ascending=False)

    @cached_property
    def seconds(self) -> pd.Series:
        """Geometric mean of the seconds of tuning and fit of each solver over groups of tasks."""
        wide = self.table.pivot(index="task", columns="solver", values="seconds")
        return self.averaged(wide.clip(lower=LEAST).apply(np.log)).apply(np.exp)

    @property
    def sentences(self) -> list[str]:
        """The answer in words."""
        return [*self._standing(), *self._words(), *self._repeated(), *self._cost()]

    def _standing(self) -> Iterator[str]:
        groups = len({task.group for task in self.tasks.values()})
        failed = sum(isnan(one.auc) for one in self.means)
        lost = f"; it failed on {failed} of them" if failed else ""
        cut = "" if self.end is End.FINISHED else f" The run is not complete: {self.end.value}."
        yield (
            f"{self.solver} was run on {len(self.tasks)} of the {len(published_tasks())} tasks of "
            f"the study, of {groups} groups{lost}.{cut}"
        )
        means = self.averages
        count = len(means)
        place = [*means.index].index(self.solver) + 1
        yield (
            f"Its mean AUC over groups is {means[self.solver]:.4f}, place {place} of {count} "
            f"solvers; the highest is {means.iloc[0]:.4f} of {means.index[0]}."
        )
        advice = self.verdict.findings.advice
        best, ranks = advice.best, advice.ranks
        if best is None or best.note or ranks is None:
            yield "So few tasks say nothing of a typical data set."
            return
        at = ranks.names.index(self.solver)
        yield (
            f"On a typical data set it {self.verdict.standing(self.solver)} of {count} solvers; "
            f"with 95 % confidence its rank is between {ranks.low[at]} and {ranks.high[at]}."
        )

    def _words(self) -> Iterator[str]:
        """Yield which solvers it is better and worse than, by the step-down test."""
        pairs = self.verdict.findings.advice.reference
        for word, start in WORDS.items():
            names = [pair.a for pair in pairs if pair.word is word]
            if names:
                names.sort(key=lambda name: -self.averages[name])
                solvers = "solver" if len(names) == 1 else "solvers"
                yield f"{start} {len(names)} {solvers}: {', '.join(names)}."

    def _repeated(self) -> Iterator[str]:
        """Say whether the published means of the same solver are repeated."""
        known = _published(self.solver, self.arm)
        both = [one for one in self.means if one.task in known]
        if not both:
            return
        unlike = [
            (abs(one.auc - known[one.task].auc), one.task)
            for one in both
            if _differ(one.auc, known[one.task].auc)
        ]
        same = f"{len(both) - len(unlike)} of {len(both)} AUCs are the same"
        yield f"The study has published {self.solver}: {same}, to the digits stored."
        if unlike:
            largest, task = max(unlike)
            yield f"The largest difference is {largest:.2g}, on {task}."

    @cached_property
    def ratios(self) -> list[float]:
        """Seconds of the reference here, divided by the published ones, on each task of both."""
        known = _published(command_options().reference, main_parts()[0].arms[0])
        here = (one for one in self.reference if one.task in known)
        found = [one.seconds / known[one.task].seconds for one in here]
        return [ratio for ratio in found if ratio > 0]  # NaN is not

    def _cost(self) -> Iterator[str]:
        """Say what a fit costs, on the machine of the study too if its factor is known."""
        own = self.seconds[self.solver]
        if isnan(own):
            return
        cost = f"Tuning and fit of one fold took {own:.3g} s (geometric mean over groups)."
        if not self.ratios:
            yield f"{cost} No reference was timed here, so that times are not compared."
            return
        reference, factor = command_options().reference, median(self.ratios)
        yield cost
        there = own / factor
        others = self.seconds.drop(self.solver).dropna()
        faster = int((others > there).sum())
        yield (
            f"Here {reference} takes {factor:.3g} times its published seconds (median of "
            f"{len(self.ratios)} tasks). By this factor it would take {there:.3g} s on the machine "
            f"of the study: less than {faster} of {len(others)} solvers."
        )

    def charts(self) -> Iterator[Chart]:
        """Yield the mean AUC of each solver against its seconds, if the factor of them is known."""
        if not self.ratios:
            return
        reference = command_options().reference
        means = self.averages
        spent = {**self.seconds, self.solver: self.seconds[self.solver] / median(self.ratios)}
        order = [self.solver, *means.drop(self.solver).index]
        yield Chart(
            "AUC against time",
            "seconds of tuning and fit of one fold, on the machine of the study",
            "mean AUC over groups",
            {name: ([spent[name]], [means[name]]) for name in order},
            log_x=True,
            note=f"The seconds of {self.solver} are divided by the factor of {reference}.",
        )

    @cached_property
    def kinds(self) -> Grid:
        """A line for each kind of tasks with enough groups: where the solver stands there."""
        reference = command_options().reference
        compared = reference != self.solver and reference in self.filled
        pairs = self._pairs_by_kind(reference) if compared else {}
        lines = []
        for kind, names in self._by_kind().items():
            means = self.averaged(self.filled.loc[names]).sort_values(ascending=False)
            place = f"{[*means.index].index(self.solver) + 1} of {len(means)}"
            best = f"{means.index[0]} {means.iloc[0]:.4f}"
            cells = [kind, len(names), self._groups(names), means[self.solver], place, best]
            if compared:
                pair = pairs[kind]
                cells += [f"{pair.difference.estimate:+.4f}", str(pair.word)]
            lines.append(tuple(cells))
        header = ["kind of tasks", "tasks", "groups", "mean AUC", "place"]
        header += ["highest mean", *([f"less {reference}", "word"] if compared else [])]
        return Grid(
            header,
            lines,
            ("", "", "", ".4f", *[""] * (len(header) - 4)),
            numeric=(1, 2, 3, 6) if compared else (1, 2, 3),
            title=f"{self.solver} by kind of tasks, means over groups",
            names=0,
        )

    def _groups(self, names: Sequence[str]) -> int:
        return len({self.tasks[name].group for name in names})

    def _by_kind(self) -> dict[str, list[str]]:
        """Return the tasks of each kind that has enough groups."""
        found: dict[str, list[str]] = {}
        for name, task in self.tasks.items():
            for kind in kinds_of(task, part_of(task).rows):
                found.setdefault(kind, []).append(name)
        every = (kind for kinds in every_kind() for kind in kinds)
        return {kind: found[kind] for kind in every if self._groups(found.get(kind, ())) >= FEWEST}

    def _pairs_by_kind(self, reference: str) -> dict[str, Pair]:
        """Return the solver against the reference on each kind, adjusted for their number."""
        wide = self.table.pivot(index="task", columns="solver", values="auc")
        pairs = {}
        for kind, names in self._by_kind().items():
            table = ResultTable(
                wide.loc[names, [self.solver, reference]],
                (self.solver, reference),
                families=[self.tasks[name].group for name in names],
            )
            [pairs[kind]] = PairTest().pairs(table)
        adjusted = holm([pair.p for pair in pairs.values()])
        return {
            kind: replace(pair, adjusted_p=float(p))
            for (kind, pair), p in zip(pairs.items(), adjusted, strict=True)
        }

    @property
    def grids(self) -> list[Grid]:
        """The kinds of tasks, if there are enough tasks, and all solvers."""
        return [*([self.kinds] if self.kinds.lines else []), leaderboard(self.verdict.findings)]

    @property
    def notes(self) -> list[str]:
        """What stands below the tables."""
        parts = [part_of(task) for task in self.tasks.values()]
        folds = sorted(Counter(part.splits for part in parts if part.splits).items())
        ways = ", ".join(f"{splits} folds on {count} tasks" for splits, count in folds)
        lines = [
            f"{ways}, of at most {max(part.rows for part in parts)} rows; a value is the mean over "
            "the folds of a task, so that a single task has no interval",
            f"the published means are those of the arm {self.arm}",
            *([FILLED] if self.table["auc"].isna().any() else []),
            *(note for note in self.verdict.notes if note != NO_ROWS),
        ]
        if self.without_data:
            some = ", ".join(self.without_data[:3])
            lines.append(
                f"{len(self.without_data)} tasks have no data here, such as {some}; "
                "`aucbench data fetch suite:study-open` downloads what anybody can have"
            )
        return lines

    def by_task(self) -> Grid:
        """Return a line for each task."""
        others, name = self.filled.drop(columns=self.solver), command_options().reference
        reference, highest, best = self.filled[name], others.max(axis=1), others.idxmax(axis=1)
        lines = [
            (
                *(one.task, self.tasks[one.task].group, one.auc, reference[one.task]),
                *(f"{best[one.task]} {highest[one.task]:.4f}", one.seconds),
            )
            for one in self.means
        ]
        header = ("task", "group", "AUC", name, "highest published", "seconds")
        return Grid(header, lines, ("", "", ".4f", ".4f", "", ".3g"), names=0)

    def report(self) -> InlinePage:
        """Return the page: the answer, AUC and time, the kinds of tasks, all solvers and tasks."""
        charts = tuple(self.charts())
        sections = [
            Section("Answer", "", tuple(self.sentences)),
            *([Section("AUC and time", "", charts)] if charts else []),
            Section("Kinds of tasks and solvers", "", (*self.grids, *self.notes)),
            Section("Tasks", "", (self.by_task(),)),
        ]
        return make_page(f"{self.solver} in the study", (), sections)


def _published(solver: str, arm: str) -> dict[str, TaskMean]:
    """Return the published means of a solver by task."""
    chosen = (one for one in published_means() if (one.arm, one.solver) == (arm, solver))
    return {one.task: one for one in chosen}


def fill_failures(table: pd.DataFrame) -> pd.DataFrame:
    """Return AUCs as tasks × solvers; a solver that failed has the worst value of the task."""
    return table.T.fillna(table.min(axis=1)).T


def average_over_groups(table: pd.DataFrame, groups: Sequence[str]) -> pd.Series:
    """Return the mean of each column over groups, each of which is the mean of its rows."""
    return table.groupby([*groups]).mean().mean()


def _differ(new: float, old: float) -> bool:
    return not (new == old or (isnan(new) and isnan(old)))
