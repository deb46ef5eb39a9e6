"""`aucbench compare`: run every solver on every split and print the table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aucbench.bench.options import RUN_ONLY, Comparison, Fits, Options
from aucbench.cli.groups import Group, grouped
from aucbench.cli.options import FILES, FITS, OUTPUT, RUNS, Output
from aucbench.cli.running import go
from aucbench.datasets.reading import Reading

FIRST = ("solvers", "data", "features", "tune")


@grouped
def compare(
    asked: Annotated[Comparison, Group(FITS, first=FIRST)],
    out: Annotated[Path | None, typer.Option(help="Folder that keeps the results.")] = None,
    *,
    files: Annotated[Reading, Group(FILES, first=("target", "positive"))],
    fits: Annotated[Fits, Group(FITS, without=("holdout",), first=("splits", "passes"))],
    options: Annotated[Options, Group(RUNS, without=(*RUN_ONLY, "threads"))],
    output: Annotated[Output, Group(OUTPUT, first=("metrics",))],
    json: Annotated[
        Path | None,
        typer.Option(help="File that takes one object per fit.", rich_help_panel=OUTPUT),
    ] = None,
) -> None:
    """Fit every solver on every split of every data set; print the test AUC."""
    plan = options.limited(asked.plan(files, fits))
    way_on = "run the same command again to go on" if out else "--out DIR would keep the others"
    go(plan, options, out, json, way_on, output)
