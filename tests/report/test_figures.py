"""Figures for print: each draws what was found, and says why when it cannot."""

import re

import pytest
from report_results import with_cell

from aucbench.errors import ParameterError, UnknownNameError
from aucbench.report.evidence import evidence_of
from aucbench.report.figures import FIGURES, LOCAL_FIGURES, check_figure, drawn_figure
from aucbench.report.findings import Settings, findings_of


def drawn(findings, kind, ending=".svg"):
    return drawn_figure(findings, kind, ending, "digits-8" if kind in LOCAL_FIGURES else None)


@pytest.mark.parametrize("kind", FIGURES)
def test_a_figure_names_its_solvers_and_is_the_same_each_time(findings, kind):
    content = drawn(findings, kind)
    comments = "".join(re.findall(r"<!-- (.*?) -->", content.decode()))
    for solver in findings.evidence.solvers:
        if kind == "pareto" and "boosting" in solver:
            continue  # it is there too, but only in the legend of its time
        assert solver in comments
    assert drawn(findings, kind) == content


def test_intervals_are_drawn_where_they_are(findings, monkeypatch):
    from matplotlib.axes import Axes

    lines = []
    real = Axes.plot
    monkeypatch.setattr(Axes, "plot", lambda ax, *a, **k: (lines.append(a), real(ax, *a, **k))[1])
    drawn(findings, "leaderboard")
    for standing in (*findings.ranks, *findings.ratings):
        assert any([*line[0]] == [standing.value.low, standing.value.high] for line in lines)
        assert any([*line[0]] == [standing.value.estimate] for line in lines)


def test_mistakes_are_sentences(findings):
    with pytest.raises(UnknownNameError, match="unknown figure 'rocs': did you mean 'roc'"):
        check_figure("rocs", ".pdf")
    with pytest.raises(ParameterError, match=r"ends in '.gif'; let it end in .pdf, .svg, .png"):
        check_figure("roc", ".gif")
    with pytest.raises(ParameterError, match=r"the folder has 3; name one of .* with --dataset"):
        drawn_figure(findings, "roc", ".svg")
    with pytest.raises(UnknownNameError, match="did you mean 'digits-3'"):
        drawn_figure(findings, "roc", ".svg", "digits-33")
    with pytest.raises(ParameterError, match="leave --dataset out"):
        drawn_figure(findings, "pairs", ".svg", "digits-8")


def test_what_cannot_be_drawn_is_said(scored, records):
    one = scored([r for r in records if r.cell.dataset == "digits-8"])
    for kind in ("pairs", "cd"):
        with pytest.raises(ParameterError, match="about several data sets, and the folder has 1"):
            drawn_figure(one, kind, ".svg")
    assert drawn_figure(one, "leaderboard", ".svg")
    assert drawn_figure(one, "roc", ".svg") == drawn_figure(one, "roc", ".svg", "digits-8")

    bare = findings_of(evidence_of(records))
    with pytest.raises(ParameterError, match="has no scores with labels of digits-3"):
        drawn_figure(bare, "roc", ".svg", "digits-3")


def test_names_are_no_formulas_and_not_too_long(records):
    odd = [with_cell(r, dataset="$x^{" + "a" * 100) for r in records if r.cell.dataset[-1] == "8"]
    content = drawn_figure(findings_of(evidence_of(odd)), "curves", ".svg").decode()
    assert "<!-- \\$x^{aaaaa" in content or "<!-- $x^{aaaaa" in content
    assert "a" * 50 not in content


def panels(findings, kind, monkeypatch):
    from matplotlib.figure import Figure

    seen = []
    real = Figure.savefig
    keep = lambda figure, *a, **k: (seen.append(figure.axes), real(figure, *a, **k))[1]  # noqa: E731
    monkeypatch.setattr(Figure, "savefig", keep)
    drawn_figure(findings, kind, ".svg")
    return seen[0]


@pytest.mark.parametrize(
    ("kind", "label", "axes"),
    [
        ("curves", "hist", ["passes", "seconds"]),
        ("curves", "sht", ["passes", "seconds", "passes"]),
        ("pareto", "hist", ["seconds of a fit"]),
    ],
)
def test_a_panel_without_content_is_not_drawn_and_no_marker_is_cut(
    scored, records, monkeypatch, kind, label, axes
):
    some = [r for r in records if r.cell.dataset == "digits-8" and label in r.cell.label]
    drawn = panels(scored(some), kind, monkeypatch)
    assert [ax.get_xlabel() for ax in drawn] == axes
    marked = [line for ax in drawn for line in ax.lines if line.get_marker() != "None"]
    assert marked
    assert not any(line.get_clip_on() for line in marked)


def test_the_range_that_is_measured_is_shaded(evidence, monkeypatch):
    from matplotlib.axes import Axes

    shaded = []
    monkeypatch.setattr(Axes, "fill_between", lambda ax, x, *ends, **_: shaded.append((x, *ends)))
    part = Settings(measure="pauc[max_fpr=.3,min_fpr=.1,min_tpr=.2]")
    found = findings_of(evidence, part)
    drawn(found, "roc")
    assert found.range == (0.1, 0.3, 0.2, 1.0)
    assert shaded[-1] == ([0.1, 0.3], 0.2, 1.0)
    assert found.row_test == "a t-test by the influence of rows"
    assert findings_of(evidence).row_test == "DeLong's test"
    assert findings_of(evidence, Settings(measure="ap")).row_test == ""
