"""The tables of data sets on the page are those of the catalogue."""

import importlib.util
from pathlib import Path

import pytest

from aucbench.datasets import entries, suites

PAGE = Path(__file__).resolve().parents[2] / "docs" / "page_sets.py"


@pytest.fixture(scope="module")
def page():
    spec = importlib.util.spec_from_file_location("page_sets", PAGE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_set_has_a_row_and_each_row_its_cells(page):
    head, _, *rows = page.sets()
    assert len(rows) == len(entries())
    assert {row.count("|") for row in (head, *rows)} == {9}
    [skin] = [row for row in rows if "[`skin`]" in row]
    assert "| 245 057 | 3 | 20.8% | 1 = skin, the rarer class" in skin
    assert skin.endswith("| download, 3.2 MB |")
    [bank] = [row for row in rows if "[`bank`]" in row]
    assert "without duration: the length of the call" in bank
    assert "none: its source is an archive" in bank


def test_suites_have_rows(page):
    _, _, *rows = page.named_suites()
    assert len(rows) == len(suites())
    assert any("`suite:sht-genes`" in row and "`colon`, `leukemia`" in row for row in rows)
