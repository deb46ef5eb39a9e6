"""The page for notebooks in a real kernel: its cells run, and show what its pictures show.

With AUCBENCH_SCREENSHOTS=FOLDER the pictures of the page are written there.
"""

import os
import re
import sys
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
SCREENSHOTS = os.environ.get("AUCBENCH_SCREENSHOTS")
LOOK = (  # of JupyterLab, as far as it decides how an output looks
    "body {margin: 8px 12px; width: 700px; font: 13px/1.4 sans-serif; color: #222} "
    "table {border-collapse: collapse; font-size: 12px} table.dataframe td, table.dataframe th "
    "{padding: 4px 8px; text-align: right} iframe {display: block}"
)


@pytest.fixture(scope="module")
def page_notebook():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        yield import_module("page_notebook")
    del sys.modules["page_notebook"]


@pytest.fixture(scope="module")
def executed(page_notebook, tmp_path_factory):
    """The outputs of each cell of code, after all were run from the first to the last."""
    book = nbformat.from_dict(page_notebook.notebook(PAGE))
    nbformat.validate(book)
    folder = tmp_path_factory.mktemp("notebook")
    client = NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}})
    client.execute()
    return [cell["outputs"] for cell in book.cells if cell["cell_type"] == "code"]


def shown(outputs):
    """What a cell shows at the end, by its type."""
    [last] = [out["data"] for out in outputs if out["output_type"] == "execute_result"]
    return last


@pytest.mark.nightly
def test_the_cells_show_what_the_pictures_of_the_page_show(executed, page_notebook):
    pictures = page_notebook.pictures(PAGE)
    html = [n for n, outputs in enumerate(executed) if outputs and "text/html" in shown(outputs)]
    assert html == [*pictures]
    assert [*pictures.values()] == [f"notebook-{name}.png" for name in NAMES]
    for number in pictures:
        assert len(shown(executed[number])["text/plain"]) < 2000
    for name in pictures.values():
        assert (ROOT / "docs" / "img" / name).is_file()


NAMES = ("compare", "model", "predict", "decisions", "report", "model-report")


@pytest.mark.nightly
def test_results_answer_and_the_bar_is_gone(executed):
    bar, result = executed[1]
    assert bar["output_type"] == "display_data"
    assert bar["data"]["text/html"] == ""
    html = result["data"]["text/html"]
    assert "has the highest AUC" in html
    assert "positive &#x27;malignant&#x27;" in html
    assert "left out: patient" in html
    assert html.count("<tr>") == 4


@pytest.mark.nightly
def test_a_loaded_model_decides_the_same(executed):
    assert shown(executed[5]) == {"text/plain": "True"}


@pytest.mark.nightly
def test_nothing_but_html_and_text_comes_and_no_stream(executed):
    kinds = {out["output_type"] for outputs in executed for out in outputs}
    assert kinds == {"display_data", "execute_result"}
    types = {name for outputs in executed for out in outputs for name in out["data"]}
    assert types == {"text/html", "text/plain"}


@pytest.mark.nightly
def test_decisions_find_the_malignant_rows(executed):
    counts = [int(text) for text in re.findall(r"<td>(\d+)</td>", shown(executed[4])["text/html"])]
    assert sum(counts) == 119
    benign, false, missed, found = counts
    assert found / (found + missed) > 0.9
    assert false / (benign + false) < 0.1


@pytest.mark.nightly
def test_the_outputs_in_a_browser(executed, page_notebook, browser, tmp_path):
    for number, name in page_notebook.pictures(PAGE).items():
        html = shown(executed[number])["text/html"]
        file = tmp_path / f"{number}.html"
        head = f"<!doctype html><meta charset='utf-8'><style>{LOOK}</style>"
        file.write_text(f"{head}<body>{html}</body>", encoding="utf-8")
        browser.resize(740)
        browser.open(file.as_uri())
        assert [entry for entry in browser.console() if entry["level"] == "SEVERE"] == []
        height = browser.run("return Math.ceil(document.body.getBoundingClientRect().height)")
        assert height > 40
        assert browser.run("return document.documentElement.scrollWidth") <= 740
        if "srcdoc" in html:
            assert len(framed(browser)) > 1000
        if SCREENSHOTS:
            browser.resize(740, height + 16)
            browser.png(Path(SCREENSHOTS) / name)
        browser.resize(400)
        assert browser.run("return document.querySelector('body > *').scrollWidth > 0")


def framed(browser):
    """The text of the page inside a frame."""
    browser.driver.switch_to.frame(0)
    try:
        return browser.run("return document.body.textContent")
    finally:
        browser.driver.switch_to.default_content()


@pytest.mark.filterwarnings("ignore:table-.* nearly:UserWarning")
def test_the_cells_run_here_too(page_notebook, in_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in nbformat.reads(page_notebook.content(PAGE), 4).cells:
        if cell["cell_type"] == "code":
            exec(cell["source"], names)
    assert "has the highest AUC" in names["results"]._repr_html_()
    assert {*names["answer"]["decision"]} == {"benign", "malignant"}
    assert len(names["model"].report()._repr_html_()) > 1000


def test_the_notebook_of_the_site_has_the_cells_of_the_page(page_notebook):
    book = nbformat.reads(page_notebook.content(PAGE), 4)
    nbformat.validate(book)
    code = [cell["source"] for cell in book.cells if cell["cell_type"] == "code"]
    assert code == [text.strip() for text in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)]
    text = "".join(cell["source"] for cell in book.cells if cell["cell_type"] == "markdown")
    assert "](" not in text  # nothing beside it is needed
