"""What objects show of themselves: short as text, whole and escaped as HTML."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from toys import cells_in_process

import aucbench
from aucbench import compare
from aucbench.errors import ParameterError
from aucbench.report.html_page import InlinePage

NASTY = "<script>alert(1)</script>\x1b[31m&\"'"


def tags(html):
    """The names of the elements of a piece of HTML, and its texts."""
    names, texts = [], []
    parser = HTMLParser()
    parser.handle_starttag = lambda name, _: names.append(name)
    parser.handle_data = texts.append
    parser.feed(html)
    return names, texts


def starts(html):
    """The elements of a piece of HTML with their attributes."""
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda name, attributes: found.append((name, dict(attributes)))
    parser.feed(html)
    return found


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
    names, texts = tags(results._repr_html_())
    assert results.answer().splitlines()[0] in texts
    assert names.count("tr") == 3
    assert names.count("details") == 1


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
    assert tags(model._repr_html_())[0].count("table") == 3
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


def test_a_report_is_shown_in_a_frame_and_saved(results, tmp_path):
    page = results.report()
    assert isinstance(page, InlinePage)
    assert re.fullmatch(r"<aucbench: results: a page of \d+ kB; .*>", repr(page))
    [(_, frame)] = starts(page._repr_html_())
    assert frame["sandbox"] == "allow-scripts"  # and nothing of the notebook
    assert frame["srcdoc"] == page.content.decode()
    page.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_bytes() == page.content
    with pytest.raises(ParameterError):
        page.save(tmp_path / "absent" / "r.html")
