"""`aucbench report`: what the results in folders say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.cli.groups import grouped
from aucbench.cli.messages import say, warn
from aucbench.errors import AucbenchError, ParameterError
from aucbench.options import OptionGroup

if TYPE_CHECKING:
    from aucbench.report.findings import Findings, Settings

JUDGED = "How results are judged"


@dataclass(frozen=True, slots=True)
class Judged:
    """How results are judged.

    Attributes
    ----------
    metric : str, optional
        auc, ap, pauc[max_fpr=.1], precision[k=10], recall[k=10], brier, log-loss, or what
        `list metrics` shows. [default: that of the pairs, which of all pairs is auc]
    rope : float
        Differences of the measure up to this size are practically zero.
    level : float
        Of the intervals.
    reference : str, optional
        Solver with which each other one is compared. [default: logistic, where it takes part]
    mixed : bool
        Compare times of different hosts, threads or concurrency.
    stale : bool
        Also records whose data, plugin or aucbench has changed.
    """

    metric: str | None = None
    rope: float = 0.005
    level: float = 0.95
    reference: str | None = None
    mixed: bool = False
    stale: bool = False

    @property
    def settings(self) -> Settings:
        """What the statistics take of it."""
        from aucbench.report.findings import Settings

        return Settings(
            measure=self.metric,
            rope=self.rope,
            level=self.level,
            reference=self.reference,
            mixed=self.mixed,
        )


@grouped
def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULTS...", help="A results folder, or several that one protocol made."
        ),
    ],
    *,
    html: Annotated[Path | None, typer.Option(help="File that takes the page.")] = None,
    json: Annotated[Path | None, typer.Option(help="File that takes the verdict.")] = None,
    md: Annotated[
        bool, typer.Option("--md", help="Print the tables in Markdown, in place of the answer.")
    ] = False,
    tex: Annotated[
        bool, typer.Option("--tex", help="Print the tables in LaTeX, in place of the answer.")
    ] = False,
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
    judged: Annotated[Judged, OptionGroup(JUDGED)],
) -> None:
    """Say in words which solver is best in results folders; write a page that shows why."""
    from aucbench.report.document import markdown
    from aucbench.report.document import tex as latex
    from aucbench.report.render import require_jinja
    from aucbench.report.tables import grids
    from aucbench.report.terminal import folder_lines, sentences
    from aucbench.report.verdict import verdict_json
    from aucbench.store import own_file, require_writable

    if md and tex:
        raise ParameterError("--md and --tex are two forms of the same tables; give one")
    figures = _figures(figure or (), dataset)
    if html is not None:
        require_jinja()
    for path in filter(None, (html, json, *figures.values())):
        require_writable(path)
    findings = _findings(folders, judged)
    _draw(findings, figures, dataset)
    if md or tex:
        typer.echo((markdown if md else latex)(grids(findings)))
    else:
        for sentence in (*sentences(findings), *folder_lines(findings.evidence)):
            say(sentence)
    if html is not None:
        from aucbench.report.page import page_of
        from aucbench.report.render import to_html

        content = to_html(page_of(findings, folder=", ".join(map(str, folders))))
        with own_file(html) as file:
            file.write(content)
        say(f"{len(content) / 1e6:.1f} MB in {html}", err=True)
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
    from aucbench.report.figures import CURVES, drawn_figure
    from aucbench.store import own_file

    if figures and findings.times:
        warn(findings.times)
    for kind, path in figures.items():
        content = drawn_figure(findings, kind, path.suffix, dataset if kind == CURVES else None)
        with own_file(path) as file:
            file.write(content)


def _findings(folders: Sequence[Path], judged: Judged) -> Findings:
    from aucbench.report.findings import findings_of
    from aucbench.report.folder import read_evidence

    evidence = read_evidence(*folders, stale=judged.stale)
    if evidence.unchecked:
        warn(f"it is not known which records are stale: {evidence.unchecked}")
    if evidence.stale:
        warn(
            f"{evidence.stale} record(s) are stale and left out, since the data, a plugin or "
            "aucbench has changed; --stale takes them too"
        )
    said = ""
    try:
        return findings_of(evidence, judged.settings)
    except AucbenchError as error:
        said = str(error)
        raise
    finally:
        for problem in evidence.problems():
            if problem not in said:
                warn(problem)
