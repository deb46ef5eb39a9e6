"""Report sections and exporters of other packages: named by the user, and never in this process."""

import json
import sys

import pytest
from command_line import flat, said

from aucbench.bench import Store
from aucbench.bench.isolated.exchange import Rows
from aucbench.errors import ParameterError
from aucbench.processes.records import Limits
from aucbench.report.document import markdown, signed, tex, text
from aucbench.sections import LINES, PARTS, POINTS, ROWS, Chart, Section, Table
from aucbench.testing.results import records, rows

SOURCE = '''
"""Sections and exporters, right and wrong ones."""
import json
import os
import time

from aucbench.about import about
from aucbench.hookspecs import hookimpl
from aucbench.sections import Chart, Section, Table


@about("how often each solver is ahead")
def wins(rows, *, digits=3):
    """Fits and the mean AUC of each solver."""
    aucs = {}
    for row in rows:
        aucs.setdefault(row["solver"], []).append(row["auc"])
    table = Table(
        ["solver", "fits", "mean"],
        [(name, len(x), round(sum(x) / len(x), digits)) for name, x in sorted(aucs.items())],
    )
    curve = next(row["curve"] for row in rows if row["solver"] == "logistic")
    xs, ys = [p["passes"] for p in curve], [p["train_auc"] for p in curve]
    chart = Chart("One fit", "passes", "training AUC", {"<b>first</b>": (xs, ys)}, log_x=True)
    return Section("Wins <script>", [f"{len(rows)} fits & *all*.", table, chart])


def raises(rows):
    raise ValueError("no luck")


def stops(rows):
    raise ValueError("no luck")


def table(rows):
    """A line for each fit."""
    return "".join(f"{row['solver']};{row['auc']:.6f}\\n" for row in rows)


def files(rows):
    """A file for each solver."""
    names = sorted({row["solver"] for row in rows})
    return {f"{name}.txt": name.encode() for name in names}


@hookimpl
def aucbench_report_sections():
    return {
        "wins": wins,
        "raises": raises,
        "markup": lambda rows: "<script>alert(1)</script>",
        "crashes": lambda rows: os._exit(1),
        "sleeps": lambda rows: time.sleep(100),
        "long": lambda rows: Section("Long", ["x"] * 100),
    }


@hookimpl
def aucbench_exporters():
    return {
        "table": table,
        "files": files,
        "raises": stops,
        "number": lambda rows: 5,
        "climbs": lambda rows: {"../out.txt": "x"},
        "crashes": lambda rows: os._exit(1),
    }
'''


RUN = ("compare", "--quiet", "--solvers", "logistic,constant", "--data", "breast-cancer")
RUN += ("--splits", 2)


def test_a_section_follows_the_answer(acme, folder):
    told = said(*RUN, "--out", folder, "--sections", "acme:wins")
    assert told.index("has the highest AUC") < told.index("Wins <script>")
    for part in ("Written by acme:wins 1.2.", "4 fits & *all*.", "<b>first</b>: "):
        assert part in told
    assert "One fit (training AUC against passes)" in told
    lines = [line.split() for line in told.splitlines()]
    records = [*Store(folder).records()]
    for name in ("logistic", "constant"):
        aucs = [one.measures.auc for one in records if str(one.cell.solver) == name]
        assert [name, "2", f"{round(sum(aucs) / len(aucs), 3):.6g}"] in lines


def test_parameters_and_forms(acme, folder):
    told = said(*RUN, "--out", folder, "--sections", "wins[digits=1]", "--md")
    assert "## Wins \\<script\\>" in told
    assert "| solver | fits | mean |\n| --- | ---: | ---: |" in told
    assert "4 fits & \\*all\\*." in told
    told = said(*RUN, "--out", folder, "--sections", "wins[digits=1]", "--tex")
    assert r"\section*{Wins <script>}" in told
    assert r"4 fits \& *all*." in told


def test_a_report_has_it_in_the_terminal_and_on_the_page(acme, folder, tmp_path):
    page = tmp_path / "page.html"
    sys.modules.pop("acme_plugin", None)
    assert "Wins <script>" in said("report", folder, "--sections", "wins", "--html", page)
    assert "acme_plugin" not in sys.modules
    html = page.read_text(encoding="utf-8")
    assert "<h2>Wins &lt;script&gt;</h2>" in html
    assert '<a href="#added-0">Wins &lt;script&gt;</a>' in html
    assert "Wins <script>" not in html
    assert "<b>first" not in html
    data = json.loads(html.partition('id="data">')[2].partition("</script>")[0])
    [chart] = data["added"]
    assert chart["title"] == "One fit"
    assert chart["lines"][0][0] == "<b>first</b>"
    assert len(chart["lines"][0][1]) == len(chart["lines"][0][2]) >= 1
    assert "Wins" not in said("report", folder)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("raises", "it raised ValueError: no luck, in the report section acme:raises 1.2 ("),
        ("markup", "wanted an aucbench.sections.Section (/"),
        ("crashes", "it ended its process (crash:"),
        ("long", "parts of a Section must be a sequence of at most 50, got a list of 100"),
        ("sleeps", "it ended its process (timeout:"),
    ],
)
def test_one_that_fails_is_a_sentence_in_its_place(
    acme, folder, tmp_path, monkeypatch, name, reason
):
    if name == "sleeps":
        monkeypatch.setattr("aucbench.bench.addons.LIMITS", Limits(timeout=1.0))
    page = tmp_path / "page.html"
    told = said("report", folder, "--sections", f"{name},wins", "--html", page)
    html = page.read_text(encoding="utf-8")
    for each in (flat(told), html):
        assert f"the report section acme:{name} 1.2 has failed: " in each
    assert reason in flat(told)
    assert "Wins <script>" in told
    assert "<script>alert(1)" not in html


def test_a_name_that_is_wrong_ends_the_command_before_the_run(acme, tmp_path):
    told = said(*RUN, "--out", tmp_path / "out", "--sections", "winz", code=2)
    assert "unknown report section 'winz': did you mean 'wins'" in told
    assert not (tmp_path / "out").exists()


def test_a_browser_draws_the_chart(acme, folder, tmp_path, browser):
    page = tmp_path / "page.html"
    said("report", folder, "--sections", "wins", "--html", page)
    browser.open(page.as_uri())
    assert browser.count("#added-0 svg .series") == 1
    assert not browser.console()


def test_an_exporter_writes_a_file_or_a_folder(acme, folder, tmp_path):
    told = said("export", folder, tmp_path / "all.txt", "--to", "acme:table")
    lines = (tmp_path / "all.txt").read_text(encoding="utf-8").splitlines()
    records = Store(folder).records()
    assert sorted(lines) == sorted(f"{r.cell.solver};{r.measures.auc:.6f}" for r in records)
    assert f"bytes in {tmp_path / 'all.txt'}" in told.replace("\n", "")
    said("export", folder, tmp_path / "parts", "--to", "files")
    files = {f.name: f.read_text() for f in (tmp_path / "parts").iterdir()}
    assert files == {f"{name}.txt": name for name in ("logistic", "constant")}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("raises", "it raised ValueError: no luck, in the exporter acme:raises 1.2 ("),
        ("number", "it returned 5, wanted bytes or a text for each file (/"),
        ("climbs", "names a file '../out.txt'; use letters, digits"),
        ("crashes", "it ended its process (crash:"),
        ("tabel", "unknown exporter 'tabel': did you mean 'table'"),
    ],
)
def test_an_exporter_that_is_wrong_writes_nothing(acme, folder, tmp_path, name, reason):
    path = tmp_path / "kept.txt"
    path.write_text("kept", encoding="utf-8")
    assert reason in flat(said("export", folder, path, "--to", name, code=2))
    assert path.read_text(encoding="utf-8") == "kept"
    assert [*tmp_path.iterdir()] == [path]


def test_they_are_held_to_the_laws_of_their_kind(acme):
    told = said("check", "files", "acme:markup", code=1)
    assert "files\nlaw of exporters" in told
    assert "acme:markup\nlaw of report_sections" in told
    assert "it returned '<script>alert(1)</script>', wanted an aucbench.sections" in told
    told = said("check", "wins", code=1)
    assert "returns-a-section" in told
    assert "TypeError" in told, "the mean of None, where a cell has failed"


def test_they_are_listed(acme):
    assert "how often each solver is ahead" in said("list", "report_sections")
    assert "A line for each fit." in said("list", "exporters")
    told = said("show", "wins")
    assert "wins: report section of acme 1.2" in told
    assert "digits: any = 3" in told


# --- the data of a section ----------------------------------------------------------------


def section():
    table = Table(["a", "b"], [("x", 1), ("y", float("nan")), ("z", None)])
    chart = Chart("c", "x", "y", {"l": ([1, 2], [0.5, float("inf")])})
    return Section("t", ["p", table, chart])


def test_a_section_comes_back_from_json():
    plain = json.loads(json.dumps(section().to_json(), allow_nan=False))
    again = Section.from_json(plain)
    assert again == section()
    assert again.parts[1].rows == (("x", 1), ("y", None), ("z", None))
    assert again.parts[2].lines["l"] == ((1, 2), (0.5, None))


WRONG_PARTS = {
    "title": lambda: Section(5),
    "a number": lambda: Section("t", [5]),
    "a text of parts": lambda: Section("t", "parts"),
    "parts": lambda: Section("t", ["x"] * (PARTS + 1)),
    "rows": lambda: Table(["a"], [(1,)] * (ROWS + 1)),
    "width": lambda: Table(["a", "b"], [(1,)]),
    "object": lambda: Table(["a"], [(object(),)]),
    "bool": lambda: Table(["a"], [(True,)]),
    "beyond floats": lambda: Table(["a"], [(10**400,)]),
    "points beyond floats": lambda: Chart("t", "x", "y", {"a": ([1], [10**400])}),
    "no lines": lambda: Chart("t", "x", "y", {}),
    "lines": lambda: Chart("t", "x", "y", {str(k): ([1], [1]) for k in range(LINES + 1)}),
    "lengths": lambda: Chart("t", "x", "y", {"a": ([1, 2], [1])}),
    "points": lambda: Chart("t", "x", "y", {"a": ([1.0] * (POINTS + 1),) * 2}),
    "words": lambda: Chart("t", "x", "y", {"a": (["1"], [1])}),
    "log": lambda: Chart("t", "x", "y", {"a": ([1], [1])}, log_x=1),
    "diagonal": lambda: Chart("t", "x", "y", {"a": ([1], [1])}, diagonal=1),
    "band of no line": lambda: Chart("t", "x", "y", {"a": ([1], [1])}, bands={"b": ([1], [1])}),
    "band length": lambda: Chart("t", "x", "y", {"a": ([1], [1])}, bands={"a": ([1, 2], [1, 2])}),
    "bands": lambda: Chart("t", "x", "y", {"a": ([1], [1])}, bands=[1]),
}


@pytest.mark.parametrize("name", WRONG_PARTS)
def test_what_is_no_section_is_refused(name):
    with pytest.raises(ParameterError):
        WRONG_PARTS[name]()


@pytest.mark.parametrize(
    "plain",
    [
        None,
        5,
        {},
        {"title": "t", "parts": [{"html": "<b>"}]},
        {"title": "t", "parts": [{"table": {"header": ["a"]}}]},
        {"title": "t", "parts": [{"text": "a", "table": {}}]},
        {"title": "t", "parts": ["a"]},
        {"title": "t", "parts": [{"text": 5}]},
        {"title": "t", "parts": [{"chart": [1]}]},
        {"title": "t", "parts": [{"table": {"header": ["a"], "rows": [[10**400]]}}]},
    ],
)
def test_what_a_process_may_hand_over(plain):
    with pytest.raises(ParameterError):
        Section.from_json(plain)


def test_nothing_of_a_text_is_markup():
    from aucbench.bench.addons import Addon

    addon = Addon("report_sections", "n", "d:n", "1.0", ("d", "m"), "", {})
    odd = signed([(addon, Section("# t\x1b[31m", ["- a\n<b>*x*", Table(["|"], [("a|b",)])]))])
    assert "Written by d:n 1.0." in text(odd)
    assert "\x1b" not in text(odd)
    marked = markdown(odd)
    assert "## \\# t\\\\x1b\\[31m" in marked
    assert "\\- a\n\\<b\\>\\*x\\*" in marked
    assert "| a\\|b |" in marked
    assert r"\textbackslash{}x1b" in tex(odd)


def test_the_sample_of_the_laws_is_like_a_real_run(folder):
    """A field that a real cell has is in the sample too, as a value of the same class."""
    real = [row for row in Rows.of(folder, None) if row["status"] == "ok"]
    sample = [row for row in rows(records()) if row["status"] == "ok"]

    assert {tuple(row) for row in real} == {tuple(row) for row in sample}
    held = {(name, type(value)) for row in sample for name, value in row.items()}
    kinds = {(name, type(value)) for row in real for name, value in row.items()}
    assert not {(name, kind) for name, kind in kinds - held if kind is not type(None)}
    curves = [[{*point} for point in row["curve"]] for some in (real, sample) for row in some[:9]]
    assert len({frozenset(names) for curve in curves for names in curve}) == 1
