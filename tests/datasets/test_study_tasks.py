"""The tasks of the study: the table, the suites and the collections say the same."""

import csv
from collections import Counter

import numpy as np
import pytest
from scipy.sparse import issparse

from aucbench import get_dataset
from aucbench.datasets import suites
from aucbench.datasets.catalogue import entry_of, expanded
from aucbench.datasets.collections import PYPI, member_of
from aucbench.datasets.located import Place, place_of
from aucbench.errors import MissingExtraError
from aucbench.registry import parse_spec
from aucbench.study.plans import APART
from aucbench.study.plans import TASKS as FILE

with FILE.open(encoding="utf-8", newline="") as lines, APART.open(encoding="utf-8") as apart:
    TASKS, OTHERS = [*csv.DictReader(lines)], [*csv.DictReader(apart)]


def named(task):
    return parse_spec(task["dataset"]).name


def size(task):
    return int(task["all_rows"]) * int(task["features"])


def smallest():
    """The smallest task of each source, and the smallest one from which rows are drawn."""
    firsts = {}
    for task in sorted(TASKS + OTHERS, key=size):
        kind = task["source"], "rows=" in task["dataset"], task.get("apart")
        firsts.setdefault(kind, task)
    return [*firsts.values()]


def is_at_hand(task):
    member = member_of(named(task))
    try:
        if member is None:
            return place_of(named(task)) in (Place.FOLDER, Place.CACHE, Place.EMBEDDED)
        return member.source.at_hand(member.name)
    except MissingExtraError:
        return False


@pytest.mark.parametrize("task", smallest(), ids=lambda task: task["task"])
def test_a_task_is_as_the_table_says(task):
    if not is_at_hand(task):
        pytest.skip(f"{named(task)} is not at hand")
    data = get_dataset(task["dataset"])
    kinds = Counter(data.understood.kinds)
    words = kinds["category"] + kinds["boolean"]
    matrix = data.rows.matrix
    values = matrix.data if issparse(matrix) else matrix
    empty = np.isnan(values).sum() if values.dtype.kind == "f" else 0
    missing = empty / (data.n * max(data.d, 1))
    assert data.n == int(task["rows"])
    assert len(data.names or range(data.d)) == int(task["features"])
    assert data.labels.n_pos == int(task["positives"])
    kind = "numbers" if not words else "mixed" if kinds["numeric"] else "categories"
    assert kind == task["kind"]
    assert missing == pytest.approx(float(task["missing"]), abs=5e-5)


def test_the_suites_and_the_collection_of_packages_are_the_tasks():
    assert sorted(expanded(["suite:study"])) == sorted(task["dataset"] for task in TASKS)
    apart = [task["dataset"] for task in OTHERS]
    assert [*suites()["study-apart"].members] == apart
    sources = len({task["group"] for task in TASKS})
    assert suites()["study"].title == f"the {len(TASKS)} tasks of the study, of {sources} sources"
    given = [parse_spec(spec).name for spec in suites()["study-open"].members]
    assert suites()["study-open"].title.startswith(f"the {len(given)} tasks")
    for name in map(named, TASKS):
        entry = entry_of(name)
        here = member_of(name) is not None or entry.kind == "embedded"
        assert (name in given) == (here or bool(entry.files)), name
    of_packages = {named(task) for task in TASKS + OTHERS if named(task).startswith("pypi:")}
    assert {name.removeprefix("pypi:") for name in of_packages} == {*PYPI.known()}
