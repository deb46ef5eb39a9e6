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
    "p {margin: 0 0 6px} table {border-collapse: collapse; font-size: 12px} "
    "td, th {padding: 4px 8px; text-align: right} iframe {display: block}"
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


NAMES = ("compare", "model", "predict", "decisions", "report", "model-report")


@pytest.mark.nightly
def test_the_cells_show_what_the_pictures_of_the_page_show(executed, page_notebook):
    pictures = page_notebook.pictures(PAGE)
    html = [n for n, outputs in enumerate(executed) if outputs and "text/html" in shown(outputs)]
    assert html == [*pictures]
    assert [*pictures.values()] == [f"notebook-{name}.png" for name in NAMES]
    for number, name in pictures.items():
        assert len(shown(executed[number])["text/plain"]) < 2000
        assert (ROOT / "docs" / "img" / name).is_file()
    outputs = [out for some in executed for out in some]  # no stream, and nothing but these
    assert {out["output_type"] for out in outputs} == {"display_data", "execute_result"}
    assert {kind for out in outputs for kind in out["data"]} == {"text/html", "text/plain"}

    bar, result = executed[1]
    assert (bar["output_type"], bar["data"]["text/html"]) == ("display_data", "")  # it is gone
    page = result["data"]["text/html"]
    for words in ("has the highest AUC", "positive &#x27;malignant&#x27;", "left out: patient"):
        assert words in page
    assert page.count("<tr") == 4
    assert shown(executed[5]) == {"text/plain": "True"}  # a loaded model decides the same
    counts = [int(text) for text in re.findall(r"<td>(\d+)</td>", shown(executed[4])["text/html"])]
    benign, false, missed, found = counts
    assert sum(counts) == 119
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
            browser.driver.switch_to.frame(0)
            assert len(browser.run("return document.body.textContent")) > 1000
            browser.driver.switch_to.default_content()
        if SCREENSHOTS:
            browser.resize(740, height + 16)
            browser.png(Path(SCREENSHOTS) / name)
        browser.resize(400)
        assert browser.run("return document.querySelector('body > *').scrollWidth > 0")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:table-.* nearly:UserWarning")
def test_the_notebook_of_the_site_has_the_cells_of_the_page_which_run(
    page_notebook, in_process, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    book = nbformat.reads(page_notebook.content(PAGE), 4)
    nbformat.validate(book)
    code = [cell["source"] for cell in book.cells if cell["cell_type"] == "code"]
    assert code == [text.strip() for text in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)]
    text = "".join(cell["source"] for cell in book.cells if cell["cell_type"] == "markdown")
    assert "](" not in text  # nothing beside it is needed
    names = {}
    for source in code:
        exec(source, names)
    assert "has the highest AUC" in names["results"]._repr_html_()
    assert {*names["answer"]["decision"]} == {"benign", "malignant"}
    assert len(names["model"].report()._repr_html_()) > 1000
