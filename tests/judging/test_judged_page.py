"""The page of judged results in a browser: what is not known is not there, names are text."""

import numpy as np
import pandas as pd
import pytest

import aucbench

NASTY = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
ABSENT = ("environment", "commands")


@pytest.fixture(scope="module")
def table():
    """Four methods on eight data sets, three folds each; one failed."""
    rng = np.random.default_rng(3)
    rows = [
        {
            "method": method,
            "dataset": f"set {i}",
            "fold": k,
            "auc": 0.7 + gain + rng.normal(0, 0.02),
        }
        for method, gain in (("good", 0.1), ("fair", 0.08), (NASTY, 0.0), ("poor", -0.1))
        for i in range(8)
        for k in range(3)
    ]
    return pd.DataFrame(rows).query("method != 'fair' or dataset != 'set 2'")


@pytest.fixture(params=["light", "dark"])
def page(browser, table, tmp_path, request):
    browser.emulate(request.param)
    aucbench.judge(table).report().save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    return browser


def test_it_shows_what_is_known_and_nothing_else(page, table):
    assert page.console() == []
    assert page.run("return window.hacked === undefined")
    assert [page.count(f"#{name}") for name in ABSENT] == [0] * len(ABSENT)
    assert NASTY in page.texts("#solvers tbody th")
    headers = page.texts("#solvers th, #data-sets th")
    assert not {"fit s", "non-zeros"} & {*headers}
    assert any("rows and scores were not seen" in text for text in page.texts("#data p"))
    assert any("The table has no value." in text for text in page.texts("#failures p"))
    assert page.count("#data-sets tbody tr") == 32
    assert page.count("#pairs tbody tr") == 3
    answer = aucbench.judge(table).findings.advice.sentences
    assert page.texts("#answer p") == [" ".join(one.split()) for one in answer]


def test_nothing_is_wider_than_a_telephone(page):
    page.resize(400)
    assert page.run("return document.documentElement.scrollWidth") <= 400


def test_one_data_set(browser, table, tmp_path):
    one = table[table["dataset"] == "set 0"]
    aucbench.judge(one).report().save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    assert browser.console() == []
    assert browser.count("#solvers tbody tr") == 4
    assert browser.count("#pairs tbody td small") == 6
