"""Figures for print: each draws what was found, and says why when it cannot."""

import re
from dataclasses import replace

import pytest
from result_folders import with_cell

from aucbench.errors import ParameterError, UnknownNameError
from aucbench.report.charts import SECONDS
from aucbench.report.collecting import frame_of
from aucbench.report.figures import CURVES, FIGURES, check_figure, plot_figure
from aucbench.report.findings import findings_of


def plotted(findings, kind, ending=".svg"):
    return plot_figure(findings, kind, ending, "digits-8" if kind == CURVES else None)


@pytest.mark.parametrize("kind", FIGURES)
def test_a_figure_names_its_solvers_and_is_the_same_each_time(findings, kind):
    content = plotted(findings, kind)
    comments = "".join(re.findall(r"<!-- (.*?) -->", content.decode()))
    for solver in findings.frame.solvers:
        assert solver in comments
    assert plotted(findings, kind) == content


def test_intervals_are_drawn_where_they_are(findings, monkeypatch):
    from matplotlib.axes import Axes

    lines = []
    real = Axes.plot
    monkeypatch.setattr(Axes, "plot", lambda ax, *a, **k: (lines.append(a), real(ax, *a, **k))[1])
    plotted(findings, "leaderboard")
    for standing in findings.ranks:
        assert any([*line[0]] == [standing.low, standing.high] for line in lines)
        assert any([*line[0]] == [standing.estimate] for line in lines)


def test_mistakes_are_sentences(findings):
    with pytest.raises(UnknownNameError, match="unknown figure 'curve': did you mean 'curves'"):
        check_figure("curve", ".pdf")
    with pytest.raises(ParameterError, match=r"ends in '.gif'; let it end in .pdf, .svg, .png"):
        check_figure("curves", ".gif")
    with pytest.raises(ParameterError, match=r"the folder has 3; name one of .* with --dataset"):
        plot_figure(findings, "curves", ".svg")
    with pytest.raises(UnknownNameError, match="did you mean 'digits-3'"):
        plot_figure(findings, "curves", ".svg", "digits-33")
    with pytest.raises(ParameterError, match="leave --dataset out"):
        plot_figure(findings, "leaderboard", ".svg", "digits-8")


def test_what_cannot_be_drawn_is_said(scored, records):
    some = [r for r in records if str(r.cell.dataset) == "digits-8"]
    one = scored(some)
    assert plot_figure(one, "leaderboard", ".svg")
    assert plot_figure(one, "curves", ".svg") == plot_figure(one, "curves", ".svg", "digits-8")

    bare = scored([replace(record, curve=()) for record in some])
    with pytest.raises(ParameterError, match="has no learning curves of digits-8"):
        plot_figure(bare, "curves", ".svg")


def test_names_are_no_formulas_and_not_too_long(records):
    odd = [
        with_cell(r, dataset="$x^{" + "a" * 100) for r in records if r.cell.dataset.name[-1] == "8"
    ]
    content = plot_figure(findings_of(frame_of(odd)), "curves", ".svg").decode()
    assert "<!-- \\$x^{aaaaa" in content or "<!-- $x^{aaaaa" in content
    assert "a" * 50 not in content


def panels(findings, kind, monkeypatch):
    from matplotlib.figure import Figure

    seen = []
    real = Figure.savefig
    keep = lambda figure, *a, **k: (seen.append(figure.axes), real(figure, *a, **k))[1]  # noqa: E731
    monkeypatch.setattr(Figure, "savefig", keep)
    plot_figure(findings, kind, ".svg")
    return seen[0]


@pytest.mark.parametrize(
    ("label", "axes"),
    [("hist", [SECONDS, "passes"]), ("sht", [SECONDS, "passes", "passes"])],
)
def test_a_panel_without_content_is_not_drawn_and_no_marker_is_cut(
    scored, records, monkeypatch, label, axes
):
    some = [r for r in records if str(r.cell.dataset) == "digits-8" and label in str(r.cell.solver)]
    drawn = panels(scored(some), "curves", monkeypatch)
    assert [ax.get_xlabel() for ax in drawn] == axes
    marked = [line for ax in drawn for line in ax.lines if line.get_marker() != "None"]
    assert marked
    assert not any(line.get_clip_on() for line in marked)
