"""Pages in a real browser: no error, no request, and all that can be pressed works."""

import pytest
from nights import first_rows
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


@pytest.fixture
def opened(browser, tmp_path):
    """Return a function that opens a page, which reports no error and asks for nothing."""

    def open_page(page):
        page.save(tmp_path / "page.html")
        address = (tmp_path / "page.html").as_uri()
        browser.open(address)
        assert browser.console() == []
        assert browser.requests() == [address]
        assert browser.run("return window.hacked ?? null") is None
        return browser

    return open_page


def page_of_folder(folder):
    return page_of(findings_of(read_frame(folder, stale=True)), folder="results")


def column(browser, section, number):
    """The cells of a column that are shown."""
    return browser.run(
        "return [...document.querySelectorAll(arguments[0] + ' tbody tr')].filter(r => !r.hidden)"
        ".map(r => r.cells[arguments[1]].firstChild.textContent.trim())",
        section,
        number,
    )


def test_the_page_of_a_folder(opened, results_folder):
    page = opened(page_of_folder(results_folder))
    assert "Nothing can be ruled out" in page.texts("#answer p")[0]
    assert page.count("figure") == page.count("svg.plot") > 15

    # The table sorts by its buttons, also by the keyboard, where the focus can be seen.
    page.press("#solvers th button", "mean AUC")
    down = [*map(float, column(page, "#solvers", 2))]
    assert down == sorted(down, reverse=True)
    assert len(down) == 3
    page.run("document.querySelector('#solvers th:nth-child(3) button').focus()")
    page.driver.switch_to.active_element.send_keys("\ue007")  # Enter
    assert [*map(float, column(page, "#solvers", 2))] == down[::-1]
    page.driver.switch_to.active_element.send_keys("\ue004")  # Tab
    assert page.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.press("#solvers th button", "solver")
    assert column(page, "#solvers", 1) == sorted(column(page, "#solvers", 1))
    sorts = "return [...document.querySelectorAll('#solvers th')].map(t => t.ariaSort)"
    assert [sort for sort in page.run(sorts) if sort] == ["ascending"]

    # A curve is named below the pointer.
    page.run(
        "const line = document.querySelector('#solvers svg.plot .line'), bubbles = true;"
        "const {left: clientX, top: clientY} = line.getBoundingClientRect();"
        "line.dispatchEvent(new PointerEvent('pointermove', {bubbles, clientX, clientY}))"
    )
    [name, place] = page.texts("#solvers output")[0].rsplit(": ", 1)
    assert name in [*page.texts("#solvers tbody th"), "Pareto front"]
    assert len([*map(float, place.split(", "))]) == 2

    # A button changes between light and dark.
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = page.run(paper)
    page.press(".theme")
    assert page.run(paper) != light
    page.press(".theme")
    assert page.run(paper) == light
    assert page.console() == []

    # Connections are forbidden, even for its own scripts.
    ended = page.driver.execute_async_script(
        "const done = arguments[0];"
        "fetch('https://example.org/').then(() => done('sent'), () => done('refused'))"
    )
    assert ended == "refused"
    page.driver.execute_async_script(
        "const image = document.createElement('img');"
        "image.addEventListener('error', arguments[0]);"
        "image.src = 'https://example.org/spy.png'; document.body.append(image)"
    )
    refusals = [entry["message"] for entry in page.console()]
    assert len(refusals) >= 2
    assert all("Content Security Policy" in message for message in refusals)


@pytest.mark.parametrize(("width", "scheme"), first_rows(SCREENS))
def test_the_page_fits_and_can_be_read(browser, results_folder, tmp_path, width, scheme):
    page_of_folder(results_folder).save(tmp_path / "report.html")
    look(browser, (tmp_path / "report.html").as_uri(), width, scheme, "report")


def test_names_with_markup_stay_text(opened, doctored):
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
    page = opened(page_of_folder(folder))
    assert page.count("img") == 0
    for place in ("#solvers tbody th", "#data-sets tbody th", "#data-sets summary", "svg title"):
        assert any(NASTY in text for text in page.texts(place)), place
    assert any(f"{NASTY} </script>" in text for text in page.texts("#failures p"))
    assert f"log: {NASTY}\\x1b[31m" in page.texts("#failures pre")[0]
    assert any(NASTY in text for text in page.texts("#commands pre"))


def test_a_page_of_sections(opened):
    """Its charts are plotted, what is no number is sorted last, and long tables have a filter."""
    chart = Chart("Figure 3", "k", "AUC", {NASTY: ([1, 10, 100], [0.5, 0.7, 0.8])}, log_x=True)
    cells = ["(0.95)", "0.5", "-", "1e-3", "+0.7"]
    odd = Grid(("name", "value"), [(f"n{k}", one) for k, one in enumerate(cells)], numeric=[1])
    folded = Section("set a", "", (Grid(("s", "x"), [("solver 7", 1.0)]),))
    lines = [(f"solver {k}", k / 200) for k in range(200)]
    many = Section("Many", "", (Grid(("solver", "AUC"), lines, names=0), folded))
    sections = [Section(NASTY, NASTY, (chart, NASTY)), Section("t", "", (odd,)), many]
    page = opened(make_page(NASTY, [NASTY], sections))
    assert page.count("svg.plot .line") == 1
    assert page.texts(".legend li") == [NASTY]
    for expected in (["+0.7", "0.5", "1e-3"], ["1e-3", "0.5", "+0.7"]):
        page.press("#t th button", "value")
        assert column(page, "#t", 1)[:3] == expected
        assert {*column(page, "#t", 1)[3:]} == {"(0.95)", "-"}
    page.choose("input[type=search]", "SOLVER 17")
    assert len(column(page, "#many", 0)) == 11  # 17, and 170 to 179
    assert page.run("return document.querySelector('details').hidden")
    page.choose("input[type=search]", "set a")
    assert column(page, "#many", 0) == ["solver 7"]
    assert page.run("return document.querySelector('details').open")
    page.choose("input[type=search]", "")
    assert len(column(page, "#many", 0)) == 201
