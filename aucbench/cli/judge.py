"""`aucbench judge`: what a table of results of others says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aucbench.cli.groups import grouped
from aucbench.cli.messages import say
from aucbench.judging.options import JudgeOptions
from aucbench.options import OptionGroup


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
    html: Annotated[Path | None, typer.Option(help="File that takes the page.")] = None,
    json: Annotated[Path | None, typer.Option(help="File that takes the verdict.")] = None,
) -> None:
    """Say which method of a table of results may be the best, and which are behind."""
    from aucbench.cli.running import print_grids, width
    from aucbench.report.judged import judge_tables
    from aucbench.report.render import require_jinja
    from aucbench.store import own_file, require_writable

    if html is not None:
        require_jinja()
    for path in filter(None, (html, json)):
        require_writable(path)
    verdict = judge_tables(files, form, options)
    print_grids(verdict.grids, verdict.notes, width())
    typer.echo()
    for sentence in verdict.sentences:
        say(sentence)
    for place, content in ((html, verdict.page), (json, verdict.json)):
        if place is not None:
            with own_file(place) as file:
                file.write(content())
