"""What objects show of themselves: short as text, whole and escaped as HTML."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from in_process import cells_in_process

import aucbench
from aucbench import compare
from aucbench.data import showing
from aucbench.errors import ParameterError
from aucbench.report.render import InlinePage

NASTY = "<script>alert(1)</script>\x1b[31m&\"'"


def parsed(html):
    """The HTML as XML, which it is but for its entities: nothing is left open."""
    return ElementTree.fromstring(f"<div>{html}</div>")


def frame():
    rng = np.random.default_rng(0)
    age = rng.normal(50, 10, 90)
    label = np.where(age + rng.normal(0, 5, 90) > 50, "yes", "no")
    return pd.DataFrame({"age": age, NASTY: rng.normal(size=90), "back": label})


@pytest.fixture(scope="module")
def results():
    with cells_in_process():
        return compare(frame(), "logistic,svm-or", target="back", splits=2, passes=3)


@pytest.fixture(scope="module")
def model():
    with cells_in_process():
        return aucbench.fit(frame(), target="back", solver="svm-or", splits=2)


def test_results_show_what_the_command_prints(results):
    said = repr(results)
    assert said.startswith(results.table())
    assert said.splitlines()[-1] == results.answer().splitlines()[-1]
    assert len(said) < 1500
    root = parsed(results._repr_html_())
    assert root.find("div/strong").text == results.answer().splitlines()[0]
    assert len(root.findall(".//table//tr")) == 3
    assert [e.tag for e in root.iter()].count("details") == 1


def test_records_data_and_models_fit_in_a_line_of_text(results, model):
    data = aucbench.datasets.load(frame(), target="back")
    lines = {
        "Record ok: logistic on table-": results[0],
        "Data: 90 rows, ": data,
        "Model svm-or: 2 columns of table-": model,
    }
    for begin, one in lines.items():
        assert repr(one).startswith(f"<{begin}")
        assert len(repr(one)) < 120
        assert "\n" not in repr(one)
    assert len(model._repr_html_()) < 8000
    assert len(parsed(model._repr_html_()).findall(".//table")) == 3
    failed = compare("logistic", data, splits=2, jobs=1, timeout=1e-3)[0]
    assert "timeout" in repr(failed)
    changepoints = aucbench.get_dataset("breast-cancer")
    assert "569 rows, 212 positive" in repr(changepoints)


def test_names_are_escaped_everywhere(results, model):
    for one in (model, results):
        html = one._repr_html_()
        assert "<script" not in html
        assert "\x1b" not in html
    assert "&lt;script&gt;" in model._repr_html_()
    for piece in (
        showing.words(NASTY),
        showing.grid([NASTY], [[NASTY]]),
        showing.listed([(NASTY, NASTY)]),
        showing.folded(NASTY, ""),
    ):
        assert parsed(piece) is not None
        assert "<script" not in piece


def test_a_report_is_shown_in_a_frame_and_saved(results, tmp_path):
    page = results.report()
    assert isinstance(page, InlinePage)
    assert re.fullmatch(r"<report of a comparison: a page of 0\.\d MB; .*>", repr(page))
    iframe = parsed(page._repr_html_()).find("iframe")
    assert iframe.get("sandbox") == "allow-scripts"  # and nothing of the notebook
    assert iframe.get("srcdoc").split() == page.content.decode().split()
    page.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_bytes() == page.content
    with pytest.raises(ParameterError):
        page.save(tmp_path / "absent" / "r.html")
