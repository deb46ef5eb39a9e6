"""Files with times of events, with grades, and with queries."""

from __future__ import annotations

import numpy as np
import pytest

from aucbench.data import Grades, Survival
from aucbench.datasets import load
from aucbench.errors import DataError

ROWS = "time,died,a,b\n5,dead,1,f\n3,alive,2,m\n8,dead,0,f\n2,dead,4,m\n"
TIMES = {"time_to_event": "time", "event": "died"}


@pytest.fixture
def table(tmp_path):
    def written(text, name="t.csv"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return written


def test_a_table_has_times_and_events_in_two_columns(table):
    data = load(table(ROWS), **TIMES, positive="dead")
    assert isinstance(data.target, Survival)
    assert data.target.time.tolist() == [5, 3, 8, 2]
    assert data.target.event.tolist() == [True, False, True, True]
    assert data.names == ("a", "b")
    assert "times in column 'time', events in column 'died' (those with 'dead')" in (
        data.understood.label
    )


@pytest.mark.parametrize(
    ("cells", "options"),
    [
        ("1 0 1 1", {}),
        ("1.0 0.0 1.0 1.0", {}),
        ("True False True True", {}),
        ("yes no yes yes", {}),
        ("2 1 2 2", {"positive": 2}),
        ("2 0 3 2", {"positive": ("2", "3")}),
        ("dead lost dead dead", {"positive": "dead"}),
    ],
)
def test_events_are_written_in_many_ways(table, cells, options):
    rows = zip(ROWS.splitlines()[1:], cells.split(), strict=True)
    text = "\n".join(row.replace("dead", cell).replace("alive", cell) for row, cell in rows)
    data = load(table("time,died,a,b\n" + text), **TIMES, **options)
    assert data.target.event.tolist() == [True, False, True, True]


def test_test_rows_have_times_too(table):
    train, test = table(ROWS), table(ROWS.replace("5,dead", "6,dead"), "test.csv")
    data = load(train, **TIMES, positive="dead", test=str(test))
    assert data.target.time.tolist() == [5, 3, 8, 2, 6, 3, 8, 2]
    assert data.folds.tolist() == [-1] * 4 + [0] * 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (TIMES, "it has 'alive' .1., 'dead' .3.; name the labels of an event with --positive"),
        ({**TIMES, "positive": "gone"}, "positive='gone' is no label"),
        ({**TIMES, "event": "b", "positive": "f", "time_to_event": "died"}, "time has 'dead'"),
        ({**TIMES, "event": "diid"}, "there is no column 'diid' among 3; similar are died"),
    ],
)
def test_columns_without_times_or_events_are_refused(table, options, message):
    with pytest.raises(DataError, match=message):
        load(table(ROWS), **options)


def test_a_missing_event_or_time_is_refused_or_left_out(table):
    with pytest.raises(DataError, match="shall say which rows have an event: the label of row 1"):
        load(table(ROWS.replace("alive", "")), **TIMES, positive="dead")
    gap = table(ROWS.replace("3,alive", ",alive"))
    with pytest.raises(DataError, match="missing in line 3"):
        load(gap, **TIMES, positive="dead")
    assert load(gap, **TIMES, positive="dead", unlabelled="skip").n == 3


def test_a_table_has_grades(table):
    data = load(table("rating,a\n3,1\n1,2\n2,0\n3,1\n"), target="rating", labels="grades")
    assert isinstance(data.target, Grades)
    assert data.target.y.tolist() == [3, 1, 2, 3]
    assert data.understood.label == "column 'rating', as asked; 3 grades from 1 to 3"


def test_qid_is_the_group(table):
    lines = "2 qid:7 1:1 2:3\n0 qid:7 1:2\n1 qid:3 2:1\n0 qid:3 1:4 # a comment\n"
    data = load(table(lines, "q.svm"), labels="grades")
    assert data.groups.tolist() == [1, 1, 0, 0]
    assert data.target.y.tolist() == [2, 0, 1, 0]
    assert "groups from its qid" in data.understood.label
    with pytest.raises(DataError, match="the qid of each line says its group"):
        load(table(lines, "q.svm"), labels="grades", groups=0)
    with pytest.raises(DataError, match="3 of 4 lines have a qid"):
        load(table(lines.replace("1 qid:3 ", "1 "), "q.svm"), labels="grades")


def test_queries_of_test_rows_stand_below(table):
    train = table("1 qid:1 1:1\n0 qid:1 1:2\n", "a.svm")
    test = table("1 qid:2 1:1\n0 qid:2 1:2\n", "b.svm")
    data = load(train, test=str(test))
    assert data.groups.tolist() == [0, 0, 1, 1]
    with pytest.raises(DataError, match="only one of the files has a qid"):
        load(train, test=str(table("1 1:1\n0 1:2\n", "c.svm")))


def test_a_column_that_tells_the_event_is_suspicious(table):
    rng = np.random.default_rng(0)
    event = rng.random(60) < 0.5
    rows = (f"{i % 13 + 1},{int(e)},{rng.random():.3f},{e + 0.5}" for i, e in enumerate(event))
    data = load(table("time,died,a,leak\n" + "\n".join(rows)), **TIMES)
    assert any("'leak'" in line for line in data.understood.warnings)
