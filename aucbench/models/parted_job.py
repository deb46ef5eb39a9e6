"""A fit by parts: when rows are read so, what works then, and its supervised process.

What the parts have answered stands in a folder beside the file of the model, until that is written.
So a fit that was ended goes on from there, see `journal`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

from aucbench.bench.engines.local import PRELOAD
from aucbench.bench.options import Fits, Options
from aucbench.bench.parted import MAPS, names_parts, why_too_large
from aucbench.bench.plan.plan import MEGABYTE
from aucbench.datasets.arrow import PARQUET, system_pool
from aucbench.datasets.parted.footers import Footer
from aucbench.datasets.reading import Reading
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.models.choosing import GIANT, ModelPlan
from aucbench.models.journal import Journal, answers_in
from aucbench.models.model import Model
from aucbench.models.options import AUTO, GROUPS, Aims, Carding, Making, Parting
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
KINDS: Mapping[str, Any] = {"making": Making, "aims": Aims, "fits": Fits, "parting": Parting}
OWN = ("resume", "skip-bad", "shuffle")  # options of rows in parts only
AUTOMATIC = ("logistic", "svm-or", "ls-svm", "rank-svm")  # of which auto takes those by parts
Line = Mapping[str, Any]


@dataclass(frozen=True)
class PartedFit:
    """A fit by parts.

    Attributes
    ----------
    source : str
        Files with the rows.
    making, aims, fits, reading, parting :
        As of `fit`.
    """

    source: str
    making: Making
    aims: Aims
    fits: Fits
    reading: Reading
    parting: Parting

    def request(self, journal: Path) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "source": self.source,
            "folder": str(Path.cwd()),
            **{name: asdict(getattr(self, name)) for name in KINDS},
            "reading": self.reading.to_json(),
            "journal": str(journal),
        }

    @staticmethod
    def of(request: Mapping[str, Any]) -> PartedFit:
        """Inverse of `request`."""
        return PartedFit(
            source=request["source"],
            reading=Reading.from_json(request["reading"]),
            **{name: kind(**request[name]) for name, kind in KINDS.items()},
        )


def run(
    asked: PartedFit,
    options: Options,
    hear: Callable[[Line], object],
    out: Path | None = None,
) -> Model:
    """Return the model of a fit in another process; `hear` gets what it says meanwhile.

    Parameters
    ----------
    options : Options
        Its limits: seconds, memory, and parts that are read at once, `jobs`.
    out : Path, optional
        The file of the model, beside which answers are kept until `forget` is called.

    Raises
    ------
    DataError
        When the fit refuses something, or is ended.
    """
    with Scratch() as scratch:
        journal = scratch.path / "answers" if out is None else beside(out)
        if not asked.parting.resume:
            rmtree(journal, ignore_errors=True)
        elif not journal.is_dir():
            raise DataError(
                f"there is no interrupted fit into {out} to go on from; leave --resume out"
            )
        request = asked.request(journal)
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
    making = replace(asked.making, solver=in_order(asked.making.solver, asked.parting.shuffle))
    wanted = plan_of(asked.source, making, asked.aims, asked.fits, asked.reading)
    lines = Lines(room.line)
    path = Path(request["folder"]) / asked.source  # this process is in a folder of its own
    skip_bad = asked.parting.skip_bad
    parts = open_parts(path, asked.reading, skip_bad=skip_bad, tell=lines.stage)
    lines.opened(parts)
    engine = Watched(engine_of(asked.parting.engine, lines.read), lines.reading)
    journal = Journal(engine, Path(request["journal"]))
    model = fitted_by_parts(wanted, parts, journal, lines)
    about = {**model.provenance, "versions": here()["versions"]}
    replace(model, provenance=about).save(MODEL)
    room.hand(MODEL, Path(MODEL).read_bytes())
    return {}


def why_by_parts(source: Any, parting: Parting, memory: float | None) -> str | None:
    """Return in a sentence why a source is read by parts; None: it is read into memory.

    Parameters
    ----------
    source : str, path or table
    memory : float or None
        Megabytes that a fit may take; None: what is free now.

    Raises
    ------
    ParameterError
        When an option of parts is given and the source is read into memory, or cannot be.
    """
    sentence = _why(source, parting.by_parts, memory)
    if sentence is None:
        own = {name: getattr(parting, name.replace("-", "_")) for name in OWN}
        for name, given in {"engine": parting.engine != "here", **own}.items():
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


def hint(
    source: str, making: Making, fits: Fits, reading: Reading, carding: Carding, parting: Parting
) -> str | None:
    """Return in a sentence that a fit in memory would be faster by parts; None where it is not.

    It is for large Parquet files, where all that is asked for works by parts.
    """
    path = Path(source)
    if parting.by_parts is False or path.suffix.lower() != PARQUET or not path.is_file():
        return None
    footer = Footer.of(path)
    if sum(footer.rows) * len(footer.fields) < GIANT or making.solver == (AUTO,):
        return None
    try:
        require_by_parts(making, fits, reading, carding)
    except UnsupportedError:
        return None
    return (
        f"{source}: --by-parts takes a part of the time and of the memory for a file of this size, "
        "if no cell is missing; --no-by-parts leaves this line out"
    )


def plan_of(source: str, making: Making, aims: Aims, fits: Fits, reading: Reading) -> ModelPlan:
    """Return the plan for options of a fit by parts that `require_by_parts` lets pass."""
    if making.solver == (AUTO,):
        known = [name for name in AUTOMATIC if why_not_parts(get_solver(name)) is None]
        making = replace(making, solver=tuple(known), tune=bool(making.tune))
    return replace(ModelPlan.of(source, making, aims, fits, reading), minutes=None)


def require_by_parts(making: Making, fits: Fits, reading: Reading, carding: Carding) -> None:
    """Raise `UnsupportedError` when something that is asked for does not work by parts."""
    asked = {
        "--pairs": making.pairs is not None,
        "--monotone": making.monotone is not None,
        "--minutes": making.minutes is not None,
        "--scorecard": bool(carding.scorecard),
        "--splits": fits.splits is not None,
        "--test": reading.test is not None,
        "--groups": reading.groups is not None,
        "--time": reading.time is not None,
        "--weights": reading.weights is not None,
        "--labels": reading.labels != "two",
        "--time-to-event": reading.event is not None,
    }
    if named := [name for name, given in asked.items() if given]:
        raise UnsupportedError(
            f"{', '.join(named)} cannot be had when rows are read by parts; leave it out, or fit "
            "to a file that is read into memory"
        )
    if making.features not in MAPS:
        raise UnsupportedError(
            f"--features {making.features} learns from rows in memory; by parts take one of "
            f"{', '.join(MAPS)}"
        )
    for spec in making.solver:
        if spec != AUTO and (why := why_not_parts(get_solver(spec))):
            raise UnsupportedError(why)
