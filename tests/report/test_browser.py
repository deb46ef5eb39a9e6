"""The page in a real browser: no errors, no requests, and everything that can be pressed works."""

import pytest
from report_results import failed, with_cell
from screens import SCREENS, look

from aucbench.records import CellStatus
from aucbench.registry.specs import Spec
from aucbench.report.document import Grid, Section
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame
from aucbench.report.page import page_of
from aucbench.report.render import sections_to_html, to_html
from aucbench.report.sections import Chart, Table

NASTY = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


def written(folder, path):
    findings = findings_of(read_frame(folder, stale=True))
    path.write_bytes(to_html(page_of(findings, folder="results")))
    return path.as_uri()


@pytest.fixture(scope="module")
def address(results, tmp_path_factory):
    return written(results, tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture
def page(browser, address):
    browser.open(address)
    return browser


def test_the_page_has_no_error_and_nothing_leaves_it(browser, address):
    browser.open(address)
    assert browser.console() == []
    assert browser.requests() == [address]
    assert "Nothing can be ruled out" in browser.texts("#answer p.first")[0]
    assert browser.count(".chart svg") == 7
    assert browser.count("figure:not([hidden])") == 7


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


def test_curves_toggle(page):
    drawn = "#roc .series[data-solver='1']"
    assert page.count(drawn) == 1
    page.press(".toggles button[data-solver='1']")
    assert page.count(drawn) == 0
    assert page.count("#roc .series") == 2
    assert page.run(
        "return document.querySelector('.toggles [data-solver=\"1\"]').ariaPressed"
    ) == "false"  # fmt: skip
    page.press(".toggles button", "none")
    assert page.count("figure .series") == page.count("#charts figure:not([hidden])") == 0
    page.press(".toggles button", "all")
    assert page.count("#roc .series") == 3
    assert page.console() == []


def test_figures_follow_the_data_set(page):
    shape = "return document.querySelector('#roc .series path[fill=none]').getAttribute('d')"
    before = page.run(shape)
    page.choose("form[data-for=charts] select", "1")
    assert page.run(shape) != before


def test_a_page_about_one_data_set_has_no_figure_of_several(browser, scored, records, tmp_path):
    path = tmp_path / "one.html"
    one = scored(
        [r for r in records if str(r.cell.dataset) == "digits-8" and "hist" in r.cell.label]
    )
    path.write_bytes(to_html(page_of(one, folder="results")))
    browser.open(path.as_uri())
    shown = browser.run(
        "return [...document.querySelectorAll('figure:not([hidden])')].map(f => f.id)"
    )
    assert shown == ["roc", "pr", "speed", "auc-seconds", "auc-passes"]
    assert browser.count("select[name=dataset]") == 0
    assert browser.console() == []


def column(browser, number):
    return browser.texts(f"#rows tbody tr > :nth-child({number})")


def test_the_table_sorts_by_its_buttons(page):
    page.press("#rows th button", "AUC")
    down = [float(text.split()[0]) for text in column(page, 3)]
    assert down == sorted(down, reverse=True)
    assert len(down) == 9
    page.press("#rows th button", "AUC")
    assert [float(text.split()[0]) for text in column(page, 3)] == down[::-1]
    sorts = page.run(
        "return [...document.querySelectorAll('#rows th')].map(t => t.ariaSort).filter(Boolean)"
    )
    assert sorts == ["ascending"]

    page.press("#leaderboard th button", "fit s")
    seconds = [float(text) for text in page.texts("#leaderboard tbody td:nth-child(5)")]
    assert seconds == sorted(seconds, reverse=True)


def test_the_table_filters(page):
    page.choose("form[data-for=rows] [name=text]", "LOGIST")
    assert [*map(str.strip, {text.removesuffix("★").strip() for text in column(page, 2)})] == [
        "logistic (tuned C=0.1|1.0|10.0)"
    ]
    page.choose("form[data-for=rows] [name=dataset]", "2")
    assert column(page, 1) == ["digits-3"]
    assert page.texts("output[for=rows]") == ["1 of 1 rows"]
    page.choose("form[data-for=rows] [name=text]", "no such name")
    assert column(page, 1) == []


def test_it_can_be_used_by_keyboard(browser, address):
    from selenium.webdriver.common.keys import Keys

    browser.open(address)
    browser.run("document.querySelector('#rows th:nth-child(3) button').focus()")
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.run("return document.querySelector('#rows th:nth-child(3)').ariaSort")
    browser.driver.switch_to.active_element.send_keys(Keys.TAB)
    outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_the_page_fits_and_can_be_read(browser, address, width, scheme):
    look(browser, address, width, scheme, "report")


def test_names_with_markup_stay_text(browser, doctored, tmp_path):
    def change(record):
        if "sht-auc" in record.cell.label:
            record = with_cell(record, solver=Spec(NASTY, {}))
        if record.cell.dataset == "digits-8":
            record = with_cell(record, dataset=NASTY)
        if record.cell.dataset == "digits-3" and record.cell.split == 0:
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
    assert NASTY in browser.texts("#leaderboard .name")
    assert NASTY in browser.texts("#rows tbody th")
    assert any(NASTY in text for text in browser.texts(".toggles button"))
    assert any(NASTY in text for text in browser.texts("form[data-for=rows] option"))
    assert any(NASTY in text and "</script>" in text for text in browser.texts("#failures p"))
    assert f"log: {NASTY}\\x1b[31m" in browser.texts("#failures pre")[0]
    assert any(NASTY in text for text in browser.texts("#commands pre"))


def test_a_page_of_sections_draws_its_charts(browser, tmp_path):
    chart = Chart("Figure 3", "k", "AUC", {NASTY: ([1, 10, 100], [0.5, 0.7, 0.8])}, log_x=True)
    table = Table((NASTY, "value"), [("b", 2.0), ("a", 1.0)])
    path = tmp_path / "sections.html"
    chapter = Section(NASTY, NASTY, (chart, Grid.of(table), NASTY))
    path.write_bytes(sections_to_html(NASTY, [NASTY], [chapter]))
    browser.open(path.as_uri())
    assert browser.console() == []
    assert browser.requests() == [path.as_uri()]
    assert browser.count(".chart svg") == 1
    assert browser.texts("[data-lines] .name") == [NASTY]
    browser.run("document.querySelector('th.number button, th.number').click()")
    assert browser.run("return window.hacked") is None
