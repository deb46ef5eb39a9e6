"""`aucbench reproduce`: a table or a figure of a source paper, ours beside theirs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.bench.options import RunOptions
from aucbench.cli.groups import grouped
from aucbench.cli.messages import say, warn
from aucbench.cli.running import AGAIN, open_store, show_run, width
from aucbench.errors import INTERRUPTED, shown
from aucbench.options import OptionGroup

if TYPE_CHECKING:
    from aucbench.bench import Store
    from aucbench.bench.plan.plan import Plan
    from aucbench.bench.results.record import Record
    from aucbench.papers.measuring import Measured
    from aucbench.papers.parts import Experiment
    from aucbench.papers.results import Results

# Of cells that are run here, with limits of their own.
NOT_HERE = ("engine", "cells_per_job", "retry", "timing", "minutes", "threads")


@grouped
def reproduce(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="[PAPER]",
            help="Name of a paper, or a TOML file with experiments. Default: list all.",
        ),
    ] = "",
    *,
    table: Annotated[int | None, typer.Option(help="Number of a table of the paper.")] = None,
    figure: Annotated[int | None, typer.Option(help="Number of a figure of the paper.")] = None,
    full: Annotated[
        bool, typer.Option("--full/--quick", help="As many runs as the paper, or minutes.")
    ] = False,
    protocol: Annotated[
        str, typer.Option(help="clean, or as-published: with the leaks of the published code.")
    ] = "clean",
    no_run: Annotated[
        bool, typer.Option("--no-run", help="Show what the folder holds, and run nothing.")
    ] = False,
    options: Annotated[
        RunOptions,
        OptionGroup("How cells are run", without=NOT_HERE, first=("out", "jobs", "quiet")),
    ],
    md: Annotated[bool, typer.Option("--md", help="Print Markdown.")] = False,
) -> None:
    """Repeat a table or a figure of a source paper; print ours beside theirs.

    Without --out the results are kept in ./reproduce-PAPER.
    """
    from aucbench.errors import UnknownNameError
    from aucbench.papers import experiments as catalogue
    from aucbench.papers.parts import Protocol, Scale
    from aucbench.papers.reproduction import Reproduction
    from aucbench.report.document import markdown, text

    if not paper:
        _list()
        return
    if protocol not in {*Protocol}:
        raise UnknownNameError("protocol", protocol, [*Protocol])
    read = catalogue.paper(paper)
    chosen = catalogue.experiments(
        read,
        table=table,
        figure=figure,
        scale=Scale.FULL if full else Scale.QUICK,
        protocol=Protocol(protocol),
    )
    folder = options.out or Path(f"reproduce-{read.name}")
    if not options.quiet:
        say(f"results are kept in {folder}", err=True)
    for number, experiment in enumerate(chosen):
        if number:
            typer.echo()
        results = _read(experiment, folder) if no_run else _run(experiment, folder, options)
        ours = Reproduction.of(results)
        ours.write(folder)
        typer.echo(markdown([ours.chapter]) if md else text([ours.chapter], width()))
    _write_page(folder, quiet=options.quiet)


def _run(experiment: Experiment, folder: Path, options: RunOptions) -> Results:
    """Run what is missing; exits with 130 after Ctrl-C."""
    from aucbench.papers.results import Results, index_records

    with open_store(folder) as store:
        records = [
            record
            for plan in experiment.plans
            for record in _records(options.limit(plan), store, options)
        ]
        store.home.require()  # measurements are in it, also where there is no cell
        measured = {one.asked.name: one for one in _measured(experiment, folder, options)}
        return Results(experiment, index_records(records), store, measured)


def _records(plan: Plan, store: Store, options: RunOptions) -> list[Record]:
    """Return the records of a plan; exits with 130 after Ctrl-C."""
    from aucbench.report.running import End, run_plan

    records, end = run_plan(plan, store, options, write=partial(say, err=True), tell=warn)
    if end is not End.FINISHED:
        say(f"interrupted: {AGAIN}", err=True)
        raise typer.Exit(INTERRUPTED)
    return records


def _measured(experiment: Experiment, folder: Path, options: RunOptions) -> list[Measured]:
    """Do the measurements; exits with 130 after Ctrl-C."""
    from aucbench.bench.engines.local import LocalEngine
    from aucbench.datasets.located import bring
    from aucbench.papers import measuring
    from aucbench.processes.host import cores

    wanted = measuring.limit_measurements(experiment.measurements, options.timeout, options.memory)
    if not wanted:
        return []
    engine = LocalEngine(jobs=options.jobs or cores())
    # Here, so that the user sees what is downloaded: workers write to logs.
    bring((one.dataset.name for one in wanted), progress=not options.quiet)
    try:
        with (
            measuring.open_measurements(folder, create=True) as store,
            show_run(len(wanted), options) as progress,
        ):
            results = [*measuring.run(wanted, store, engine, progress, warn)]
    except KeyboardInterrupt:
        say(f"interrupted: {AGAIN}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    for problem in store.problems():
        warn(problem)
    return results


def _read(experiment: Experiment, folder: Path) -> Results:
    from aucbench.bench import Store
    from aucbench.papers.results import read_results

    with Store(folder) as store:
        return read_results(experiment, store)


def _write_page(folder: Path, *, quiet: bool) -> None:
    from aucbench.errors import MissingExtraError
    from aucbench.papers.reproduction import write_page

    try:
        said = f"the page with the figures is {shown(str(write_page(folder)))}"
    except MissingExtraError as error:
        said = f"no page was written: {error}"
    if not quiet:
        typer.echo(said, err=True)


def _list() -> None:
    """Print the papers, and what of each can be repeated."""
    from aucbench.papers.experiments import paper, paper_names
    from aucbench.papers.parts import Protocol, Scale
    from aucbench.report.grid import align_columns

    rows = [("paper", "experiment", "protocols", "what it shows")]
    for name in paper_names():
        one = paper(name)
        for place in one.places:
            protocols = "both" if place in one.as_published else "clean"
            title = one.experiment(place, Scale.QUICK, Protocol.CLEAN).title
            rows.append((name, place, protocols, title))
    typer.echo(align_columns(rows))
