"""`aucbench power`: what a comparison can find, before it is run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aucbench.cli.saying import say, warn


def power(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="A results folder that gives what is not given."),
    ] = None,
    *,
    data_sets: Annotated[int | None, typer.Option(help="Number of data sets.")] = None,
    splits: Annotated[
        int | None, typer.Option(help="Splits of each data set. [default: 5, or those of DIR]")
    ] = None,
    solvers: Annotated[
        int | None,
        typer.Option(help="All their pairs are tested together. [default: 2, or those of DIR]"),
    ] = None,
    sd: Annotated[
        float | None,
        typer.Option(help="Standard deviation of a difference over data sets, with these splits."),
    ] = None,
    split_sd: Annotated[
        float | None,
        typer.Option(help="Standard deviation of a difference between splits of a data set."),
    ] = None,
    difference: Annotated[
        float | None, typer.Option(help="How many data sets does it take to find this one?")
    ] = None,
    level: Annotated[float, typer.Option(help="1 - level is the size of the tests.")] = 0.95,
    probability: Annotated[
        float, typer.Option(help="With which a difference shall be found.")
    ] = 0.8,
) -> None:
    """Say which difference a number of data sets can show, and how many data sets it takes."""
    from aucbench.report.folder import FolderReader
    from aucbench.report.planning import power_plan

    evidence = None if folder is None else FolderReader(folder, stale=False).read()
    planned = power_plan(
        evidence,
        data_sets=data_sets,
        splits=splits,
        solvers=solvers,
        sd=sd,
        split_sd=split_sd,
        difference=difference,
        level=level,
        wanted=probability,
    )
    for problem in evidence.problems() if evidence is not None else ():
        warn(problem)
    if evidence is not None and evidence.unchecked:
        warn(f"stale results may count, since the plans cannot be looked up: {evidence.unchecked}")
    for sentence in planned.sentences:
        say(sentence)
