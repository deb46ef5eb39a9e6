"""How a plan is run, and how its rows are divided: options of commands and of functions.

Options are frozen dataclasses. One has the name, the type and the default of its field, and what
the docstring of the dataclass says of the attribute. So it is described once, for keywords of a
function of Python and for a command. A dataclass may hold others as groups, see `option_group`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aucbench.errors import ParameterError, UnknownNameError, require_above

if TYPE_CHECKING:
    from aucbench.bench.engines import Engine
    from aucbench.bench.plan.plan import Plan
    from aucbench.datasets.reading import ReadOptions

TIMED_FITS = 5  # of a cell under --timing, when the plan does not ask for more
RUN_ONLY = ("engine", "cells_per_job", "retry", "timing")  # fields that only runs of plans take
NOT_OF_COMPARISONS = (*RUN_ONLY, "threads", "minutes")  # of `compare` in Python
NO_ENGINE = (*RUN_ONLY, "minutes")
ATTRIBUTE = re.compile(r"^(\w+) : .*\n((?: {4}.*\n?)+)", re.MULTILINE)
GROUP = "group"  # in the metadata of a field that holds a dataclass of options
Function = TypeVar("Function", bound=Callable[..., Any])
Instance = TypeVar("Instance")


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """How the fields of a dataclass become options.

    Attributes
    ----------
    heading : str
        In the help of a command.
    without : tuple of str
        Fields that are no options, and keep their defaults.
    first : tuple of str
        Fields that are shown among the options of the command itself, which come first.
    cls : dataclass, optional
        The class, where it is the value of a field of another dataclass, see `option_group`.
    """

    heading: str
    without: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    cls: type | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """A field of a dataclass that is an option.

    Attributes
    ----------
    cls : dataclass
        To which the field belongs.
    field : Field
    description : str or None
        What the docstring of the dataclass says of it.
    heading : str or None
        In the help of a command; None: it stands among the options of the command itself.
    """

    cls: type
    field: Field[Any]
    description: str | None
    heading: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared.

    Attributes
    ----------
    solvers : tuple of str, optional
        Such as sht-auc[k=50,blocks=4],logistic, or ./mine.py:Class for a class in a file;
        repeatable. [default: logistic,svm-or,additive,roc-svm-nystrom,hist-gradient-boosting; for
        changepoint sets aum,interval-regression,interval-regression[penalty=l1],constant]
    data : tuple of str
        Names, suite:NAME, files, or https://...#sha256=HEX; repeatable. A name that `data list`
        shows as a download is downloaded.
    features : tuple of str, optional
        auto, maxabs, min-max, standard, unit, unit-centred or none; maxabs+nystroem[rank=50]
        applies one after the other; repeatable. [default: auto, which is standard for dense rows
        and maxabs for sparse ones]
    tune : bool
        Tune each solver over its published grid.
    objective : str, optional
        In place of the solvers' own.
    projector : str, optional
        In place of the solvers' own.
    pairs : str, optional
        Which pairs count, in training and in the measure: group[column=user],
        fpr[max=0.1,rest=0.5], top, or what `list pairs` shows. [default: what the target says, all
        pairs of labels]
    monotone : str, optional
        Constraints on the effects of columns: increasing (+1), decreasing (-1), convex or concave,
        as in income=+1,age=-1,dose=increasing-convex.
    repeats : int
        Number of times the rows are split, each time at random.
    """

    solvers: tuple[Any, ...] | None = field(default=None, metadata={"whole": True})
    data: tuple[str, ...] = field(default=(), metadata={"whole": True})
    features: tuple[str, ...] | None = field(default=None, metadata={"whole": True})
    tune: bool = False
    objective: str | None = None
    projector: str | None = None
    pairs: str | None = None
    monotone: str | None = None
    repeats: int = 1

    def plan(self, reading: ReadOptions, fits: Fits) -> Plan:
        """Return the plan of it, with the default solvers of the data where none are given.

        Raises
        ------
        PlanError
            When a part of it makes no sense.
        """
        from aucbench.bench.plan.fields import DEFAULT_FEATURES, choices
        from aucbench.bench.plan.plan import Plan, default_solvers

        datasets = specs(self.data)
        if self.solvers is None:
            solvers = default_solvers(datasets, self.pairs, reading, self.monotone)
        else:
            solvers = specs(self.solvers)
        return Plan(
            datasets,
            choices(solvers, tune=self.tune),
            DEFAULT_FEATURES if self.features is None else specs(self.features),
            self.objective,
            self.projector,
            reading,
            splits=fits.splits,
            repeats=self.repeats,
            seeds=(fits.seed,),
            passes=fits.passes,
            seconds=fits.seconds,
            pairs=self.pairs,
            monotone=self.monotone,
        )


@dataclass(frozen=True, slots=True)
class Fits:
    """How rows are divided, and how long a fit takes.

    Attributes
    ----------
    splits : int, optional
        Number of stratified folds. [default: 5]
    passes : float, optional
        Limit of a fit, in passes over the data. [default: 50, or the solver's own]
    seconds : float, optional
        Limit of a fit, in seconds; the first limit that is reached ends it.
    seed : int
        Seed of the folds and of the solvers.
    """

    splits: int | None = None
    passes: float | None = None
    seconds: float | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """How a plan is run. These options do not change the results of cells.

    Attributes
    ----------
    timeout : float, optional
        Seconds of wall time after which a cell is killed; 0: never. [default: that of the plan,
        or 3600]
    memory : float, optional
        Megabytes that a cell may take beyond an idle one.
    jobs : int, optional
        Cells at once. [default: as many as cores, for local]
    threads : int
        Threads of aucbench, BLAS and OpenMP in each cell.
    engine : str
        local, slurm, or dask=ADDRESS with the address of a dask scheduler.
    cells_per_job : int, optional
        Cells that one job of SLURM runs. [default: 20]
    retry : tuple of str
        Statuses that are computed again, such as error,crash.
    timing : bool
        One cell at a time, kept to its cores and fitted 5 times.
    minutes : float, optional
        Minutes of wall time after which the run ends; cells that are missing then are run by the
        same command again.
    quiet : bool
        No progress on stderr.
    """

    timeout: float | None = None
    memory: float | None = None
    jobs: int | None = None
    threads: int = 1
    engine: str = "local"
    cells_per_job: int | None = None
    retry: tuple[str, ...] = ()
    timing: bool = False
    minutes: float | None = None
    quiet: bool = False

    def __post_init__(self) -> None:
        from aucbench.records import CellStatus

        known = [status.value for status in CellStatus]
        for status in self.retry:
            if status not in known:
                raise UnknownNameError("status in --retry", status, known)
        if self.timing and self.jobs not in (None, 1):
            raise ParameterError(
                f"--timing runs one cell at a time, got --jobs {self.jobs}; leave one of them out"
            )

        require_above(0, minutes=self.minutes)
        if self.minutes is not None:
            self.require_present("--minutes")

    @property
    def seconds(self) -> float | None:
        """The limit of the run in seconds."""
        return None if self.minutes is None else 60 * self.minutes

    def require_present(self, option: str) -> None:
        """Raise `ParameterError` where an option asks for cells that run while the command does."""
        if self.engine == "slurm":
            raise ParameterError(
                f"{option} counts the time of this command, and jobs of SLURM wait in its queue "
                "for as long as they have to; leave it out, or run with --engine local"
            )

    def limited(self, plan: Plan) -> Plan:
        """Plan with the limits of the command line in place of its own."""
        return replace(
            plan,
            timeout=plan.timeout if self.timeout is None else self.timeout,
            memory=plan.memory if self.memory is None else self.memory,
            repeat_fits=max(plan.repeat_fits, TIMED_FITS) if self.timing else plan.repeat_fits,
        )

    def make_engine(self, folder: Path | None) -> Engine:
        """Engine for results that are kept in `folder`; None: they are not kept."""
        from aucbench.bench.engines import make_engine

        return make_engine(
            self.engine,
            jobs=1 if self.timing else self.jobs,
            threads=self.threads,
            folder=folder,
            cells_per_job=self.cells_per_job,
        )


def specs(given: Iterable[Any]) -> tuple[Any, ...]:
    """Return specifications one by one: a text may hold several."""
    from aucbench.registry.specs import split_specs

    return tuple(
        one for each in given for one in (split_specs(each) if isinstance(each, str) else [each])
    )


@cache  # several commands have the same groups
def read_attributes(cls: type) -> dict[str, str]:
    """Return what the docstring of a dataclass says of its attributes, in one line each."""
    described: dict[str, str] = {}
    for each in reversed(cls.__mro__):  # a class has the attributes of its base too
        for name, text in ATTRIBUTE.findall(cleandoc(each.__doc__ or "")):
            described[name] = " ".join(text.split())
    return described


def option_group(
    cls: type[Instance], heading: str, *, without: tuple[str, ...] = (), first: tuple[str, ...] = ()
) -> Instance:
    """Return a field that holds a dataclass, whose fields are options like those beside it.

    Parameters
    ----------
    cls : dataclass
        Its default is an instance with all defaults.
    heading, without, first :
        As of `OptionGroup`.
    """
    group = OptionGroup(heading, without, first, cls)
    held: Instance = field(default_factory=cls, metadata={GROUP: group})
    return held


def list_options(cls: type, group: OptionGroup | None = None) -> Iterator[Option]:
    """Yield the fields of a dataclass that are options, and those of the groups in it."""
    group = OptionGroup("") if group is None else group
    described = read_attributes(cls)
    for each in fields(cls):
        inner: OptionGroup | None = each.metadata.get(GROUP)
        if inner is not None and inner.cls is not None:
            yield from list_options(inner.cls, inner)
        elif each.name not in group.without:
            heading = None if each.name in group.first else group.heading
            yield Option(cls, each, described.get(each.name), heading)


def make_options(
    cls: type[Instance],
    options: Mapping[str, Any],
    function: str = "",
    *,
    without: Iterable[str] = (),
) -> Instance:
    """Return an instance of a dataclass, and of the groups in it, from options by name.

    Parameters
    ----------
    function : str
        Name of the function that takes the options, for the message.
    without : iterable of str
        Fields of the dataclass itself that are no options.

    Raises
    ------
    UnknownNameError
        When an option belongs to none of them.
    """
    known = [option.field.name for option in list_options(cls, OptionGroup("", tuple(without)))]
    for name in options:
        if name not in known:
            raise UnknownNameError(f"option of {function}", name, known)
    return _filled(cls, options, without)


def _filled(cls: type[Instance], options: Mapping[str, Any], without: Iterable[str]) -> Instance:
    values: dict[str, Any] = {}
    for each in fields(cls):  # type: ignore[arg-type]
        inner: OptionGroup | None = each.metadata.get(GROUP)
        if inner is not None and inner.cls is not None:
            values[each.name] = _filled(inner.cls, options, inner.without)
        elif each.name in options and each.name not in without:
            values[each.name] = options[each.name]
    return cls(**values)


def takes_options(cls: type) -> Callable[[Function], Function]:
    """Let `help` and completion show the options of a dataclass in place of `**options`.

    The function hands its options to `make_options`.
    """

    def shown(function: Function) -> Function:
        found = signature(function)
        before = [p for p in found.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        names = {p.name for p in before}
        further = [p for p in _parameters(cls) if p.name not in names]
        function.__signature__ = found.replace(  # type: ignore[attr-defined]
            parameters=[*before, *further]
        )
        function.__doc__ = f"{cleandoc(function.__doc__ or '')}\n\n{format_options(cls)}"
        return function

    return shown


def _parameters(cls: type) -> Iterator[Parameter]:
    for option in list_options(cls):
        yield Parameter(
            option.field.name,
            Parameter.KEYWORD_ONLY,
            default=option.field.default,
            annotation=option.field.type,
        )


def format_options(cls: type) -> str:
    """Return a section of a docstring that describes the options of a dataclass."""
    described = [one for one in list_options(cls) if one.description is not None]
    lines = [f"{one.field.name} :\n    {one.description}" for one in described]
    return "\n".join(["Options", "-------", *lines])
