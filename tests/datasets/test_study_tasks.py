"""The tasks of the study: the table, the suites and the collections say the same."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from aucbench import get_dataset
from aucbench.datasets import suites
from aucbench.datasets.catalogue import entry_of, expanded
from aucbench.datasets.collections import PYPI, member_of
from aucbench.datasets.located import Place, place_of
from aucbench.errors import MissingExtraError
from aucbench.registry import parse_spec

FILE = Path(__file__).resolve().parents[2] / "docs" / "data" / "study" / "tasks.csv"
FIELDS = (
    *("task", "dataset", "group", "source", "licence", "rows", "features", "positives", "share"),
    *("kind", "missing", "why", "all_rows"),
)
FEWEST = 15  # rows of each class


def tasks():
    with FILE.open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines)]


def named(task):
    return parse_spec(task["dataset"]).name


def some():
    """The smallest task of each source, and the smallest one from which rows are drawn."""
    by_source = {}
    for task in sorted(tasks(), key=lambda task: int(task["all_rows"]) * int(task["features"])):
        by_source.setdefault(task["source"], []).append(task)
    for own in by_source.values():
        drawn = [task for task in own if "rows=" in task["dataset"]]
        yield from {task["task"]: task for task in (*own[:1], *drawn[:1])}.values()


def others():
    first = {task["task"] for task in some()}
    sizes = {task["task"]: int(task["all_rows"]) * int(task["features"]) for task in tasks()}
    return [t for t in tasks() if t["task"] not in first and sizes[t["task"]] < 100_000]


def is_at_hand(task):
    name = named(task)
    member = member_of(name)
    try:
        if member is None:
            return place_of(name) in (Place.FOLDER, Place.CACHE, Place.EMBEDDED)
        return member.source.at_hand(member.name)
    except MissingExtraError:
        return False


def require_as_told(task):
    if not is_at_hand(task):
        pytest.skip(f"{named(task)} is not at hand")
    data = get_dataset(task["dataset"])
    kinds = Counter(data.understood.kinds)
    words = kinds["category"] + kinds["boolean"]
    kind = "numbers" if not words else "mixed" if kinds["numeric"] else "categories"
    values = data.rows.dense().matrix
    missing = np.isnan(values).mean() if values.dtype.kind == "f" else 0.0
    assert data.n == int(task["rows"])
    assert len(data.names or range(data.d)) == int(task["features"])
    assert data.labels.n_pos == int(task["positives"])
    assert kind == task["kind"]
    assert missing == pytest.approx(float(task["missing"]), abs=5e-5)


def test_each_task_is_told_whole():
    rows = tasks()
    assert tuple(rows[0]) == FIELDS
    assert len(rows) >= 120
    assert len({task["task"] for task in rows}) == len({task["dataset"] for task in rows})
    assert len({task["dataset"] for task in rows}) == len(rows)
    assert all(all(task.values()) for task in rows)
    for task in rows:
        n, positive = int(task["rows"]), int(task["positives"])
        assert FEWEST <= positive <= n - FEWEST, task["task"]
        assert float(task["share"]) == pytest.approx(positive / n, abs=5e-5)
        assert 0 <= float(task["missing"]) < 0.5
        assert task["kind"] in ("numbers", "mixed", "categories")
        drawn = parse_spec(task["dataset"]).params.get("rows")
        assert n == (min(drawn, int(task["all_rows"])) if drawn else int(task["all_rows"]))


def test_groups_have_the_tasks_of_one_table():
    rows = tasks()
    groups = {task["group"] for task in rows}
    assert len(groups) >= 75
    assert max(Counter(task["group"] for task in rows).values()) <= 8
    assert len({t["group"] for t in rows if int(t["all_rows"]) >= 5000}) >= 20
    of_table = {}
    for task in rows:  # two questions about one table are one group
        of_table.setdefault(named(task), set()).add(task["group"])
    assert {name: own for name, own in of_table.items() if len(own) > 1} == {}


def test_the_suites_are_the_tasks():
    rows = tasks()
    assert sorted(expanded(["suite:study"])) == sorted(task["dataset"] for task in rows)
    sources = len({task["group"] for task in rows})
    assert suites()["study"].title == f"the {len(rows)} tasks of the study, of {sources} sources"
    given = [parse_spec(spec).name for spec in suites()["study-open"].members]
    assert suites()["study-open"].title.startswith(f"the {len(given)} tasks")
    for task in rows:
        name = named(task)
        entry = entry_of(name)
        here = member_of(name) is not None or entry.kind == "embedded"
        assert (name in given) == (here or bool(entry.files)), name


def test_the_collection_of_packages_has_the_tables_that_are_asked_about():
    asked = {named(task): task for task in tasks() if named(task).startswith("pypi:")}
    assert {name.removeprefix("pypi:") for name in asked} == {*PYPI.known()}
    for name, task in asked.items():
        table = PYPI.of_name(name.removeprefix("pypi:"))
        assert task["source"].endswith(table.package.distribution)


@pytest.mark.parametrize("task", [*some()], ids=lambda task: task["task"])
def test_some_tasks_of_each_source_are_as_told(task):
    require_as_told(task)


@pytest.mark.nightly
@pytest.mark.parametrize("task", others(), ids=lambda task: task["task"])
def test_all_other_small_tasks_are_as_told(task):
    require_as_told(task)
