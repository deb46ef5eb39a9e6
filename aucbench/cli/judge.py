"""`aucbench judge`: what results of others say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aucbench.cli.groups import Group, grouped
from aucbench.cli.saying import say
from aucbench.judging.options import Columns, Judging

COLUMNS = "Columns of the table"
JUDGED = "How results are judged"


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
    judging: Annotated[Judging, Group(JUDGED, first=("by", "smaller", "larger", "reference"))],
    columns: Annotated[Columns, Group(COLUMNS)],
    html: Annotated[Path | None, typer.Option(help="File that takes the page.")] = None,
    json: Annotated[Path | None, typer.Option(help="File that takes the verdict.")] = None,
) -> None:
    """Say which method of a table of results may be the best, and which are behind."""
    from aucbench.cli.running import print_grids, width
    from aucbench.judging.judge import judged
    from aucbench.report.render import require_jinja
    from aucbench.store import own_file, require_writable

    if html is not None:
        require_jinja()
    for path in filter(None, (html, json)):
        require_writable(path)
    judgement = judged(files, form, columns, judging)
    print_grids(judgement.grids, judgement.notes, width())
    typer.echo()
    for sentence in judgement.sentences:
        say(sentence)
    for place, content in ((html, judgement.page), (json, judgement.json)):
        if place is not None:
            with own_file(place) as file:
                file.write(content())
