"""A fit by parts in a supervised process, with limits of time and memory.

What the parts have answered stands in a folder beside the file of the model, until that is written.
So a fit that was ended goes on from there, see `journal`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

from aucbench.bench.engines.local import PRELOAD
from aucbench.bench.options import Fits, Options
from aucbench.bench.plan.plan import MEGABYTE
from aucbench.datasets.arrow import system_pool
from aucbench.datasets.reading import Reading
from aucbench.errors import DataError
from aucbench.models.journal import Journal, answers_in
from aucbench.models.model import Model
from aucbench.models.options import Aims, Carding, Making, Parting
from aucbench.models.parted import fitted_by_parts
from aucbench.models.parted_plan import in_order, plan_of
from aucbench.models.parted_telling import Lines, Watched
from aucbench.processes import open_supervisor
from aucbench.processes.host import cores
from aucbench.processes.isolated import Process
from aucbench.processes.records import Ending, Job, Limits, Outcome
from aucbench.processes.room import Room
from aucbench.processes.scratch import Scratch
from aucbench.scale.engines import engine_of

CALL = "aucbench.models.parted_job:fit"
# What the process finds imported, so that a limit of memory does not count it.
LIBRARIES = ("aucbench.models.parted_job", "pyarrow.parquet", "scipy.optimize")
MODEL = "model"
KEPT = ".parts"  # ending of the folder beside the file of a model
KINDS: Mapping[str, Any] = {"making": Making, "aims": Aims, "fits": Fits, "parting": Parting}
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

    def request(self, lines: Path, journal: Path) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "source": self.source,
            "folder": str(Path.cwd()),
            **{name: asdict(getattr(self, name)) for name in KINDS},
            "reading": self.reading.to_json(),
            "lines": str(lines),
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
        request = asked.request(scratch.path / "lines", journal)
        limits, threads = limits_of(options), options.jobs or cores()
        job = Job(CALL, request, limits=limits, preload=LIBRARIES)
        with (
            nullcontext() if limits.memory is None else system_pool(),
            closing(Process(partial(open_supervisor, threads=threads, preload=PRELOAD))) as process,
        ):
            for said in process.said(job):
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
    wanted = plan_of(asked.source, making, asked.aims, asked.fits, asked.reading, Carding())
    with Lines(Path(request["lines"])) as lines:
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
