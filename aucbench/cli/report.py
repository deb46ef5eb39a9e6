"""`aucbench report` and `figure`: what a results folder says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.cli.groups import Group, grouped
from aucbench.cli.saying import say, warn
from aucbench.errors import AucbenchError, ParameterError

if TYPE_CHECKING:
    from aucbench.report.findings import Findings, Settings

Folder = Annotated[Path, typer.Argument(metavar="RESULTS", help="A results folder.")]
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
    everything : bool
        Also what takes long where there are many data sets and solvers: pairs inside each data set,
        and what hangs on one of them.
    """

    metric: str | None = None
    rope: float = 0.005
    level: float = 0.95
    reference: str | None = None
    mixed: bool = False
    stale: bool = False
    everything: bool = False

    @property
    def settings(self) -> Settings:
        """What the statistics take of it."""
        from aucbench.report.findings import Settings
        from aucbench.report.limits import limits

        return Settings(
            measure=self.metric,
            rope=self.rope,
            level=self.level,
            reference=self.reference,
            mixed=self.mixed,
            **limits(everything=self.everything),
        )


@grouped
def report(
    folder: Folder,
    *,
    html: Annotated[Path | None, typer.Option(help="File that takes the page.")] = None,
    json: Annotated[Path | None, typer.Option(help="File that takes the verdict.")] = None,
    judged: Annotated[Judged, Group(JUDGED)],
) -> None:
    """Say in words which solver is best in a results folder; write a page that shows why."""
    from aucbench.report.render import require_jinja
    from aucbench.report.terminal import sentences
    from aucbench.report.verdict import verdict_json
    from aucbench.store import own_file, require_writable

    if html is not None:
        require_jinja()
    for path in filter(None, (html, json)):
        require_writable(path)
    findings = _findings(folder, judged)
    for sentence in sentences(findings):
        say(sentence)
    if html is not None:
        from aucbench.report.page import page_of
        from aucbench.report.render import to_html

        content = to_html(page_of(findings, folder=str(folder)))
        with own_file(html) as file:
            file.write(content)
        say(f"{len(content) / 1e6:.1f} MB in {html}", err=True)
    if json is not None:
        with own_file(json) as file:
            file.write(verdict_json(findings))


@grouped
def figure(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="leaderboard, pairs, cd, curves, roc, profile or pareto; shapes of a model.",
        ),
    ],
    folder: Annotated[
        Path,
        typer.Argument(metavar="RESULTS", help="A results folder; of shapes the file of a model."),
    ],
    *,
    out: Annotated[Path, typer.Option(help="File that ends in .pdf, .svg or .png.")],
    dataset: Annotated[
        str | None, typer.Option(help="Of curves, roc and pareto. [default: the only one]")
    ] = None,
    judged: Annotated[Judged, Group(JUDGED, without=("sections", "everything"))],
) -> None:
    """Draw one figure of a results folder, or of a model, for print."""
    from aucbench.report.figures import OF_MODELS, check_figure, drawn_figure
    from aucbench.store import own_file

    form = check_figure(kind, out.suffix)
    if kind in OF_MODELS:
        _write_shapes(folder, form, out, dataset, judged)
        return
    findings = _findings(folder, judged)
    if findings.times:
        warn(findings.times)
    content = drawn_figure(findings, kind, form, dataset)
    with own_file(out) as file:
        file.write(content)


def _write_shapes(model: Path, form: str, out: Path, dataset: str | None, judged: Judged) -> None:
    """Draw the shapes of a model, of which the options about results say nothing."""
    from aucbench.models import load_model
    from aucbench.models.shape_figure import shapes_figure
    from aucbench.store import own_file

    if dataset is not None or judged != Judged():
        raise ParameterError("the figure shapes is of a model, not of results; leave options out")
    content = shapes_figure(load_model(model), form)
    with own_file(out) as file:
        file.write(content)


def _findings(folder: Path, judged: Judged) -> Findings:
    from aucbench.report.findings import findings_of
    from aucbench.report.folder import FolderReader

    evidence = FolderReader(folder, stale=judged.stale).read()
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
