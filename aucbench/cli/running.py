"""Run a plan for a command: folder, engine, progress, table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import typer

from aucbench.bench.text import shown

if TYPE_CHECKING:
    from aucbench.bench.engines import Engine
    from aucbench.bench.plan.plan import Plan
    from aucbench.bench.results.metrics import Metrics
    from aucbench.bench.results.record import Record
    from aucbench.bench.results.store import Store
    from aucbench.bench.show.progress import Progress
    from aucbench.bench.show.tables import Tally
    from aucbench.cell import Cell
    from aucbench.cli.options import Options
    from aucbench.stats import Measure

INTERRUPTED = 130  # exit code by which shells know Ctrl-C
Keep = Callable[["Record"], object]


def go(
    plan: Plan,
    options: Options,
    folder: Path | None,
    json: Path | None,
    way_on: str,
    measures: Sequence[Measure] = (),
) -> None:
    """Run a plan, write the rows, print the table; exit with 130 after Ctrl-C.

    Parameters
    ----------
    folder : Path or None
        Results folder; None: a temporary one that is removed at the end.
    json : Path or None
        File that takes the rows.
    way_on : str
        How to go on after Ctrl-C.
    measures : sequence of Measure
        Measured on the stored scores when the run has ended.
    """
    from aucbench.bench.results.export import write_json
    from aucbench.bench.results.metrics import Metrics
    from aucbench.bench.show.tables import Tally
    from aucbench.infra.store import require_writable

    if json is not None:
        require_writable(json)
    engine = options.make_engine(folder)
    tally = Tally(plan)
    ids: dict[Cell, str] = {}
    keepers: list[Keep] = [tally.add, lambda record: ids.update({record.cell: record.id})]
    with _opened(folder) as store:
        whole = _run(plan, store, engine, options, keepers)
        metrics = Metrics(store, measures)
        known = (store.read(ids[cell]) for cell in plan.cells() if cell in ids)
        found = (record for record in known if record is not None)
        try:
            if json is not None:
                write_json(found, tally.optima, json, metrics.add)
            elif measures:
                for record in found:
                    metrics.add(record)
        finally:
            _print_table(plan, tally)
            if measures:
                _print_metrics(metrics)
    if not whole:
        missing = len(plan) - tally.total
        typer.echo(f"interrupted: {missing} of {len(plan)} rows are missing; {way_on}", err=True)
        raise typer.Exit(INTERRUPTED)


def warn(sentence: str) -> None:
    """One line on stderr."""
    typer.echo(f"warning: {shown(sentence)}", err=True)


@contextmanager
def _opened(folder: Path | None) -> Iterator[Store]:
    from aucbench.bench import Store

    with ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="aucbench-")), "results")
        store = stack.enter_context(Store(folder, create=True))
        try:
            yield store
        finally:
            for problem in store.problems():
                warn(problem)


def _run(
    plan: Plan, store: Store, engine: Engine, options: Options, keepers: Sequence[Keep]
) -> bool:
    """Pass each record to the keepers; return False if Ctrl-C ended the run."""
    from aucbench.bench.runner import run
    from aucbench.bench.show.listeners import guests

    visitors = guests()
    try:
        with _progress(plan, options) as progress:
            hear = (progress, *visitors)
            for record in run(plan, store, engine, retry=options.retry, listeners=hear):
                progress.known(record)
                for keep in keepers:
                    keep(record)
    except KeyboardInterrupt:
        return False
    finally:
        for guest in visitors:
            if guest.failure:
                warn(f"the listener {guest.name} was dropped: {guest.failure}")
    return True


def _print_table(plan: Plan, tally: Tally) -> None:
    from rich.console import Console

    from aucbench.bench.show import tables

    summaries = tally.summaries()
    if sys.stdout.isatty():
        Console(highlight=False).print(tables.rich_table(summaries))
    else:
        typer.echo(tables.plain_table(summaries))
    typer.echo(f"\n{shown(tables.protocol(plan, tally.tried))}")
    for line in (*tally.notes(), *tally.failures()):
        typer.echo(shown(line))


def _print_metrics(metrics: Metrics) -> None:
    typer.echo(f"\n{metrics.table()}")
    for line in metrics.notes():
        typer.echo(shown(line))


@contextmanager
def _progress(plan: Plan, options: Options) -> Iterator[Progress]:
    from aucbench.bench.show.progress import Display, LinePerCell, Progress

    if options.quiet:
        yield Progress(len(plan))
    elif sys.stderr.isatty():
        from rich.console import Console

        with Display(len(plan), Console(stderr=True), moving=not options.timing) as display:
            yield display
    else:
        yield LinePerCell(len(plan), lambda line: typer.echo(line, err=True))
