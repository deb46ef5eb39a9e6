"""The site of a board in a real browser: sorted, filtered, narrow, dark, and without scripts."""

from dataclasses import replace

import numpy as np
import pytest
from made_boards import made_board
from report_results import with_cell
from screens import SCREENS, look

from aucbench.registry.specs import Spec
from aucbench.report.findings import findings_of
from aucbench.report.folder import FolderReader
from aucbench.report.site.build import board_site
from aucbench.report.site.names import file_name
from aucbench.report.site.publishing import Publishing

NASTY = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
TASKS = tuple(f"task-{i}" for i in range(16))
SOLVERS = ("logistic", "second", "third", "fourth", "fifth")
COLUMN = "return [...document.querySelectorAll('#leaderboard thead th')].map(t => t.innerText)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("made") / "results"
    return made_board(made, TASKS, SOLVERS, failing=[(4, 2), (9, 4), (9, 3)])


@pytest.fixture(scope="module")
def site(folder):
    board_site(folder, folder.parent / "site", published=Publishing(title="A board"))
    return folder.parent / "site"


@pytest.fixture(scope="module")
def pages(site):
    """The address of a page of each kind."""
    return {
        "board": (site / "index.html").as_uri(),
        "board-task": (site / f"tasks/{file_name('task-4')}.html").as_uri(),
        "board-solver": (site / f"solvers/{file_name('third')}.html").as_uri(),
    }


@pytest.fixture
def board(browser, pages):
    browser.open(pages["board"])
    return browser


def column(browser, name):
    """The texts of a column of the table of solvers, by solver."""
    names = [text.split(" ")[0].strip() for text in browser.run(COLUMN)]
    place = next(j for j, text in enumerate(names) if name.startswith(text))
    heads = browser.texts("#leaderboard tbody th .name")
    cells = browser.texts(f"#leaderboard tbody tr > :nth-child({place + 1})")
    return dict(zip(heads, cells, strict=True))


@pytest.mark.parametrize("kind", ["board", "board-task", "board-solver"])
def test_pages_have_no_error_and_ask_for_nothing(browser, pages, kind):
    browser.open(pages[kind])
    assert browser.console() == []
    assert browser.requests() == [pages[kind]]
    solvers = {"board": 5, "board-task": 4}  # of which one failed on this task
    expected = solvers[kind] + 1 if kind in solvers else 0  # and the line of the best of both
    assert browser.count("[data-chart=speed] .series") == expected


def test_links_lead_to_tasks_and_solvers_and_back(board, pages):
    board.press("#tasks a.name", "task-4")
    assert board.run("return location.href") == pages["board-task"]
    board.press("#leaderboard a.name", "third")
    assert board.run("return location.href") == pages["board-solver"]
    board.press("nav a", "A board")
    assert board.run("return location.href") == pages["board"]
    assert board.console() == []


def test_the_table_sorts(board):
    for name in ("mean AUC", "average rank", "fit s"):
        board.press("#leaderboard th button", name)
        down = [float(text.split()[0]) for text in column(board, name.split()[0]).values()]
        assert down == sorted(down, reverse=True), name
        board.press("#leaderboard th button", name)
        assert [float(text.split()[0]) for text in column(board, name.split()[0]).values()] == (
            down[::-1]
        )
    board.press("#leaderboard th button", "solver")
    assert [*column(board, "mean")] == sorted(SOLVERS)


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("rows", "0", [i for i in range(16) if i % 4 == 0]),
        ("share", "1", [i for i in range(16) if i % 5 in (1, 2)]),
        ("kind", "2", [i for i in range(16) if i % 3 == 2]),
        ("kind", "0", [i for i in range(16) if i % 3 == 0]),
    ],
)
def test_a_filter_computes_what_the_statistics_say_of_the_tasks_that_are_left(
    board, folder, name, value, kept
):
    board.choose(f"form[data-for=board] [name={name}]", value)
    assert_filtered(board, folder, kept)


def assert_filtered(board, folder, kept):
    evidence = FolderReader(folder, stale=True).read()
    found = findings_of(replace(evidence, counted=frozenset(kept)))
    shown = board.texts("#tasks tr[data-task]:not([hidden]) th")
    assert shown == [TASKS[i] for i in kept]
    told = board.texts("output[data-for=board]")[0]
    assert f"of {len(kept)} of 16 tasks" in told
    units = len(found.units)
    assert (f"in {units} families" in told) == (units < len(kept))
    assert "put away" in told
    means, ranks, seconds = (column(board, c) for c in ("mean", "average", "fit"))
    lacking, ok = column(board, "no"), column(board, "ok")
    for j, solver in enumerate(SOLVERS):
        assert means[solver] == f"{found.means[j].value.estimate:.4f}"
        assert ranks[solver] == f"{found.ranks[j].value.estimate:.2f}"
        assert float(seconds[solver]) == pytest.approx(found.mean_seconds[j], rel=0.01)
        assert int(lacking[solver]) == np.isnan(found.values[:, j]).sum()
        groups = [evidence.group(i, j) for i in kept]
        planned = sum(group.planned for group in groups)
        assert ok[solver] == f"{sum(len(group.ok) for group in groups)}/{planned}"
        for put_away in ("the", "rating", "−"):
            assert column(board, put_away)[solver] == "–"
    assert board.count("#leaderboard .leading") == 0
    assert board.console() == []


def test_filters_join_and_a_sorted_table_stays_sorted(board, folder):
    board.press("#leaderboard th button", "mean AUC")
    before = board.texts("#leaderboard tbody tr")
    chart = "return document.querySelector('[data-chart=speed]').innerHTML"
    drawn = board.run(chart)
    board.choose("form[data-for=board] [name=rows]", "1")
    board.choose("form[data-for=board] [name=kind]", "1")
    kept = [i for i in range(16) if i % 4 == 1 and i % 3 == 1]
    assert_filtered(board, folder, kept)
    means = [float(text) for text in column(board, "mean").values()]
    assert means == sorted(means, reverse=True)
    assert board.run(chart) != drawn
    board.press("form[data-for=board] button", "all tasks")
    board.wait("return document.querySelectorAll('#tasks tr[hidden]').length === 0")
    assert board.texts("#leaderboard tbody tr") == before
    assert board.texts("output[data-for=board]") == [""]
    assert board.run(chart) == drawn


def test_tasks_of_no_kind_leave_an_empty_table(board):
    board.choose("form[data-for=board] [name=rows]", "0")
    board.choose("form[data-for=board] [name=share]", "0")
    board.choose("form[data-for=board] [name=kind]", "2")
    assert "of 0 of 16 tasks" in board.texts("output[data-for=board]")[0]
    assert {*column(board, "mean").values()} == {"–"}
    assert board.console() == []


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
@pytest.mark.parametrize("kind", ["board", "board-task"])
def test_pages_fit_and_can_be_read(browser, pages, kind, width, scheme):
    look(browser, pages[kind], width, scheme, kind)


def test_the_page_of_a_solver_fits_a_narrow_screen(browser, pages):
    browser.resize(400)
    browser.open(pages["board-solver"])
    assert browser.run("return document.documentElement.scrollWidth") <= 400
    assert browser.console() == []


def test_without_scripts_all_tables_are_there(browser, pages):
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        for address in pages.values():
            browser.open(address)
        browser.open(pages["board"])
        text = browser.driver.find_element("css selector", "main").text
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    for name in (*SOLVERS, *TASKS):
        assert name in text
    assert "average rank" in text
    assert "needs JavaScript" in text
    assert "all tasks" not in text  # the form does nothing, and is not there


def test_names_with_markup_stay_text(browser, doctored, tmp_path):
    def change(record):
        if "sht-auc" in record.cell.label:
            record = with_cell(record, solver=Spec(NASTY, {}))
        return with_cell(record, dataset=NASTY) if record.cell.dataset == "digits-8" else record

    out = tmp_path / "site"
    board_site(doctored(change), out, published=Publishing(title=NASTY))
    for page in out.rglob("*.html"):
        browser.open(page.as_uri())
        assert browser.console() == []
        assert browser.run("return window.hacked ?? null") is None
        assert browser.count("img") == 0
    browser.open((out / "index.html").as_uri())
    assert NASTY in browser.texts("#leaderboard .name")
    assert NASTY in browser.texts("#tasks .name")
    assert browser.texts("h1") == [NASTY]
