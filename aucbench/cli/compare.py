"""`aucbench compare`: run every solver on every split and print the table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.bench.text import shown
from aucbench.errors import ParameterError

if TYPE_CHECKING:
    from aucbench.bench.cell import Row
    from aucbench.bench.plan import Plan

INTERRUPTED = 130  # exit code by which shells know Ctrl-C
Texts = list[str] | None


def compare(
    solvers: Annotated[
        Texts,
        typer.Option(
            help="Such as sht-auc[k=50,blocks=4],logistic; repeatable. "
            "[default: sht-auc,sto-iht,logistic,logistic-balanced]"
        ),
    ] = None,
    data: Annotated[
        Texts, typer.Option(help="Names, files, or https://...#sha256=HEX; repeatable.")
    ] = None,
    preprocess: Annotated[
        str, typer.Option(help="maxabs, standard, unit, unit-centred or none.")
    ] = "maxabs",
    objective: Annotated[str | None, typer.Option(help="In place of the solvers' own.")] = None,
    projector: Annotated[str | None, typer.Option(help="In place of the solvers' own.")] = None,
    positive: Annotated[Texts, typer.Option(help="Labels of files that count as positive.")] = None,
    drop: Annotated[Texts, typer.Option(help="Columns of files to leave out.")] = None,
    splits: Annotated[int, typer.Option(help="Stratified folds.")] = 5,
    repeats: Annotated[int, typer.Option(help="How often the folds are drawn anew.")] = 1,
    passes: Annotated[
        float | None,
        typer.Option(help="Passes over the data in a fit. [default: 50, without --seconds]"),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Seconds of a fit; the first limit reached ends it.")
    ] = None,
    gap_tol: Annotated[float, typer.Option(help="A certified gap this small ends a fit.")] = 1e-6,
    seed: Annotated[int, typer.Option(help="Of the folds and of the solvers.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File that takes one object per fit.")] = None,
) -> None:
    """Fit every solver on every split of every data set; print the test AUC."""
    from aucbench.bench.plan import DEFAULT_SOLVERS, Settings, make_plan
    from aucbench.bench.store import require_writable, write_rows

    if json is not None:
        require_writable(json)
    plan = make_plan(
        _specs(solvers) or DEFAULT_SOLVERS,
        _specs(data),
        Settings(preprocess, objective, projector, splits, repeats, passes, seconds, gap_tol, seed),
        positive=_entries("positive", positive) or None,
        drop=_entries("drop", drop),
    )
    rows = _run(plan)
    try:
        if json is not None:
            write_rows(rows, json)
    finally:
        _print_table(rows, plan)
    if len(rows) < len(plan.cells):
        raise typer.Exit(INTERRUPTED)


def _specs(texts: Texts) -> list[str]:
    from aucbench.registry.specs import split_specs

    return [spec for text in texts or () for spec in split_specs(text)]


def _entries(option: str, texts: Texts) -> list[str]:
    found = [part.strip() for text in texts or () for part in text.split(",")]
    if "" in found:
        raise ParameterError(f"--{option} has an empty entry; write it like --{option} a,b")
    return found


def _run(plan: Plan) -> list[Row]:
    """Rows of the plan, or of as much of it as Ctrl-C left time for."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    from aucbench.bench.compare import run

    rows: list[Row] = []
    count = len(plan.cells)
    hidden = not sys.stderr.isatty()
    try:
        # Redrawn between fits only: a thread that does it would run on the solvers' clock.
        with Progress(
            console=Console(stderr=True), disable=hidden, auto_refresh=False, transient=True
        ) as bar:
            task = bar.add_task("", total=count)
            finished = run(plan)
            for cell in plan.cells:
                name = escape(shown(f"{cell.solver} on {cell.dataset}"))
                bar.update(task, description=name, refresh=True)
                rows.append(next(finished))
                bar.advance(task)
    except KeyboardInterrupt:
        typer.echo(f"interrupted: {count - len(rows)} of {count} rows are missing", err=True)
    return rows


def _print_table(rows: list[Row], plan: Plan) -> None:
    from rich.console import Console

    from aucbench.bench import tables

    summaries = tables.summarise(rows)
    if sys.stdout.isatty():
        Console(highlight=False).print(tables.rich_table(summaries))
    else:
        typer.echo(tables.plain_table(summaries))
    typer.echo(f"\n{shown(tables.protocol(plan.settings))}")
    for line in tables.failures(rows):
        typer.echo(shown(line))
