"""The tables of the page about the tasks of the study are those of tasks.csv."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def page():
    spec = importlib.util.spec_from_file_location("page_tasks", DOCS / "page_tasks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_task_has_a_row_with_all_cells(page):
    head, _, *rows = page.listed()
    assert len(rows) == len(page.tasks())
    assert {row.count("|") for row in (head, *rows)} == {11}
    [abalone] = [row for row in rows if row.startswith("| `abalone19` |")]
    assert "| 4 174 | 4 174 | 8 | 0.8% | mixed |  | abalone |" in abalone
    _, _, *named = page.names()
    assert "| `bank` | `bank[rows=5000]` |" in named


def test_the_text_has_the_numbers_of_the_table(page):
    text = (DOCS / "study" / "protocol.md").read_text(encoding="utf-8")
    assert f"`suite:study` names all {len(page.tasks())} tasks" in text
    shut = ("adult", "bank", "colon", "leukemia", "mammography", "splice", "usps")
    of_shut = [task for task in page.tasks() if task["dataset"].partition("[")[0] in shut]
    assert len(of_shut) == len(shut)
    assert f"`suite:study-open` has the {len(page.tasks()) - len(shut)} of them" in text
    names = {task["task"] for task in page.tasks()}
    for task in ("cowles", "smokers", "recidivism", "rossi", "kc1", "stroke", "accelerometer"):
        assert f"`{task}`" in text
        assert task in names
