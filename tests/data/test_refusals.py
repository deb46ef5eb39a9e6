"""What no data can be: refused in one sentence that names the fault."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from refusals import assert_refused, refusals
from scipy import sparse
from sequences import breakpoints

import aucbench
from aucbench.data import Breakpoints, Categories, Data, Grades, Shape, Shapes, Survival
from aucbench.data.arrays import rows
from aucbench.data.folds import drawn_few, splits
from aucbench.data.layouts import densify
from aucbench.errors import AucbenchError, DataError, ParameterError, UnsupportedError
from aucbench.features import Unit
from aucbench.features.chain import applied
from aucbench.stats import Fold

INF, NAN = np.inf, np.nan
X, Y = np.arange(8.0).reshape(4, 2), np.array([1, -1, 1, -1])
WORDS = ["yes", "no", "Yes ", "maybe"]
TIMES, CLASSES = Survival.of([5, 3, 3, 8], [1, 1, 0, 0]), Categories.of(["a", "b", "c", "a"])
WHOLE = 2**53 + 1  # between two floats


def of(X, y, **options):
    return partial(Data.of, X, y, **options)


def put(value, at=(2, 1)):
    """X with another value in one place."""
    broken = X.copy()
    broken[at] = value
    return broken


def csr(columns, starts):
    broken = sparse.csr_array(np.eye(2))
    broken.indices[:], broken.indptr[:] = columns, starts
    return broken


def divided(y, count=5, divide=splits, **options):
    """What divides rows with these labels or another target into folds."""
    n = len(y) if isinstance(y, list) else y.n
    return lambda: [*divide(Data.of(np.zeros((n, 1)), y, **options), count, 0)]


def uneven(v):
    return [1.0, *v, 1.0]


ONE_CLASS = [0, 0, 0, 1, 1, 1]
LATE = Survival.of(np.arange(1.0, 9.0), [0] * 6 + [1] * 2)
RNG = np.random.default_rng(0)
SHAPED = replace(Data.of(X, Y), shapes=Shapes(((0, Shape(1)),)))
UNIT = Unit().fit(SHAPED, RNG)
# Two examples: errors (fp, fn) on intervals of the log penalty.
PENALTIES = {
    "example": [0, 0, 0, 1, 1],
    "min_log_lambda": [-INF, 1.0, 2.0, -INF, -1.0],
    "fp": [3, 1, 1, 2, 0],
    "fn": [0, 0, 4, 1, 1],
}
LOW, HIGH = "min_log_lambda", "max_log_lambda"
INTERVALS = [
    (LOW, [-INF, 1, 2, -2, -1], "-2.0"),
    (LOW, [-INF, 2, 2, -INF, -1], "two intervals"),
    (LOW, [-INF, 1, NAN, -INF, 0], "entry 2"),
    (HIGH, [1, 3, INF, -1, INF], "from 1.0 to 3.0"),
    ("example", [0, 0, 0, 2, 2], "example 1"),
    ("example", [0.0, 0.0, 0.0, 1.0, 1.0], "float64"),
    ("fp", [3, 1, -1, 2, 0], "-1.0"),
    *(("fn", [0, 0, 4, INF, 1], "inf"), ("fn", [0, 0, 4, 1], "(4,)"), ("fn", [1] * 5, "by 0.0")),
    ("possible_fp", [3, 3, 2, 2, 2], "two numbers"),
    ("possible_fn", [3, 3, 3, 1, 1], "more fn"),
]


def recorded(example, *value):
    """What makes a record of breakpoints as they are, in this order."""
    zeros = np.zeros(2)
    return partial(Breakpoints, example, np.array(value, float), *[zeros] * 2, 2, *[zeros] * 4)


def int32(*values):
    return np.array(values, np.int32)


MATRICES = [
    ("a vector", X[0], "matrix"),
    ("no column", np.empty((4, 0)), "4 rows, 0 columns"),
    ("no sparse row", sparse.csr_array((0, 3)), "empty"),
    ("complex", np.array([[1j]] * 4), "encode it as numbers"),
    ("a text in objects", np.array([[1], ["b"], [2], [3]], object), "encode it as numbers"),
    ("nan", put(NAN), "nan in row 2, column 1"),
    ("nan and inf", put([[NAN, 0], [1, INF]], np.s_[:2]), "row 0, column 0 and inf in row 1, col"),
    ("words in a frame", pd.DataFrame({"a": X[:, 0], "b": WORDS, "c": WORDS}), "'b', 'c'"),
    ("a gap in a frame", pd.DataFrame({"age": put(NAN)[:, 1]}), "column 0 ('age')"),
    ("masked", [X[0].tolist(), np.ma.masked_all(2), *X[2:]], "row 1, column 0"),
    ("too large", [[1.0, 2.0]] * 3 + [[0.5, WHOLE]], f"{WHOLE} at row 3, column 1"),
]
LABELS = [
    ("all positive", [1, 1, 1, 1], {}, "all 4 labels are positive"),
    ("too few", [1, -1], {}, "4 rows but y has 2"),
    ("none", None, {}, "missing"),
    ("a number", 1, {}, "0 labels"),
    ("nan", [1, -1, NAN, 1], {}, "nan in row 2"),
    ("a matrix", np.eye(4), {}, "one label per row"),
    ("four", [1, 2, 3, 4], {}, "positive"),
    ("two words", ["sick", "well"] * 2, {}, "'sick' (2), 'well' (2)"),
    ("the positive ones", WORDS, {"positive": ["Yes", "yes"]}, "--negative rest"),
    ("neither", WORDS, {"positive": ["yes", "Yes"], "negative": "no"}, "'maybe' (1)"),
    ("both", WORDS, {"positive": ["yes", "no"], "negative": ["no"]}, "'no' is both"),
    ("missing", np.array(["a", "b", None, "b"], object), {"positive": "a"}, "row 2"),
    ("sides of times", TIMES, {"positive": 1}, "name labels"),
    ("many times", Survival.of([5, 3, 3], [1, 1, 0]), {}, "4 rows but y has 3 survival times"),
    ("weight 0", Y, {"weights": uneven([1, 0])}, "row 2 is 0.0"),
    ("weight below", Y, {"weights": uneven([1, -1])}, "1 weight"),
    ("words as weights", Y, {"weights": WORDS}, "numeric"),
    ("weights far apart", Y, {"weights": uneven([1e308, 1e-8])}, "1e-08 to 1e+308"),
    ("masked groups", Y, {"groups": np.ma.array(Y, mask=[1, 0, 0, 0])}, "groups has 1 masked"),
]  # fmt: skip
SINGLE = [(-4e38, "too large"), (1e-46, "too small"), (1e-39, "too small")]
REFUSED = refusals(
    *((f"rows: {name}", of(given, Y), DataError, word) for name, given, word in MATRICES),
    *((f"labels: {name}", of(X, y, **more), DataError, word) for name, y, more, word in LABELS),
    *(
        (f"float32: {value}", of(form(put(value)), Y, dtype="float32"), DataError, word)
        for value, word in SINGLE
        for form in (np.asarray, sparse.csr_array, rows)
    ),
    *(
        (f"csr: {columns} {starts}", of(csr(columns, starts), [1, -1]), DataError, "valid CSR")
        for columns, starts in (([0, 7], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 2, 1]))
    ),
    ("weights of data", lambda: Data.of(Data.of(X, Y), weights=Y + 2), DataError, "ignored"),
    ("dense", lambda: densify(rows(sparse.csr_array(X)), 5, "a test"), DataError, "maxabs"),
    ("weights of a fold", lambda: Fold(Y, X[:, 0], uneven([1e308, 1e-8])), DataError, "1e-08"),
    # Targets
    ("two classes", lambda: Categories.of([0, 1, 1]), DataError, "three"),
    ("1001 classes", lambda: Categories.of(np.arange(1001)), DataError, "1001"),
    ("a class of None", lambda: Categories.of(np.array([2, None, 3], object)), DataError, "row 1"),
    ("y of classes", lambda: Data.of(X, CLASSES).y, UnsupportedError, "more than two"),
    ("event 2", lambda: Survival.of([1, 2], [0, 2]), DataError, "row 1 is 2"),
    ("time inf", lambda: Survival.of([INF, 1], [1, 1]), DataError, "row 0"),
    ("more events", lambda: Survival.of([1, 2], [1, 1, 1]), DataError, "(3,)"),
    ("one grade", lambda: Grades.of([3, 3]), DataError, "all 2 grades are 3"),
    ("a grade of nan", lambda: Grades.of([3, NAN]), DataError, "row 1 is nan"),
    ("words as grades", lambda: Grades.of(["low", "high"]), DataError, "numeric"),
    ("rates of one class", lambda: Breakpoints.of_labels([1, 1]), DataError, "2 of 2"),
    ("a label of 2", lambda: Breakpoints.of_labels([0, 1, 2]), AucbenchError, "label 2"),
    *(
        (f"{name}: {word}", partial(Breakpoints.of_penalties, **intervals), DataError, word)
        for name, intervals, word in ((n, {**PENALTIES, n: v}, word) for n, v, word in INTERVALS)
    ),
    ("no example 2", lambda: breakpoints([2], [0], [1], [0], 2), DataError, "from 2 to 2"),
    ("at infinity", lambda: breakpoints([0], [INF], [1], [0], 2), DataError, "infinite"),
    ("examples out of order", recorded(int32(1, 0), 0, 0), DataError, "order"),
    ("examples of int64", recorded(np.array([0, 1]), 0, 0), DataError, "int32"),
    # Folds
    ("too many folds", divided(Categories.of([0, 1, 2] * 4)), DataError, "fewer than the 5"),
    ("too few events", divided(LATE), DataError, "2 event(s)"),
    ("no pair of times", divided(LATE, 2), DataError, "no two rows to compare"),
    ("one group", divided([0, 1] * 45, groups=np.zeros(90, int)), DataError, "1 group(s)"),
    ("inner folds", divided(ONE_CLASS, 2, drawn_few, groups=ONE_CLASS), DataError, "fewer splits"),
    ("no blocks", lambda: Data.of(X, Y).blocks(0), DataError, "0 blocks"),
    ("a class of one row", lambda: Data.of(X, [1, -1, -1, -1]).split(0.3, RNG), DataError, "1 row"),
    # Shapes and threads
    ("up and down", lambda: Shape.of("increasing-decreasing"), ParameterError, "twice"),
    ("no such name", lambda: Shapes.of({"c": 1}, ("a", "b"), 2), DataError, "no column"),
    ("a shape of mixed columns", lambda: applied(UNIT, SHAPED), UnsupportedError, "mix"),
    *(
        (f"{count} threads", partial(aucbench.threads, count), ParameterError, "threads")
        for count in (0, -1, 1.5, True, "2")
    ),
)  # fmt: skip


@REFUSED
def test_what_is_no_data_is_refused(call, error, word):
    assert_refused(call, error, word)
