"""`rows=N`: which rows of a large data set are kept."""

from __future__ import annotations

import numpy as np
import pytest

from aucbench import get_dataset
from aucbench.data import Categories, Grades, Labels, Survival
from aucbench.datasets import load
from aucbench.datasets.chunked import open_parts
from aucbench.datasets.drawing import FEWEST, sample_rows
from aucbench.errors import ParameterError, UnsupportedError

N = 3000


@pytest.fixture
def table(tmp_path):
    """A file with 5 % positives, a group for each ten rows, and a number for each row."""
    rng = np.random.default_rng(3)
    y = np.where(rng.permutation(N) < N // 20, "yes", "no")
    rows = [f"{i},{i // 10},{rng.normal():.3f},{label}" for i, label in enumerate(y)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["number,group,x,y", *rows]))
    return path


@pytest.mark.parametrize(
    ("positives", "n", "rows", "kept"),
    [
        (3000, 10_000, 1000, 300),  # the share stays
        (300, 10_000, 1000, FEWEST),  # a rare class does not fall below 100 rows
        (40, 10_000, 1000, 40),  # it has fewer
        (9700, 10_000, 1000, 900),  # so has a rare class of negatives
        (4999, 10_000, 101, 50),  # half at most
    ],
)
def test_the_rarer_class_keeps_its_share_or_100_rows(positives, n, rows, kept):
    target = Labels.of_mask(np.arange(n) < positives)
    at = sample_rows(target, rows)
    assert at.size == rows
    assert (np.diff(at) > 0).all()
    assert target.take(at).n_pos == kept
    assert sample_rows(target, n) is sample_rows(target, None) is None


def test_classes_keep_rows_and_of_grades_and_times_any_are_drawn():
    y = np.repeat(np.arange(4), [20, 150, 400, 9430])
    at = sample_rows(Categories.of(y), 1000)
    assert np.bincount(y[at]).tolist() == [20, 100, 100, 780]
    times = Survival.of(np.arange(1.0, 501.0), np.arange(500) % 3 == 0)
    for target in (Grades.of(np.arange(500) % 7), times):
        at = sample_rows(target, 60)
        assert at.size == np.unique(at).size == target.take(at).n == 60


def test_a_file_read_twice_has_the_same_rows_and_says_so(table):
    first, again = (load(table, rows=500, groups="group") for _ in range(2))
    assert (first.n, first.labels.n_pos) == (500, FEWEST)
    assert first.rows.stored.tolist() == again.rows.stored.tolist()
    numbers = first.rows.stored.reshape(500, 2)[:, 0].astype(int)
    whole = load(table)
    assert (whole.y[numbers] == first.y).all()
    same = first.groups[:, None] == first.groups[None, :]
    assert (same == (numbers[:, None] // 10 == numbers[None, :] // 10)).all()
    line = next(first.understood.lines())
    assert line.startswith("label: column 'y', which has the name of labels; 500 of 3,000 rows,")
    assert "drawn" not in " ".join(whole.understood.lines())


def test_rows_are_refused_where_they_mean_nothing(table):
    with pytest.raises(ParameterError, match="rows=100 draws the rows of one table, and test="):
        load(table, rows=100, test=str(table))
    with pytest.raises(UnsupportedError, match="rows need all rows at once"):
        open_parts(table, rows=100)


def test_rows_of_a_set_that_no_file_has(site):
    hook = "from aucbench.hookspecs import hookimpl\n\n\n@hookimpl\ndef aucbench_datasets():\n"
    made = "    from aucbench.data import Data\n\n    def toy(rows=5):\n"
    made += "        return Data.of([[float(i)] for i in range(rows)], [1] + [-1] * (rows - 1))\n\n"
    site.add("mine", toy=f"{hook}{made}    return {{'toy': toy}}\n")
    assert get_dataset("toy[rows=9]").n == 9  # a parameter of its own keeps its meaning
    data = get_dataset("digits-3[rows=300]")
    assert (data.n, data.labels.n_pos) == (300, FEWEST)
    assert data.understood.label == "300 of 1,797 rows, drawn as rows=300"
    assert get_dataset("digits-3[rows=5000]").n == 1797
