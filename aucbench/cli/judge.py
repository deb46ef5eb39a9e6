"""`aucbench judge`: what a table of results of others says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aucbench.cli.groups import grouped
from aucbench.cli.messages import say
from aucbench.judging.options import JudgeOptions
from aucbench.options import OptionGroup

NOT_MET = 1  # exit code


@grouped
def judge(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="CSV, Parquet, Excel, JSON or npz; of one format."),
    ],
    *,
    form: Annotated[
        str,
        typer.Option(
            "--from",
            help="long, wide, benchopt, amlb, tabarena or sklearn; auto knows them by their "
            "columns.",
        ),
    ] = "auto",
    options: Annotated[
        JudgeOptions,
        OptionGroup("How results are judged", first=("by", "smaller", "larger", "reference")),
    ],
    require: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD", help="Exit with 1 unless this method may be the best, for a check."
        ),
    ] = None,
    every_line: Annotated[
        bool, typer.Option("--all", help="Print all lines of a long table.")
    ] = False,
    html: Annotated[Path | None, typer.Option(help="File that takes the page.")] = None,
    json: Annotated[Path | None, typer.Option(help="File that takes the verdict.")] = None,
    badge: Annotated[
        Path | None,
        typer.Option(help="File that takes one line of text, on METHOD if --require names one."),
    ] = None,
) -> None:
    """Say which method of a table of results may be the best, and which are behind.

    The exit code is 0 if there is a verdict, 1 if --require is not met, and 2 if the table does
    not say what is asked of it.
    """
    from aucbench.cli.running import print_grids, require_writable, width
    from aucbench.report.judged import BEST, judge_tables

    require_writable(html, json, badge)
    verdict = judge_tables(files, form, options)
    standing = BEST if require is None else verdict.standing(require)
    for sentence in verdict.sentences:
        say(sentence)
    typer.echo()
    tables = verdict.grids if every_line else [grid.first() for grid in verdict.grids]
    print_grids(tables, verdict.notes, width())
    if html is not None:
        verdict.report().save(html)
    if json is not None:
        write(json, verdict.json())
    if badge is not None:
        write(badge, f"{verdict.badge(require)}\n".encode())
    if standing != BEST:
        say(f"{require} {standing}", err=True)
        raise typer.Exit(NOT_MET)


def write(path: Path, content: bytes) -> None:
    """Write a file that is whole or not there."""
    from aucbench.store import own_file

    with own_file(path) as file:
        file.write(content)
