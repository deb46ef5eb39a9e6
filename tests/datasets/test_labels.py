"""The target of a file: labels, classes, times, grades and queries; and which rows are kept."""

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused
from tables import written

from aucbench import get_dataset
from aucbench.data import Categories, Grades, Labels, Survival
from aucbench.data.understood import Understood
from aucbench.datasets import load
from aucbench.datasets.drawing import FEWEST, sample_rows
from aucbench.datasets.label import find_label, has_two_values
from aucbench.errors import DataError

N = 30
RNG = np.random.default_rng(0)
AGE, TOWN = RNG.integers(18, 90, N), RNG.choice(["a", "b", "c"], N)
SICK = np.arange(N) % 3 == 0


@pytest.mark.parametrize(
    ("columns", "target", "at", "why"),
    [
        ({"age": AGE, "sick": SICK, "town": TOWN}, "sick", 1, "as asked"),
        ({"age": AGE, "sick": SICK, "town": TOWN}, 1, 1, "as asked"),
        ({"Class ": TOWN, "age": AGE, "sick": SICK}, None, 0, "the name of labels"),
        ({"age": AGE, "sick": SICK}, None, 1, "only column with two values, and the last"),
        ({"sick": np.where(SICK, "x ", " y"), "age": AGE}, None, 0, "and the first"),
        ({"part": ~SICK, "age": AGE, "sick": SICK}, None, 2, "and the last one"),
    ],
)
def test_a_column_is_taken_for_a_stated_reason(columns, target, at, why):
    found = find_label(pd.DataFrame(columns), target, ("part",))
    assert found.at == at
    assert why in found.why


def test_what_was_taken_is_said():
    data = load(pd.DataFrame({"age": AGE, "sick": np.where(SICK, " Yes", "no")}))
    understood = data.understood
    assert understood.label == "column 'sick', the only column with two values, and the last one"
    assert (understood.positive, understood.negative) == (("Yes",), ("no",))
    assert understood.kinds == {"numeric": 1}
    assert data.target.n_pos == SICK.sum()
    assert has_two_values(pd.Series(["a", "a ", "b", None] * 500))
    assert not has_two_values(pd.Series(["a"] * 2000 + ["b", "c"]))
    assert not has_two_values(pd.Series([1, 1, 1]))


# Three or more classes

FRAME = pd.DataFrame({"a": np.arange(60.0) ** 2 % 17, "class": ["x", "y", "z"] * 20})


def test_each_label_is_a_class():
    more = {"code": [0, 1, 2] * 20, "w": [1.0, 2.0] * 30, "user": np.arange(60) // 6}
    data = load(FRAME.assign(**more), labels="classes", weights="w", groups="user", target="class")
    assert isinstance(data.target, Categories)
    assert data.target.names.tolist() == ["x", "y", "z"]
    assert data.target.counts.tolist() == [20, 20, 20]
    assert data.understood.labels == ("x", "y", "z")
    assert data.weights[:2].tolist() == [1.0, 2.0]
    assert data.groups.max() == 9
    assert any("'code' is suspicious" in line for line in data.understood.warnings)
    assert Understood.from_json(data.understood.to_json()) == data.understood
    y = np.array([10, 9, 2] * 9)  # numbers stay numbers, and are in their order
    numbers = load(pd.DataFrame({"a": np.arange(27) % 4, "y": y}), labels="classes", target="y")
    assert numbers.target.names.tolist() == ["2", "9", "10"]
    assert numbers.understood.labels == (2, 9, 10)
    two = load(FRAME.assign(**{"class": ["no", "yes"] * 30}), labels="classes")
    assert isinstance(two.target, Labels)
    assert two.understood.positive == ("yes",)


# Times of events, grades and queries

TIMES = "time,died,a,b\n5,dead,1,f\n3,alive,2,m\n8,dead,0,f\n2,dead,4,m\n"
OF_TIMES = {"time_to_event": "time", "event": "died"}


@pytest.mark.parametrize(
    ("cells", "options"),
    [
        ("dead alive dead dead", {"positive": "dead"}),
        ("1 0 1 1", {}),
        ("yes no yes yes", {}),
        ("2 0 3 2", {"positive": ("2", "3")}),
    ],
)
def test_a_table_has_times_and_events_in_two_columns(tmp_path, cells, options):
    lines = zip(TIMES.splitlines()[1:], cells.split(), strict=True)
    text = "\n".join(line.replace("dead", cell).replace("alive", cell) for line, cell in lines)
    path = written("time,died,a,b\n" + text, tmp_path / "t.csv")
    data = load(path, **OF_TIMES, **options)
    assert isinstance(data.target, Survival)
    assert data.target.time.tolist() == [5, 3, 8, 2]
    assert data.target.event.tolist() == [True, False, True, True]
    assert data.names == ("a", "b")
    assert "times in column 'time', events in column 'died'" in data.understood.label
    other = written(path.read_text().replace("5,", "6,"), tmp_path / "test.csv")
    data = load(path, **OF_TIMES, **options, test=str(other))
    assert data.target.time.tolist() == [5, 3, 8, 2, 6, 3, 8, 2]
    assert data.folds.tolist() == [-1] * 4 + [0] * 4
    written(path.read_text().replace("5,", ","), other)
    assert load(other, **OF_TIMES, **options, unlabelled="skip").n == 3


def test_a_table_has_grades(tmp_path):
    path = written("rating,a\n3,1\n1,2\n2,0\n3,1\n", tmp_path / "t.csv")
    data = load(path, target="rating", labels="grades")
    assert isinstance(data.target, Grades)
    assert data.target.y.tolist() == [3, 1, 2, 3]
    assert "3 grades from 1 to 3" in data.understood.label


def test_qid_is_the_group_and_queries_of_test_rows_stand_below(tmp_path):
    lines = "2 qid:7 1:1 2:3\n0 qid:7 1:2\n1 qid:3 2:1\n0 qid:3 1:4 # a comment\n"
    data = load(written(lines, tmp_path / "q.svm"), labels="grades")
    assert data.groups.tolist() == [1, 1, 0, 0]
    assert data.target.y.tolist() == [2, 0, 1, 0]
    assert "groups from its qid" in data.understood.label
    train = written("1 qid:1 1:1\n0 qid:1 1:2\n", tmp_path / "a.svm")
    test = written("1 qid:2 1:1\n0 qid:2 1:2\n", tmp_path / "b.svm")
    assert load(train, test=str(test)).groups.tolist() == [0, 0, 1, 1]
    written("1 1:1\n0 1:2\n", test)
    assert_refused(lambda: load(train, test=str(test)), DataError, "only one")


# Which rows of a large set are kept


@pytest.mark.parametrize(
    ("positives", "n", "rows", "kept"),
    [
        (3000, 10_000, 1000, 300),  # the share stays
        (300, 10_000, 1000, FEWEST),  # a rare class does not fall below 100 rows
        (40, 10_000, 1000, 40),  # it has fewer
        (9700, 10_000, 1000, 900),  # so has a rare class of negatives
    ],
)
def test_the_rarer_class_keeps_its_share_or_100_rows(positives, n, rows, kept):
    target = Labels.of_mask(np.arange(n) < positives)
    at = sample_rows(target, rows)
    assert at.size == rows
    assert (np.diff(at) > 0).all()
    assert target.take(at).n_pos == kept
    assert sample_rows(target, n) is sample_rows(target, None) is None
    y = np.repeat(np.arange(4), [20, 150, 400, 9430])
    assert np.bincount(y[sample_rows(Categories.of(y), 1000)]).tolist() == [20, 100, 100, 780]
    times = Survival.of(np.arange(1.0, 501.0), np.arange(500) % 3 == 0)
    for target in (Grades.of(np.arange(500) % 7), times):  # of which any are drawn
        assert np.unique(sample_rows(target, 60)).size == 60


def test_a_file_read_twice_has_the_same_rows_and_says_so(tmp_path):
    n = 3000
    y = np.where(np.random.default_rng(3).permutation(n) < n // 20, "yes", "no")
    frame = pd.DataFrame({"number": np.arange(n), "group": np.arange(n) // 10, "y": y})
    path = written(frame.assign(x=RNG.normal(size=n).round(3)), tmp_path / "t.csv")
    first, again = (load(path, rows=500, groups="group") for _ in range(2))
    assert (first.n, first.labels.n_pos) == (500, FEWEST)
    assert first.rows.stored.tolist() == again.rows.stored.tolist()
    numbers = first.rows.matrix[:, 0].astype(int)
    assert (load(path).y[numbers] == first.y).all()
    same = first.groups[:, None] == first.groups[None, :]
    assert (same == (numbers[:, None] // 10 == numbers[None, :] // 10)).all()
    assert "500 of 3,000 rows" in next(first.understood.lines())


def test_rows_of_a_set_that_no_file_has():
    data = get_dataset("digits-3[rows=300]")
    assert (data.n, data.labels.n_pos) == (300, FEWEST)
    assert data.understood.label == "300 of 1,797 rows, drawn as rows=300"
    assert get_dataset("digits-3[rows=5000]").n == 1797
