"""`aucbench report`: what the results in folders say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.bench.options import ShowOptions
from aucbench.cli.groups import grouped
from aucbench.cli.messages import say, warn
from aucbench.cli.running import require_writable
from aucbench.errors import AucbenchError, ParameterError
from aucbench.options import OptionGroup

if TYPE_CHECKING:
    from aucbench.report.findings import Findings


@grouped
def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULTS...", help="A results folder, or several that one protocol made."
        ),
    ],
    *,
    json: Annotated[Path | None, typer.Option(help="File that takes the verdict.")] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=FILE",
            help="Draw a figure for print: leaderboard or curves, into a file that ends in .pdf, "
            ".svg or .png; repeatable.",
        ),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Data set of the figure curves. [default: the only one]")
    ] = None,
    stale: Annotated[
        bool,
        typer.Option("--stale", help="Also records whose data, plugin or aucbench has changed."),
    ] = False,
    show: Annotated[ShowOptions, OptionGroup("What is shown")],
    md: Annotated[bool, typer.Option("--md", help="Print all tables in Markdown.")] = False,
    tex: Annotated[bool, typer.Option("--tex", help="Print all tables in LaTeX.")] = False,
    html: Annotated[Path | None, typer.Option(help="File that takes the page.")] = None,
) -> None:
    """Say in words which solver is best in results folders; write a page that shows why."""
    from aucbench.report import document
    from aucbench.report.notes import folder_lines, sentences
    from aucbench.report.page import page_of
    from aucbench.report.tables import grids
    from aucbench.report.verdict import verdict_json
    from aucbench.store import own_file

    if md and tex:
        raise ParameterError("--md and --tex are two forms of the same tables; give one")
    figures = _figures(figure or (), dataset)
    require_writable(html, json, *figures.values())
    findings = _findings(folders, show, stale=stale)
    _draw(findings, figures, dataset)
    if md or tex:
        typer.echo((document.tex if tex else document.markdown)(grids(findings)))
    else:
        lines = (*sentences(findings), *folder_lines(findings.frame))
        for sentence in lines:
            say(sentence)
    if html is not None:
        page = page_of(findings, folder=", ".join(map(str, folders)))
        page.save(html)
        say(f"{len(page.content) / 1e3:.0f} kB in {html}", err=True)
    if json is not None:
        with own_file(json) as file:
            file.write(verdict_json(findings))


def _figures(texts: Iterable[str], dataset: str | None) -> dict[str, Path]:
    """Return the files of the figures that are asked for, by kind."""
    from aucbench.report.figures import CURVES, check_figure

    figures: dict[str, Path] = {}
    for text in texts:
        kind, _, place = text.partition("=")
        if not place:
            raise ParameterError(
                f"--figure got {text!r}, wanted a kind and a file, such as curves=curves.pdf"
            )
        check_figure(kind, Path(place).suffix)
        figures[kind] = Path(place)
    if dataset is not None and CURVES not in figures:
        raise ParameterError(
            f"--dataset is for the figure {CURVES}; ask for it by --figure, or leave it out"
        )
    return figures


def _draw(findings: Findings, figures: Mapping[str, Path], dataset: str | None) -> None:
    from aucbench.report.figures import CURVES, plot_figure
    from aucbench.store import own_file

    if figures and findings.times:
        warn(findings.times)
    for kind, path in figures.items():
        content = plot_figure(findings, kind, path.suffix, dataset if kind == CURVES else None)
        with own_file(path) as file:
            file.write(content)


def _findings(folders: Sequence[Path], show: ShowOptions, *, stale: bool) -> Findings:
    from aucbench.report.findings import findings_of
    from aucbench.report.folder import read_frame

    frame = read_frame(*folders, stale=stale)
    if frame.source.unchecked:
        warn(f"it is not known which records are stale: {frame.source.unchecked}")
    if frame.source.stale:
        warn(
            f"{frame.source.stale} record(s) are stale and left out, since the data, a plugin or "
            "aucbench has changed; --stale takes them too"
        )
    message = ""
    try:
        return findings_of(frame, show)
    except AucbenchError as error:
        message = str(error)
        raise
    finally:
        for problem in frame.source.problems():
            if problem not in message:
                warn(problem)
