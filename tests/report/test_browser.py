"""The page in a real browser: no errors, no requests, and everything that can be pressed works."""

import pytest
from result_folders import failed, with_cell
from screens import SCREENS, look

from aucbench.records import CellStatus
from aucbench.registry.specs import Spec
from aucbench.report.chart import Chart
from aucbench.report.document import Section
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame
from aucbench.report.grid import Grid
from aucbench.report.html_page import make_page
from aucbench.report.page import page_of

NASTY = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


def written(folder, path):
    page_of(findings_of(read_frame(folder, stale=True)), folder="results").save(path)
    return path.as_uri()


@pytest.fixture(scope="module")
def address(results_folder, tmp_path_factory):
    return written(results_folder, tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture
def page(browser, address):
    browser.open(address)
    return browser


def test_the_page_has_no_error_and_nothing_leaves_it(browser, address):
    browser.open(address)
    assert browser.console() == []
    assert browser.requests() == [address]
    assert "Nothing can be ruled out" in browser.texts("#answer p")[0]
    assert browser.count("figure") == browser.count("svg.plot") > 15


def test_without_scripts_everything_is_there(browser, address):
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.driver.get(address)
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert browser.count("button, input") == 0
    assert browser.count("svg.plot .line") > 40
    assert len(browser.texts("#data-sets tbody tr")) == 9
    assert browser.requests() == [address]


def test_connections_are_forbidden_even_for_its_own_scripts(page):
    ended = page.driver.execute_async_script(
        "const done = arguments[0];"
        "fetch('https://example.org/').then(() => done('sent'), () => done('refused'))"
    )
    assert ended == "refused"
    page.driver.execute_async_script(
        "const image = document.createElement('img');"
        "image.addEventListener('error', arguments[0]);"
        "image.src = 'https://example.org/spy.png';"
        "document.body.append(image)"
    )
    refusals = [entry["message"] for entry in page.console()]
    assert len(refusals) >= 2
    assert all("Content Security Policy" in message for message in refusals)


def test_a_curve_is_named_below_the_pointer(page):
    page.run(
        "const line = document.querySelector('#solvers svg.plot .line'), bubbles = true;"
        "const {left: clientX, top: clientY} = line.getBoundingClientRect();"
        "line.dispatchEvent(new PointerEvent('pointermove', {bubbles, clientX, clientY}))"
    )
    [name, place] = page.texts("#solvers output")[0].rsplit(": ", 1)
    assert name in [*page.texts("#solvers tbody th"), "Pareto front"]
    assert len([*map(float, place.split(", "))]) == 2
    assert page.console() == []


def test_the_page_is_light_or_dark_as_its_button_says(page):
    page.emulate("light")
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = page.run(paper)
    page.press(".theme")
    assert page.run(paper) != light
    page.press(".theme")
    assert page.run(paper) == light


def column(browser, section, number):
    return browser.run(
        "return [...document.querySelectorAll(arguments[0] + ' tbody tr')].filter(r => !r.hidden)"
        ".map(r => r.cells[arguments[1]].firstChild.textContent.trim())",
        section,
        number,
    )


def test_the_table_sorts_by_its_buttons(page):
    page.press("#solvers th button", "mean AUC")
    down = [*map(float, column(page, "#solvers", 2))]
    assert down == sorted(down, reverse=True)
    assert len(down) == 3
    page.press("#solvers th button", "mean AUC")
    assert [*map(float, column(page, "#solvers", 2))] == down[::-1]
    page.press("#solvers th button", "solver")
    assert column(page, "#solvers", 1) == sorted(column(page, "#solvers", 1))
    sorts = page.run(
        "return [...document.querySelectorAll('#solvers th')].map(t => t.ariaSort).filter(Boolean)"
    )
    assert sorts == ["ascending"]


def test_what_is_no_number_is_sorted_last(browser, tmp_path):
    cells = ["(0.95)", "0.5", "-", "1e-3", "+0.7"]
    table = Grid(("name", "value"), [(f"n{k}", one) for k, one in enumerate(cells)], numeric=[1])
    make_page("t", [], [Section("t", "", (table,))]).save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    for expected in (["+0.7", "0.5", "1e-3"], ["1e-3", "0.5", "+0.7"]):
        browser.press("th button", "value")
        assert column(browser, "#t", 1)[:3] == expected
        assert {*column(browser, "#t", 1)[3:]} == {"(0.95)", "-"}


def test_long_tables_have_a_filter(browser, tmp_path):
    lines = [(f"solver {k}", k / 200) for k in range(200)]
    folded = Section("set a", "", (Grid(("s", "x"), [("solver 7", 1.0)]),))
    section = Section("Many", "", (Grid(("solver", "AUC"), lines, names=0), folded))
    make_page("t", [], [section]).save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    browser.choose("input[type=search]", "SOLVER 17")
    assert len(column(browser, "#many", 0)) == 11  # 17, and 170 to 179
    assert browser.run("return document.querySelector('details').hidden")
    browser.choose("input[type=search]", "set a")
    assert column(browser, "#many", 0) == ["solver 7"]
    assert browser.run("return document.querySelector('details').open")
    browser.choose("input[type=search]", "")
    assert len(column(browser, "#many", 0)) == 201


def test_it_can_be_used_by_keyboard(browser, address):
    from selenium.webdriver.common.keys import Keys

    browser.open(address)
    browser.run("document.querySelector('#solvers th:nth-child(3) button').focus()")
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.run("return document.querySelector('#solvers th:nth-child(3)').ariaSort")
    browser.driver.switch_to.active_element.send_keys(Keys.TAB)
    outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_the_page_fits_and_can_be_read(browser, address, width, scheme):
    look(browser, address, width, scheme, "report")


def test_names_with_markup_stay_text(browser, doctored, tmp_path):
    def change(record):
        if "sht-auc" in str(record.cell.solver):
            record = with_cell(record, solver=Spec(NASTY, {}))
        if str(record.cell.dataset) == "digits-8":
            record = with_cell(record, dataset=NASTY)
        if str(record.cell.dataset) == "digits-3" and record.cell.split == 0:
            return failed(record, CellStatus.ERROR, f"{NASTY} </script>", f"log: {NASTY}\x1b[31m")
        return record

    folder = doctored(change)
    [plan] = (folder / "plans").glob("*.toml")
    without_seal = plan.read_text("utf-8").splitlines()[:-1]
    plan.write_text("\n".join([*without_seal, f"# {NASTY}"]) + "\n", "utf-8")
    browser.open(written(folder, tmp_path / "nasty.html"))

    assert browser.console() == []
    assert browser.run("return window.hacked ?? null") is None
    assert browser.count("img") == 0
    assert NASTY in browser.texts("#solvers tbody th")
    assert NASTY in browser.texts("#data-sets tbody th")
    assert any(NASTY in text for text in browser.texts("#data-sets summary"))
    assert any(NASTY in text for text in browser.texts("svg title"))
    assert any(NASTY in text and "</script>" in text for text in browser.texts("#failures p"))
    assert f"log: {NASTY}\\x1b[31m" in browser.texts("#failures pre")[0]
    assert any(NASTY in text for text in browser.texts("#commands pre"))


def test_a_page_of_sections_plots_its_charts(browser, tmp_path):
    chart = Chart("Figure 3", "k", "AUC", {NASTY: ([1, 10, 100], [0.5, 0.7, 0.8])}, log_x=True)
    table = Grid((NASTY, "value"), [("b", 2.0), ("a", 1.0)])
    path = tmp_path / "sections.html"
    make_page(NASTY, [NASTY], [Section(NASTY, NASTY, (chart, table, NASTY))]).save(path)
    browser.open(path.as_uri())
    assert browser.console() == []
    assert browser.requests() == [path.as_uri()]
    assert browser.count("svg.plot .line") == 1
    assert browser.texts(".legend li") == [NASTY]
    browser.press("th button", "value")
    assert browser.run("return window.hacked ?? null") is None
