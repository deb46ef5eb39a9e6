"""Run a plan for a command: folder, engine, progress, table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from enum import Enum
from functools import partial
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from aucbench.cli.head_start import supervisor_of
from aucbench.cli.messages import say, warn
from aucbench.errors import INTERRUPTED

if TYPE_CHECKING:
    from aucbench.bench.cell import Cell
    from aucbench.bench.engines import Engine
    from aucbench.bench.options import Options
    from aucbench.bench.plan.plan import Plan
    from aucbench.bench.results.record import Record
    from aucbench.bench.results.store import Store
    from aucbench.cli.options import Output
    from aucbench.progress import Progress
    from aucbench.report.document import Grid
    from aucbench.stats import Measure

UNFINISHED = 3  # exit code when --minutes has left cells out
FAILED = 1  # exit code when no row has an AUC
LISTED = 20  # cells that a terminal shows
WIDE = 80  # columns of the answer where stdout is no terminal


class End(Enum):
    """How a run has ended, in the words in which it is said."""

    WHOLE = "finished"
    INTERRUPTED = "interrupted"
    TIME = "the time is over"


def go(
    plan: Plan,
    options: Options,
    folder: Path | None,
    json: Path | None,
    way_on: str,
    output: Output,
) -> None:
    """Run a plan, write the rows, print tables and the answer.

    It exits with 130 after Ctrl-C, SIGTERM or SIGHUP, with 3 where --minutes has left cells out,
    and with 1 where no row has an AUC.

    Parameters
    ----------
    folder : Path or None
        Results folder; None: a temporary one that is removed at the end.
    json : Path or None
        File that takes the rows.
    way_on : str
        How to go on after an interruption.
    output : Output
        What is printed when the run has ended.
    """
    measures = output.measures(plan)
    with ExitStack() as warm:
        # First of all: the warm process starts while this one imports the rest.
        engine = warm.enter_context(_warm(options.make_engine(folder), plan))
        from aucbench.bench.measuring import supervised
        from aucbench.report.evidence import require_planned
        from aucbench.store import require_writable

        require_planned(plan, output.reference)
        if json is not None:
            require_writable(json)
        with opened(folder) as store:
            records, end = _run(plan, store, engine, options)
            whole = end is End.WHOLE
            warm.close()
            with supervised():
                if json is not None:
                    write_rows(json, records, store, measures, interim=not whole)
                print_results(plan, records, store, folder, output, measures)
    if not whole:
        missing = len(plan) - len(records)
        say(f"{end.value}: {missing} of {len(plan)} rows are missing; {way_on}", err=True)
        raise typer.Exit(INTERRUPTED if end is End.INTERRUPTED else UNFINISHED)
    if not any(record.ok for record in records):
        raise typer.Exit(FAILED)


def print_estimate(plan: Plan, options: Options, folder: Path, json: Path | None) -> None:
    """Print how long the cells of a plan that are left will take.

    It exits with 130 after Ctrl-C, SIGTERM or SIGHUP; pilot cells that have ended are kept.

    Parameters
    ----------
    folder : Path
        Results folder, which keeps the pilot cells.
    json : Path or None
        File that takes the estimate.
    """
    options.require_present("--estimate")
    from aucbench.bench.estimate import Pilots, estimate_seconds
    from aucbench.bench.runner import run
    from aucbench.datasets.located import bring
    from aucbench.processes.host import cores
    from aucbench.store import require_writable
    from aucbench.store.files import own_file

    if json is not None:
        require_writable(json)
    bring(_named(plan), progress=not options.quiet)
    with (
        _warm(options.make_engine(folder), plan) as engine,
        opened(folder) as store,
        shown_progress(0, options) as progress,
    ):
        pilots = Pilots(plan, store)
        try:
            records = [*run(plan, store, engine, progress=progress, tell=warn, only=pilots)]
        except KeyboardInterrupt:
            say("interrupted: the pilots that have ended are kept", err=True)
            raise typer.Exit(INTERRUPTED) from None
        left = {*plan.cells()} - {record.cell for record in records}
        jobs = getattr(engine, "jobs", None) or cores()
        seconds = estimate_seconds(plan, store, left) / jobs
    if json is not None:
        found = {"cells": len(plan), "left": len(left), "seconds": seconds, "jobs": jobs}
        with own_file(json) as file:
            file.write(dumps(found, indent=1).encode())
    time = timedelta(seconds=round(seconds))
    say(f"{len(left)} of {len(plan)} cells are left: {time} with {jobs} at once")


@contextmanager
def _warm(engine: Engine, plan: Plan) -> Iterator[Engine]:
    """Give an engine of this host its supervisor now; `run` opens that of another one."""
    from aucbench.bench.engines.local import LocalEngine
    from aucbench.bench.learning import modules_for

    if not isinstance(engine, LocalEngine):
        yield engine
        return
    with supervisor_of(engine, modules_for(plan)) as supervisor:
        yield replace(engine, supervisor=supervisor)


def records_of(plan: Plan, store: Store, options: Options, way_on: str) -> list[Record]:
    """Run a plan and return its records in the order of its cells.

    It exits with 130 after Ctrl-C, and says `way_on`.
    """
    records, end = _run(plan, store, options.make_engine(None), options)
    if end is not End.WHOLE:
        say(f"interrupted: {way_on}", err=True)
        raise typer.Exit(INTERRUPTED)
    return records


def print_grids(grids: Sequence[Grid], notes: Iterable[str], wide: int | None) -> None:
    """Print tables, and what is said below them."""
    from aucbench.report import document

    typer.echo(document.text(grids, wide, _strong()))
    typer.echo()
    for line in notes:
        say(line)


@contextmanager
def opened(folder: Path | None, *, create: bool = True) -> Iterator[Store]:
    """Open a results folder, or a temporary one that is removed at the end; say its problems."""
    from aucbench.bench import Store
    from aucbench.processes.scratch import Scratch

    with ExitStack() as stack:
        if folder is None:
            folder = stack.enter_context(Scratch()).path / "results"
        store = stack.enter_context(Store(folder, create=create))
        try:
            yield store
        finally:
            for problem in store.problems():
                warn(problem)


def _run(plan: Plan, store: Store, engine: Engine, options: Options) -> tuple[list[Record], End]:
    """Return the records in the order of the cells of the plan, and how the run has ended."""
    from aucbench.bench.runner import run
    from aucbench.bench.until import Until
    from aucbench.datasets.located import bring
    from aucbench.records import CellStatus

    until = None if options.seconds is None else Until(options.seconds)
    # Here, so that the user sees what is downloaded: workers write to logs.
    bring(_named(plan), progress=not options.quiet)
    records: dict[Cell, Record] = {}
    end = End.WHOLE
    try:
        with shown_progress(len(plan), options) as progress:
            for record in run(
                plan, store, engine, retry=options.retry, progress=progress, tell=warn, until=until
            ):
                records[record.cell] = record
        if until is not None and until.left_out:
            end = End.TIME
    except KeyboardInterrupt:
        end = End.INTERRUPTED
    finally:
        _say_limit(plan, sum(r.status.status == CellStatus.TIMEOUT for r in records.values()))
    return [records[cell] for cell in plan.cells() if cell in records], end


def _say_limit(plan: Plan, killed: int) -> None:
    """Say which limit ended cells, if nobody has asked for it."""
    from aucbench.bench.plan.fields import DEFAULT_TIMEOUT

    if killed and plan.timeout == DEFAULT_TIMEOUT:
        limit = f"{killed} cell(s) were killed after {DEFAULT_TIMEOUT:g} s"
        warn(f"{limit}; --timeout changes that, and --timeout 0 lifts it")


def _named(plan: Plan) -> Iterator[str]:
    """Yield what may be the name of a data set that no plugin has: also what another draws from."""
    from aucbench.datasets import entry_of
    from aucbench.registry.lookup import owner
    from aucbench.registry.specs import parse_spec

    named = [plan.reading.test]
    for spec in map(parse_spec, plan.datasets):
        named += [spec.name, *spec.unnamed, *spec.params.values()]
    for name in named:
        known = isinstance(name, str) and entry_of(name).in_files
        if isinstance(name, str) and not (known and owner("datasets", name)):
            yield name


def write_rows(
    path: Path,
    records: Sequence[Record],
    store: Store,
    measures: Sequence[Measure],
    *,
    interim: bool,
) -> None:
    """Write the row of each record to a file.

    Each row says whether it is `interim`: of a run that has not ended.
    """
    from aucbench.bench.measuring import metrics_of
    from aucbench.bench.results.convergence import Optima, flat_row
    from aucbench.bench.results.export import write_list

    optima, state = Optima(records), {"interim": interim}
    write_list(
        (flat_row(one, optima) | state | metrics_of(one, store, measures) for one in records), path
    )


def print_results(
    plan: Plan,
    records: Sequence[Record],
    store: Store,
    folder: Path | None,
    output: Output,
    measures: Sequence[Measure],
) -> None:
    """Print tables, notes, remarks and the answer."""
    from aucbench.bench.show.remarks import protocol, remarks_on
    from aucbench.report import document, terminal
    from aucbench.report.evidence import evidence_of
    from aucbench.report.tables import grids

    evidence = evidence_of(
        records,
        [plan],
        scores=lambda fit: store.scores(fit.id, fit.data),
        about=store.about,
    )
    evidence = replace(evidence, problems=store.problems)
    findings, others, missing = output.findings(evidence, measures)
    tables = grids(findings, others)
    wide = width()
    typer.echo(document.text(tables, wide, _strong()))
    typer.echo()
    say(protocol(plan, records))
    unmeasured = [*findings.unmeasured, *(line for other in others for line in other.failures)]
    remarks = remarks_on(plan, records, folder)
    for line in (*terminal.notes(findings), *missing, *unmeasured, *remarks):
        say(line)
    if len(evidence.solvers) > 1:
        typer.echo(f"\n{terminal.answer(findings, wide or WIDE)}")
    elif evidence.state:
        say(evidence.state)


def width() -> int | None:
    """Columns of the terminal; None when stdout is none."""
    from shutil import get_terminal_size

    return get_terminal_size().columns if sys.stdout.isatty() else None


def _strong() -> Callable[[str], str]:
    """Return what makes a line stand out: in a terminal it is bold."""
    return partial(typer.style, bold=True) if sys.stdout.isatty() else str


def shown_progress(total: int, options: Options) -> AbstractContextManager[Progress]:
    """Show the progress of a run on stderr, as the options and the terminal ask for."""
    from aucbench.progress import show_progress

    write = partial(say, err=True)
    return show_progress(total, write, quiet=options.quiet, moving=not options.timing)
