"""`aucbench report`, `figure` and `serve`: what a results folder says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.bench.text import shown
from aucbench.cli.options import Rope, Sections, named_sections
from aucbench.errors import AucbenchError

if TYPE_CHECKING:
    from aucbench.report.findings import Findings, Settings

Folder = Annotated[Path, typer.Argument(metavar="RESULTS", help="A results folder.")]
Metric = Annotated[
    str,
    typer.Option(
        help="auc, ap, pauc[max_fpr=.1], precision[k=10], recall[k=10], brier, log-loss, or what "
        "`list metrics` shows."
    ),
]
Level = Annotated[float, typer.Option(help="Of the intervals.")]
Mixed = Annotated[
    bool, typer.Option("--mixed", help="Compare times of different hosts, threads or concurrency.")
]
Stale = Annotated[
    bool, typer.Option("--stale", help="Also records whose data, plugin or aucbench has changed.")
]


def report(
    folder: Folder,
    *,
    html: Annotated[Path | None, typer.Option(help="File that takes the page.")] = None,
    metric: Metric = "auc",
    rope: Rope = 0.005,
    level: Level = 0.95,
    mixed: Mixed = False,
    stale: Stale = False,
    sections: Sections = None,
) -> None:
    """Say in words which solver is best in a results folder; write a page that shows why."""
    from aucbench.cli.running import print_sections
    from aucbench.store import own_file, require_writable

    if html is not None:
        from aucbench.report.render import require_jinja

        require_jinja()
        require_writable(html)
    addons = named_sections(sections)
    found = _findings(folder, _settings(metric, rope, level, mixed=mixed), stale=stale)
    for sentence in found.advice.sentences:
        typer.echo(shown(sentence))
    added = print_sections(addons, folder, found.evidence)
    if html is not None:
        from aucbench.report.page import page_of
        from aucbench.report.render import to_html

        content = to_html(page_of(found, folder=str(folder), added=added))
        with own_file(html) as file:
            file.write(content)
        typer.echo(f"{len(content) / 1e6:.1f} MB in {shown(str(html))}", err=True)


def serve(
    folder: Folder,
    *,
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 8000,
    metric: Metric = "auc",
    rope: Rope = 0.005,
    level: Level = 0.95,
    mixed: Mixed = False,
    stale: Stale = False,
    sections: Sections = None,
) -> None:
    """Show the page of a results folder on 127.0.0.1, and keep it new while a run goes on."""
    from aucbench.report.render import require_jinja
    from aucbench.report.serve import HOST, LivePage, server

    require_jinja()
    settings, addons = _settings(metric, rope, level, mixed=mixed), named_sections(sections)
    page = LivePage(folder, settings, stale=stale, sections=addons)
    page.html()  # a folder that cannot be read is an error now, and not in the browser
    with server(page, port) as running:
        typer.echo(
            f"http://{HOST}:{running.server_port}/ shows {shown(str(folder))}; Ctrl-C ends it",
            err=True,
        )
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            typer.echo("ended", err=True)


def figure(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="leaderboard, pairs, cd, curves, roc, profile or pareto."
        ),
    ],
    folder: Folder,
    *,
    out: Annotated[Path, typer.Option(help="File that ends in .pdf, .svg or .png.")],
    dataset: Annotated[
        str | None, typer.Option(help="Of curves, roc and pareto. [default: the only one]")
    ] = None,
    metric: Metric = "auc",
    rope: Rope = 0.005,
    level: Level = 0.95,
    mixed: Mixed = False,
    stale: Stale = False,
) -> None:
    """Draw one figure of a results folder for print."""
    from aucbench.report.figures import check_figure, drawn_figure
    from aucbench.store import own_file

    form = check_figure(kind, out.suffix)
    settings = _settings(metric, rope, level, mixed=mixed)
    content = drawn_figure(_findings(folder, settings, stale=stale), kind, form, dataset)
    with own_file(out) as file:
        file.write(content)


def _settings(metric: str, rope: float, level: float, *, mixed: bool) -> Settings:
    from aucbench.report.findings import Settings

    return Settings(measure=metric, rope=rope, level=level, mixed=mixed)


def _findings(folder: Path, settings: Settings, *, stale: bool) -> Findings:
    from aucbench.cli.running import warn
    from aucbench.report.findings import findings_of
    from aucbench.report.folder import FolderReader

    evidence = FolderReader(folder, stale=stale).read()
    if evidence.unchecked:
        warn(f"it is not known which records are stale: {evidence.unchecked}")
    if evidence.stale:
        warn(
            f"{evidence.stale} record(s) are stale and left out, since the data, a plugin or "
            "aucbench has changed; --stale takes them too"
        )
    said = ""
    try:
        return findings_of(evidence, settings)
    except AucbenchError as error:
        said = str(error)
        raise
    finally:
        for problem in evidence.problems():
            if problem not in said:
                warn(problem)
