"""Run another solver on the tasks of the study, a few of them at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from warnings import warn

from aucbench.bench import Choice, Plan, Store
from aucbench.bench.engines import Engine
from aucbench.bench.options import RunOptions
from aucbench.bench.resolver import require_entries
from aucbench.bench.results.record import Record
from aucbench.bench.until import LEAST, Until
from aucbench.datasets.located import bring
from aucbench.errors import AucbenchError, DataError, ParameterError
from aucbench.progress import Write
from aucbench.registry.specs import Spec, bare, parse_spec, short
from aucbench.report.running import End, run_plan
from aucbench.study.means import TaskMean, mean_of, published_solvers, published_tasks
from aucbench.study.plans import Task, command_options, main_parts, part_of, plan_of, spread, tasks
from aucbench.study.standing import Standing


def plans_of(some: Sequence[Task], solvers: Sequence[Choice | str]) -> list[Plan]:
    """Return the plan of each main part that takes some of the tasks."""
    found = (plan_of(part, some, solvers) for part in main_parts() if part.tasks_of(some))
    return [*found]


def choice_of(solver: str) -> Choice:
    """Return a solver as the study tunes it.

    One that tunes itself, or that the study has fitted with its default parameters only, is fitted
    once, and any other one is tuned over its grid if it has one.

    Raises
    ------
    AucbenchError
        When the text names no solver, or several.
    """
    [plan] = plans_of(tasks()[:1], [solver])
    if len(plan.solvers) != 1:
        names = ", ".join(map(short, plan.solvers))
        raise ParameterError(f"study runs one solver, got {names}; call it once for each of them")
    require_entries(plan)
    (choice,) = plan.solvers
    main = main_parts()[0]
    return replace(choice, tune=choice.spec.name not in (*main.self_tuned, *main.untuned))


def arm_of(choice: Choice) -> str:
    """Return the arm whose published means a solver is compared with."""
    main = main_parts()[0]
    return main.arms[choice.spec.name in main.untuned]


def name_of(choice: Choice) -> str:
    """Return a solver for people, without its file if no published one has its name."""
    spec = choice.spec
    name = bare(spec)
    return short(spec) if name != str(spec) and name in published_solvers() else name


@dataclass
class StudyRun:
    """What a run on the tasks of the study has found.

    Attributes
    ----------
    choice : Choice
        The solver.
    means, reference : list of TaskMean
        Of the solver on its complete tasks, and of the reference on the first ones.
    without_data : list of str
        Tasks whose data cannot be had here.
    end : End
        How the run has ended.
    seconds : float
        Of wall time that its cells took, one after the other.
    """

    choice: Choice
    means: list[TaskMean] = field(default_factory=list)
    reference: list[TaskMean] = field(default_factory=list)
    without_data: list[str] = field(default_factory=list)
    end: End = End.FINISHED
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """The solver for people."""
        return name_of(self.choice)

    def standing(self) -> Standing:
        """Return where the solver stands among the published ones.

        Raises
        ------
        DataError
            When fewer than two tasks are complete.
        """
        if len(self.means) < 2:
            have = "no complete task" if not self.means else "one complete task, and needs two"
            raise DataError(
                f"{self.name} has {have}: {self.end.value}; give it more --minutes, or a folder by "
                "--out, so that the same command goes on"
            )
        return Standing(
            solver=self.name,
            means=tuple(self.means),
            reference=tuple(self.reference),
            without_data=tuple(self.without_data),
            end=self.end,
        )

    def add(self, plan: Plan, some: Sequence[Task], records: Iterable[Record]) -> None:
        """Add the tasks of a plan that are complete."""
        by_task = _by_data(some)
        found: dict[tuple[Choice, str], list[Record]] = defaultdict(list)
        for record in records:
            found[record.cell.choice, by_task[record.cell.dataset]].append(record)
            self.seconds += record.process.wall_seconds or 0.0
        for choice, kept in ((self.choice, self.means), (_reference(), self.reference)):
            for name in by_task.values():
                of = found[choice, name]
                if len(of) == plan.split_count:
                    kept.append(mean_of(name, arm_of(choice), name_of(choice), of))


def run_study(
    choice: Choice,
    store: Store,
    options: RunOptions,
    engine: Engine | None = None,
    *,
    write: Write | None = None,
    tell: Callable[[str], object] = warn,
) -> StudyRun:
    """Run a solver on the tasks of the study, in an order that spreads over their kinds.

    Parameters
    ----------
    choice : Choice
        What `choice_of` returns.
    store, engine, tell :
        As of `aucbench.report.running.run_plan`.
    options : RunOptions
        Its minutes are those of the whole run.
    write : function (str), optional
        Takes a line for each few tasks that start.

    Raises
    ------
    AucbenchError
        When the solver cannot be used, or results cannot be stored.
    """
    at_once, known = command_options().at_once, {*published_tasks()}
    limit = None if options.seconds is None else Until(options.seconds)
    found = StudyRun(choice)
    order = [task for task in spread(tasks(), main_parts()[0].rows) if task in known]
    for first in range(0, len(order), at_once):
        if limit is not None and limit.left <= LEAST:
            found.end = End.TIME
            return found
        some = [*_with_data(order[first : first + at_once], found, options, tell)]
        if write is not None and not options.quiet:
            write(f"tasks {first + 1} to {min(first + at_once, len(order))} of {len(order)}")
        timed = choice == _reference() or found.reference
        for plan in plans_of(some, [choice] if timed else [choice, _reference()]):
            left = None if limit is None else max(limit.left, LEAST) / 60
            rest = replace(options, minutes=left)
            # Without `write`: the tasks are known, so that no line says what is understood of them.
            records, found.end = run_plan(plan, store, rest, engine, tell=tell)
            found.add(plan, some, records)
            for task, reason in failures_of(records, choice, some).items():
                tell(f"{found.name} has no value on the task {task}: {reason}")
            if found.end is not End.FINISHED:
                return found
    return found


def failures_of(records: Iterable[Record], choice: Choice, some: Sequence[Task]) -> dict[str, str]:
    """Return why a solver has no value on tasks: the reason of the first fold that failed."""
    by_task, reasons = _by_data(some), dict[str, str]()
    for record in records:
        if record.cell.choice == choice and not record.ok:
            reason = f"{record.status.status}, {record.status.reason}"
            reasons.setdefault(by_task[record.cell.dataset], reason)
    return reasons


def _by_data(some: Iterable[Task]) -> dict[Spec, str]:
    """Return the names of tasks by their data sets."""
    return {parse_spec(task.capped(part_of(task).rows)): task.task for task in some}


def _reference() -> Choice:
    return Choice(parse_spec(command_options().reference), tune=True)


def _with_data(
    some: Iterable[Task], found: StudyRun, options: RunOptions, tell: Callable[[str], object]
) -> Iterator[Task]:
    """Yield the tasks whose data are here or can be downloaded; warn of the others."""
    for task in some:
        try:
            bring([parse_spec(task.dataset).name], progress=not options.quiet)
        except AucbenchError as error:
            found.without_data.append(task.task)
            tell(f"the task {task.task} is left out: {error}")
        else:
            yield task
