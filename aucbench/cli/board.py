"""`aucbench board`: the static site of a results folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aucbench.cli.groups import Group, grouped
from aucbench.cli.report import JUDGED, Folder, Judged
from aucbench.cli.saying import say, warn
from aucbench.report.site.publishing import Publishing

PUBLISHED = "How the site is published"


@grouped
def board(
    folder: Folder,
    *,
    out: Annotated[Path, typer.Option(help="Folder of the site: new, empty, or an earlier site.")],
    judged: Annotated[Judged, Group(JUDGED, without=("sections", "stale"))],
    published: Annotated[Publishing, Group(PUBLISHED)],
) -> None:
    """Make a static site of a results folder: a table, and a page for each task and solver."""
    from aucbench.report.site.build import board_site

    site = board_site(folder, out, settings=judged.settings, published=published)
    for problem in site.problems:
        warn(problem)
    say(str(site))
