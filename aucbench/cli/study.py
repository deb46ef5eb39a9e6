"""`aucbench study`: where a solver stands among those of the study."""

from __future__ import annotations

from functools import partial
from math import isnan
from pathlib import Path
from typing import Annotated

import typer

from aucbench.bench.options import RunOptions
from aucbench.cli.groups import grouped
from aucbench.cli.messages import say, warn
from aucbench.cli.running import (
    FAILED,
    open_store,
    print_grids,
    require_writable,
    warm_engine,
    width,
)
from aucbench.errors import INTERRUPTED
from aucbench.options import OptionGroup

# The protocol says them, or seconds would be those of another machine.
NOT_HERE = ("engine", "cells_per_job", "retry", "timing", "threads", "timeout", "memory")


@grouped
def study(
    solver: Annotated[
        str,
        typer.Argument(help="Name with parameters, ./file.py:Class, or a solver of a package."),
    ],
    *,
    options: Annotated[
        RunOptions, OptionGroup("How it is run", without=NOT_HERE, first=("minutes", "out"))
    ],
    html: Annotated[Path | None, typer.Option(help="File that takes the page.")] = None,
    csv: Annotated[
        Path | None,
        typer.Option(help="File that takes the rows to add to the published means."),
    ] = None,
) -> None:
    """Run a solver on the tasks of the study; print where it stands among the published solvers.

    Tasks of all kinds come first, and each of them is run as in the study. Without --minutes, all
    tasks are run. An AUC does not depend on --jobs. Seconds do, so that the first tasks are also
    run by a reference, whose seconds are published.
    """
    from aucbench.cli.judge import write
    from aucbench.report.running import End
    from aucbench.study.means import format_means
    from aucbench.study.plans import tasks
    from aucbench.study.running import choice_of, plans_of, run_study

    require_writable(html, csv)
    choice = choice_of(solver)
    [first] = plans_of(tasks()[:1], [choice])
    with warm_engine(options, first) as engine, open_store(options.out) as store:
        found = run_study(choice, store, options, engine, write=partial(say, err=True), tell=warn)
    standing = found.standing()
    for sentence in standing.sentences:
        say(sentence)
    typer.echo()
    print_grids([grid.first() for grid in standing.grids], standing.notes, width())
    if html is not None:
        standing.report().save(html)
    if csv is not None:
        write(csv, format_means(found.means).encode())
    if found.end is End.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    if all(isnan(one.auc) for one in found.means):
        raise typer.Exit(FAILED)
