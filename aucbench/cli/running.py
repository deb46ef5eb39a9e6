"""Run a plan for a command: folder, engine, progress, tables and the answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from aucbench.cli.head_start import supervisor_of
from aucbench.cli.messages import say, warn
from aucbench.errors import INTERRUPTED

if TYPE_CHECKING:
    from aucbench.bench.engines import Engine
    from aucbench.bench.options import RunOptions, ShowOptions
    from aucbench.bench.plan.plan import Plan
    from aucbench.bench.results.record import Record
    from aucbench.bench.results.store import Store
    from aucbench.progress import Progress
    from aucbench.report.comparison import Results
    from aucbench.report.findings import Findings
    from aucbench.report.grid import Grid

UNFINISHED = 3  # exit code when --minutes has left cells out
FAILED = 1  # exit code when no row has an AUC
WIDE = 80  # columns of the answer if stdout is no terminal
TITLE = 3  # lines above and below those of a table
MOST_NOTES = 12  # lines below the tables
AGAIN = "the same command goes on where it stopped"
LOST = "--out DIR would keep the others"


def run_and_print(plan: Plan, run: RunOptions, show: ShowOptions, json: Path | None) -> None:
    """Run a plan, write the rows, print tables and the answer.

    It exits with 130 after Ctrl-C, SIGTERM or SIGHUP, with 3 if --minutes has left cells out, and
    with 1 if no row has an AUC.

    Parameters
    ----------
    json : Path or None
        File that takes the rows.
    """
    with ExitStack() as warm:
        # First of all: the warm process starts while this one imports the rest.
        engine = warm.enter_context(warm_engine(run, plan))
        from aucbench.report.collecting import require_planned
        from aucbench.report.running import End, resolve_metrics, run_plan

        show = resolve_metrics(show, plan.pairs, plan.timeout or None)
        require_planned(plan, show.reference)
        require_writable(json)
        with open_store(run.out) as store:
            write = partial(say, err=True)
            records, end = run_plan(plan, store, run, engine, write=write, tell=warn)
            _warn_of_limit(plan, records)
            finished = end is End.FINISHED
            warm.close()
            from aucbench.bench.measuring import supervised
            from aucbench.report.comparison import Results

            results = Results(records, store, plan, show, curves=False)
            with supervised():
                if json is not None:
                    write_rows(json, results, interim=not finished)
                print_results(results, run.out)
    if not finished:
        missing = len(plan) - len(records)
        further = AGAIN if run.out else LOST
        say(f"{end.value}: {missing} of {len(plan)} rows are missing; {further}", err=True)
        raise typer.Exit(INTERRUPTED if end is End.INTERRUPTED else UNFINISHED)
    if not any(record.ok for record in records):
        raise typer.Exit(FAILED)


def require_writable(*paths: Path | None) -> None:
    """Raise, before anything takes long, unless files can be written."""
    from aucbench.store import require_writable as require

    for path in filter(None, paths):
        require(path)


def print_estimate(plan: Plan, run: RunOptions, json: Path | None) -> None:
    """Print how long the cells of a plan that are left will take.

    It exits with 130 after Ctrl-C, SIGTERM or SIGHUP; pilot cells that have ended are kept.

    Parameters
    ----------
    json : Path or None
        File that takes the estimate.
    """
    run.require_present("--estimate")
    from aucbench.bench.estimate import Pilots, estimate_seconds
    from aucbench.bench.runner import run as run_cells
    from aucbench.datasets.located import bring
    from aucbench.processes.host import cores
    from aucbench.report.running import data_names
    from aucbench.store.files import own_file

    require_writable(json)
    bring(data_names(plan), progress=not run.quiet)
    with (
        warm_engine(run, plan) as engine,
        open_store(run.out) as store,
        show_run(0, run) as progress,
    ):
        pilots = Pilots(plan, store)
        try:
            records = [*run_cells(plan, store, engine, progress=progress, tell=warn, only=pilots)]
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
def warm_engine(run: RunOptions, plan: Plan) -> Iterator[Engine]:
    """Give an engine of this host its supervisor now; `run` opens that of another one."""
    from aucbench.bench.engines.local import LocalEngine
    from aucbench.bench.learning import modules_for

    engine = run.make_engine()
    if not isinstance(engine, LocalEngine):
        yield engine
        return
    with supervisor_of(engine, modules_for(plan)) as supervisor:
        yield replace(engine, supervisor=supervisor)


@contextmanager
def open_store(folder: Path | None, *, create: bool = True) -> Iterator[Store]:
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


def _warn_of_limit(plan: Plan, records: Iterable[Record]) -> None:
    """Say which limit ended cells, if nobody has asked for it."""
    from aucbench.ranges import DEFAULT_TIMEOUT
    from aucbench.records import CellStatus

    killed = sum(record.status.status == CellStatus.TIMEOUT for record in records)
    if killed and plan.timeout == DEFAULT_TIMEOUT:
        limit = f"{killed} cell(s) were killed after {DEFAULT_TIMEOUT:g} s"
        warn(f"{limit}; --timeout changes that, and --timeout 0 lifts it")


def write_rows(path: Path, results: Results, *, interim: bool) -> None:
    """Write the row of each record; each says whether it is `interim`: of a run that goes on."""
    from aucbench.bench.results.export import write_list

    write_list((row | {"interim": interim} for row in results.rows()), path)


def print_results(results: Results, folder: Path | None) -> None:
    """Print the tables that fit a screen, notes, remarks and the answer."""
    from aucbench.report.notes import answer, notes
    from aucbench.report.remarks import format_protocol, remarks_on

    findings = results.findings
    by_set = print_screen(findings)
    say(format_protocol(results.plan, results))
    below = [*notes(findings, by_set=by_set), *findings.unmeasured]
    for line in (*_first_notes(below), *remarks_on(results.plan, results, folder)):
        say(line)
    if len(findings.frame.solvers) > 1:
        typer.echo(f"\n{answer(findings, width() or WIDE)}")
    else:  # of one solver there is no answer
        for line in filter(None, (findings.state, *findings.missing)):
            say(line)


def print_screen(findings: Findings) -> bool:
    """Print the tables of the data sets if they fit a screen; else the one over all, or the first.

    A sentence says how to get those that are left out. It returns whether tables of data sets were
    printed.
    """
    from aucbench.report.grid import SCREEN
    from aucbench.report.tables import grids

    tables = shown = grids(findings)
    if sum(len(table.lines) + TITLE for table in tables) > SCREEN and len(tables) > 1:
        shown = tables[-1:] if len(tables) > len(findings.datasets) else tables[:1]
    print_grids([table.first() for table in shown], [], width())
    if left := len(tables) - len(shown):
        say(f"{left} more tables, of single data sets: `aucbench report DIR --md` prints all")
    return len(findings.datasets) > left


def _first_notes(notes: Sequence[str]) -> Iterator[str]:
    """Yield the notes that fit a screen, and how many are left out."""
    yield from notes[:MOST_NOTES]
    if len(notes) > MOST_NOTES:
        yield f"{len(notes) - MOST_NOTES} more notes are on the page of `aucbench report --html`"


def print_grids(grids: Sequence[Grid], notes: Iterable[str], wide: int | None) -> None:
    """Print tables, and what is said below them."""
    from aucbench.report import document

    typer.echo(document.text(grids, wide, _strong()))
    typer.echo()
    for line in notes:
        say(line)


def width() -> int | None:
    """Columns of the terminal; None when stdout is none."""
    from shutil import get_terminal_size

    return get_terminal_size().columns if sys.stdout.isatty() else None


def _strong() -> Callable[[str], str]:
    """Return what makes a line stand out: in a terminal it is bold."""
    return partial(typer.style, bold=True) if sys.stdout.isatty() else str


def show_run(total: int, run: RunOptions) -> AbstractContextManager[Progress]:
    """Show the progress of a run on stderr, as the options and the terminal ask for."""
    from aucbench.progress import show_progress

    write = partial(say, err=True)
    return show_progress(total, write, quiet=run.quiet, moving=not run.timing)
