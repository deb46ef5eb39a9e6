"""A fit by parts: when rows are read so, what works then, and its supervised process.

What the parts have answered stands in a folder beside the file of the model, until that is written.
So a fit that was ended goes on from there, see `journal`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

from aucbench.bench.engines.local import PRELOAD
from aucbench.bench.options import Options, flat_options, make_options
from aucbench.bench.parted import MAPS, names_parts, why_too_large
from aucbench.bench.plan.plan import MEGABYTE
from aucbench.datasets.arrow import system_pool
from aucbench.datasets.endings import PARQUET
from aucbench.datasets.parted.footers import Footer
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.models.choosing import GIANT, ModelPlan
from aucbench.models.journal import Journal, answers_in
from aucbench.models.model import Model
from aucbench.models.options import AUTO, GROUPS, HERE, FitOptions
from aucbench.models.parted import fitted_by_parts
from aucbench.models.parted_telling import Lines, Watched
from aucbench.processes import Supervisor
from aucbench.processes.child import Room
from aucbench.processes.host import cores
from aucbench.processes.isolated import Process
from aucbench.processes.records import Ending, Job, Limits, Outcome
from aucbench.processes.scratch import Scratch
from aucbench.registry import get_solver
from aucbench.registry.specs import parse_spec
from aucbench.scale.engines import engine_of
from aucbench.solving.wrappers import why_not_parts

CALL = "aucbench.models.parted_job:fit"
# What the process finds imported, so that a limit of memory does not count it.
LIBRARIES = ("aucbench.models.parted_job", "pyarrow.parquet", "scipy.optimize")
MODEL = "model"
KEPT = ".parts"  # ending of the folder beside the file of a model
AUTOMATIC = ("logistic", "svm-or", "ls-svm", "rank-svm")  # of which auto takes those by parts
Line = Mapping[str, Any]


@dataclass(frozen=True)
class PartedFit:
    """A fit by parts.

    Attributes
    ----------
    source : str
        Files with the rows.
    options : FitOptions
    """

    source: str
    options: FitOptions

    def request(self, journal: Path) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "source": self.source,
            "folder": str(Path.cwd()),
            "options": flat_options(self.options),
            "journal": str(journal),
        }

    @staticmethod
    def of(request: Mapping[str, Any]) -> PartedFit:
        """Inverse of `request`."""
        return PartedFit(request["source"], make_options(FitOptions, request["options"], "fit"))


def run(
    asked: PartedFit,
    hear: Callable[[Line], object],
    out: Path | None = None,
    *,
    resume: bool = False,
) -> Model:
    """Return the model of a fit in another process; `hear` gets what it says meanwhile.

    Parameters
    ----------
    out : Path, optional
        The file of the model, beside which answers are kept until `forget` is called.
    resume : bool
        Go on from these answers.

    Raises
    ------
    DataError
        When the fit refuses something, or is ended.
    """
    with Scratch() as scratch:
        journal = scratch.path / "answers" if out is None else beside(out)
        if not resume:
            rmtree(journal, ignore_errors=True)
        elif not journal.is_dir():
            raise DataError(
                f"there is no interrupted fit into {out} to go on from; leave --resume out"
            )
        request = asked.request(journal)
        options = asked.options.run
        limits, threads = limits_of(options), options.jobs or cores()
        job = Job(CALL, request, limits=limits, preload=LIBRARIES)
        with (
            nullcontext() if limits.memory is None else system_pool(),
            closing(Process(partial(Supervisor, threads=threads, preload=PRELOAD))) as process,
        ):
            for said in process.stream(job):
                if isinstance(said, Outcome):
                    model = _model(said, scratch.path / MODEL, journal, limits)
                else:
                    hear(said)
        return model


def forget(out: Path) -> None:
    """Remove what parts have answered in a fit into a file, which is written now."""
    rmtree(beside(out), ignore_errors=True)


def limits_of(options: Options) -> Limits:
    """Return the limits of the process: no time where none is asked for."""
    memory = None if options.memory is None else int(options.memory * MEGABYTE)
    return Limits(timeout=options.timeout or None, memory=memory)


def beside(out: Path) -> Path:
    """Return the folder of what parts have answered in a fit into a file."""
    return out.with_name(f".{out.name}{KEPT}")


def way_on(out: Path) -> str:
    """Return how a fit into a file that was ended goes on; empty if it had not begun."""
    return _way_on(beside(out))


def _way_on(journal: Path) -> str:
    count = answers_in(journal)
    readings = "the reading that was" if count == 1 else f"the {count} readings that were"
    return f"; --resume goes on from {readings} done" if count else ""


def _model(outcome: Outcome, file: Path, journal: Path, limits: Limits) -> Model:
    if outcome.ending is Ending.OK:
        file.write_bytes(outcome.files[MODEL])
        return Model.load(file)
    way = _way_on(journal)
    if outcome.refusal:
        raise DataError(f"{outcome.reason}{way}")
    why = {
        Ending.MEMOUT: "it took more memory than --memory allows; allow more, or take fewer --jobs",
        Ending.TIMEOUT: f"it took longer than {limits.timeout or 0:g} s; --timeout allows more",
    }.get(outcome.ending, outcome.words)
    raise DataError(f"the fit was ended: {why}{way}")


def fit(request: Mapping[str, Any], room: Room, steps: Mapping[str, Any]) -> dict[str, Any]:
    """Fit by parts in this process, and hand the file of the model over."""
    from aucbench.bench.worker.machine import here
    from aucbench.datasets.parted import open_parts

    asked = PartedFit.of(request)
    parting, search = asked.options.out_of_core, asked.options.search
    search = replace(search, solver=in_order(search.solver, parting.shuffle))
    wanted = plan_of(asked.source, replace(asked.options, search=search))
    lines = Lines(room.line)
    path = Path(request["folder"]) / asked.source  # this process is in a folder of its own
    read, skip_bad = asked.options.read, parting.skip_bad
    parts = open_parts(path, read, skip_bad=skip_bad, tell=lines.stage)
    lines.opened(parts)
    engine = Watched(engine_of(parting.engine, lines.read), lines.reading)
    journal = Journal(engine, Path(request["journal"]))
    model = fitted_by_parts(wanted, parts, journal, lines)
    about = {**model.provenance, "versions": here()["versions"]}
    replace(model, provenance=about).save(MODEL)
    room.hand(MODEL, Path(MODEL).read_bytes())
    return {}


def why_by_parts(source: Any, asked: FitOptions, *, resume: bool = False) -> str | None:
    """Return in a sentence why a source is read by parts; None: it is read into memory.

    Parameters
    ----------
    source : str, path or table
    asked : FitOptions
        It takes as much memory as is allowed, or is free now.
    resume : bool
        Whether an interrupted fit goes on.

    Raises
    ------
    ParameterError
        When an option of parts is given and the source is read into memory, or cannot be.
    """
    parting = asked.out_of_core
    sentence = _why(source, parting.by_parts, asked.run.memory)
    if sentence is None:
        own = {
            "engine": parting.engine != HERE,
            "resume": resume,
            "skip-bad": parting.skip_bad,
            "shuffle": parting.shuffle is not None,
        }
        for name, given in own.items():
            if given:
                raise ParameterError(
                    f"--{name} is for rows that are read by parts, and these fit in memory; add "
                    f"--by-parts, or leave --{name} out"
                )
    return sentence


def in_order(solvers: Sequence[str], shuffle: str | None) -> tuple[str, ...]:
    """Return the solvers with the order of rows that is asked for.

    Raises
    ------
    UnsupportedError
        When one of them does not learn row by row.
    """
    if shuffle is None:
        return tuple(solvers)
    for solver in solvers:
        if solver == AUTO or not hasattr(get_solver(solver), "shuffle"):
            raise UnsupportedError(
                f"--shuffle {shuffle} is for solvers that learn row by row, such as uni-exp, and "
                f"{solver} is none; leave it out"
            )
    specs = map(parse_spec, solvers)
    order = {"shuffle": shuffle == GROUPS}
    return tuple(str(replace(spec, params={**spec.params, **order})) for spec in specs)


def _why(source: Any, asked: bool | None, memory: float | None) -> str | None:
    if not isinstance(source, str | os.PathLike):
        if asked:
            raise ParameterError(
                "a table in memory is not read by parts; give the path of files, or leave by_parts "
                "out"
            )
        return None
    if names_parts(os.fspath(source)):
        if asked is False:
            raise ParameterError(
                f"{source} names several files, which are read by parts only; name one file, or "
                "leave --no-by-parts out"
            )
        return f"{source}: the files are read in parts, again and again"
    if asked is not None:
        return f"{source} is read in parts, again and again" if asked else None
    return why_too_large(Path(source), None if memory is None else int(memory * MEGABYTE))


def hint(source: str, asked: FitOptions) -> str | None:
    """Return in a sentence that a fit in memory would be faster by parts; None where it is not.

    It is for large Parquet files, where all that is asked for works by parts.
    """
    path = Path(source)
    if asked.out_of_core.by_parts is False or path.suffix.lower() != PARQUET or not path.is_file():
        return None
    footer = Footer.of(path)
    if sum(footer.rows) * len(footer.fields) < GIANT or asked.search.is_automatic:
        return None
    try:
        require_by_parts(asked)
    except UnsupportedError:
        return None
    return (
        f"{source}: --by-parts takes a part of the time and of the memory for a file of this size, "
        "if no cell is missing; --no-by-parts leaves this line out"
    )


def plan_of(source: str, asked: FitOptions) -> ModelPlan:
    """Return the plan for options of a fit by parts that `require_by_parts` lets pass."""
    if asked.search.is_automatic:
        known = tuple(name for name in AUTOMATIC if why_not_parts(get_solver(name)) is None)
        search = replace(asked.search, solver=known, tune=bool(asked.search.tune))
        asked = replace(asked, search=search)
    return ModelPlan(source=source, options=asked)


def require_by_parts(options: FitOptions) -> None:
    """Raise `UnsupportedError` when something that is asked for does not work by parts."""
    search, read = options.search, options.read
    asked = {
        "--pairs": options.pairs is not None,
        "--monotone": options.monotone is not None,
        "--minutes": search.minutes is not None,
        "--scorecard": options.scorecard.is_asked,
        "--splits": search.splits is not None,
        "--test": read.test is not None,
        "--groups": read.groups is not None,
        "--time": read.time is not None,
        "--weights": read.weights is not None,
        "--labels": read.labels != "two",
        "--time-to-event": read.event is not None,
    }
    if named := [name for name, given in asked.items() if given]:
        raise UnsupportedError(
            f"{', '.join(named)} cannot be had when rows are read by parts; leave it out, or fit "
            "to a file that is read into memory"
        )
    if search.features not in MAPS:
        raise UnsupportedError(
            f"--features {search.features} learns from rows in memory; by parts take one of "
            f"{', '.join(MAPS)}"
        )
    for spec in search.solver:
        if spec != AUTO and (why := why_not_parts(get_solver(spec))):
            raise UnsupportedError(why)
