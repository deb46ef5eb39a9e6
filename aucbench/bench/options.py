"""How a plan is run, and how its rows are divided: options of commands and of functions.

Options are frozen dataclasses. One has the name, the type and the default of its field, and what
the docstring of the dataclass says of the attribute. So it is described once, for keywords of a
function of Python and for a command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, fields, replace
from functools import cache
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aucbench.errors import ParameterError, UnknownNameError, require_above

if TYPE_CHECKING:
    from aucbench.bench.engines import Engine
    from aucbench.bench.plan.plan import Plan

TIMED_FITS = 5  # of a cell under --timing, when the plan does not ask for more
RUN_ONLY = ("engine", "cells_per_job", "retry", "timing")  # fields that only runs of plans take
ONE_MODEL = ("repeats",)  # what the comparison for one model does not ask
NO_ENGINE = (*RUN_ONLY, "minutes")
ATTRIBUTE = re.compile(r"^(\w+) : .*\n((?: {4}.*\n?)+)", re.MULTILINE)
Function = TypeVar("Function", bound=Callable[..., Any])
Kinds = Mapping[Any, tuple[str, ...]]  # dataclasses, each with the fields that are no options


@dataclass(frozen=True, slots=True)
class Fits:
    """How rows are divided, and how long a fit takes.

    Attributes
    ----------
    splits : int, optional
        Stratified folds. [default: 5]
    holdout : float, optional
        Share of the rows that is tested, in place of folds.
    repeats : int
        How often the splits are drawn anew.
    passes : float, optional
        Passes over the data in a fit. [default: 50, or the solver's own]
    seconds : float, optional
        Seconds of a fit; the first limit reached ends it.
    seed : int
        Of the folds and of the solvers.
    """

    splits: int | None = None
    holdout: float | None = None
    repeats: int = 1
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


@cache  # several commands have the same groups
def attributes(cls: type) -> dict[str, str]:
    """Return what the docstring of a dataclass says of its attributes, in one line each."""
    told = ATTRIBUTE.findall(cleandoc(cls.__doc__ or ""))
    return {name: " ".join(text.split()) for name, text in told}


def offered(cls: Any, without: Iterable[str] = ()) -> list[Field[Any]]:
    """Return the fields of a dataclass that are options."""
    return [field for field in fields(cls) if field.name not in without]


def takes(kinds: Kinds) -> Callable[[Function], Function]:
    """Let `help` and completion show the fields of dataclasses in place of `**options`.

    The function hands its options to `divided`.
    """

    def shown(function: Function) -> Function:
        told = signature(function)
        own = [p for p in told.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        known = {p.name for p in own}
        further = [p for p in _parameters(kinds) if p.name not in known]
        function.__signature__ = told.replace(  # type: ignore[attr-defined]
            parameters=[*own, *further]
        )
        function.__doc__ = f"{cleandoc(function.__doc__ or '')}\n\n{documented(kinds)}"
        return function

    return shown


def _parameters(kinds: Kinds) -> Iterator[Parameter]:
    for cls, without in kinds.items():
        for field in offered(cls, without):
            yield Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=_default(field),
                annotation=field.type,
            )


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if callable(field.default_factory) else field.default


def documented(kinds: Kinds) -> str:
    """Return what the options are, in the groups of their dataclasses."""
    lines = ["Options", "-------"]
    for cls, without in kinds.items():
        said, names = attributes(cls), [field.name for field in offered(cls, without)]
        lines += [f"{name} :\n    {said[name]}" for name in names if name in said]
    return "\n".join(lines)


def divided(options: Mapping[str, Any], kinds: Kinds, of: str) -> list[Any]:
    """Return an instance of each dataclass with its options; `of` names the function.

    Raises
    ------
    UnknownNameError
        When an option belongs to none of them.
    """
    names = {cls: [field.name for field in offered(cls, no)] for cls, no in kinds.items()}
    known = [name for own in names.values() for name in own]
    for name in options:
        if name not in known:
            raise UnknownNameError(f"option of {of}", name, known)
    return [cls(**{n: options[n] for n in own if n in options}) for cls, own in names.items()]
