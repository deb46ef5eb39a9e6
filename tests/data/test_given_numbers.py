"""What is no number, or none that a float holds, is refused wherever numbers come in."""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from aucbench import AUCClassifier, metrics, stats
from aucbench.aum import aum_line_min, aum_loss, roc_auc
from aucbench.contract import Problem
from aucbench.data import Breakpoints, Data
from aucbench.data.data import Chunk
from aucbench.errors import DataError, PluginError
from aucbench.metrics import auc, intercept_at
from aucbench.solving.scoring import Scorer
from aucbench.stats.vectors import floats

N = 8
Y = np.array([1, 0] * 4)
X = np.arange(2.0 * N).reshape(N, 2)
ONES = np.arange(1.0, 1.0 + N)
WHOLE = 2**53 + 1  # between two floats
BREAKS = Breakpoints.of_labels(np.where(Y > 0, 1, -1), "count")


def with_first(value, dtype=object):
    values = np.array([*ONES.astype(int)], dtype=dtype)
    values[0] = value
    return values


def masked(kind=float):
    return np.ma.array(ONES.astype(kind), mask=[True, *[False] * (N - 1)])


BAD = {
    "masked": masked(),
    "masked whole": masked(int),
    "complex": ONES.astype(complex),
    "text": ONES.astype(str),
    "bytes": ONES.astype("S"),
    "dates": ONES.astype(int).astype("M8[D]"),
    "times": ONES.astype(int).astype("m8[s]"),
    "int64": with_first(WHOLE, np.int64),
    "negative": with_first(-WHOLE, np.int64),
    "uint64": with_first(2**64 - 1, np.uint64),
    "list": [WHOLE, *ONES[1:].tolist()],
    "object text": with_first("1"),
    "object whole": with_first(WHOLE),
    "object huge": with_first(10**400),
    "object complex": with_first(1j),
    "object date": with_first(date(2020, 1, 1)),
    "decimal": with_first(Decimal(1)),
}
GOOD = {
    "floats": ONES,
    "float32": ONES.astype(np.float32),
    "whole": ONES.astype(np.uint8),
    "list": ONES.astype(int).tolist(),
    "no mask": np.ma.array(ONES),
    "a mask of none": np.ma.array(ONES, mask=np.zeros(N, bool)),
    "objects": with_first(Fraction(1)),
    "Series": pd.Series(ONES),
    "Int64": pd.Series(ONES, dtype="Int64"),
    "Float64": pd.array(ONES, dtype="Float64"),
    "exact and large": 2.0**60 * ONES,
    "exact and whole": (ONES * 2**54).astype(np.int64),
}


def matrix(values):
    """Two columns, the first of which has the values."""
    if isinstance(values, list):
        return [[value, 1.0] for value in values]
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.column_stack([values, np.ma.array(ONES.astype(values.dtype))])
    return np.column_stack([np.asarray(values), np.asarray(values)])


def frame(values):
    return pd.DataFrame({"a": values, "b": ONES})


class Scores:
    """A model that returns what it is given."""

    def __init__(self, values):
        self.values = values

    def scores(self, rows):
        return self.values


DOORS = {
    "rows": lambda v: Data.of(matrix(v), Y),
    "chunk": lambda v: Chunk.of(matrix(v), Y),
    "auc": lambda v: auc(Y, v),
    "auc weights": lambda v: auc(Y, ONES, v),
    "weights": lambda v: Data.of(X, Y, weights=v),
    "threshold": lambda v: intercept_at(Y, v),
    "Fold": lambda v: stats.Fold(Y, v),
    "Fold weights": lambda v: stats.Fold(Y, ONES, v),
    "average precision": lambda v: metrics.average_precision(Y, v),
    "ranks": lambda v: stats.signed_rank(v),
    "aum": lambda v: aum_loss(BREAKS, v),
    "auc of breakpoints": lambda v: roc_auc(BREAKS, v),
    "line search": lambda v: aum_line_min(v, ONES, Y),
    "classifier": lambda v: AUCClassifier("ls-svm").fit(matrix(v), Y),
    "classifier weights": lambda v: AUCClassifier("ls-svm").fit(X, Y, sample_weight=v),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_number_is_refused(door, kind):
    if door == "classifier" and kind in ("text", "object text"):  # which become features
        return
    with pytest.raises((DataError, TypeError)) as caught:
        DOORS[door](BAD[kind])
    if not door.startswith("classifier"):  # of which scikit-learn asks for a TypeError
        assert isinstance(caught.value, DataError)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", GOOD)
def test_what_is_a_number_is_taken(door, kind):
    DOORS[door](GOOD[kind])


@pytest.mark.parametrize("kind", GOOD)
def test_all_ways_to_give_numbers_are_one(kind):
    np.testing.assert_array_equal(floats("scores", GOOD[kind]), np.asarray(GOOD[kind], float))
    assert floats("scores", GOOD[kind]).dtype == np.float64


def test_the_first_wrong_number_is_named():
    for values, sentence in (
        (masked(), "scores has 1 masked entries, the first at row 0; fill them or"),
        (with_first(WHOLE, np.int64), f"scores has {WHOLE} at row 0, a whole number that no float"),
        (with_first("1"), "scores has '1' at row 0, which is no number; encode it as numbers"),
        (ONES.astype(str), "scores has the type <U32, which is not numeric; encode it as numb"),
        ([[1.0], [2.0, 3.0]], "scores is no array"),
    ):
        with pytest.raises(DataError, match=sentence):
            floats("scores", values)
    with pytest.raises(DataError, match=f"X has {WHOLE} at row 3, column 1, a whole number"):
        floats("X", [[1.0, 2.0]] * 3 + [[0.5, WHOLE]])


@pytest.mark.parametrize("values", [None, float("nan"), pd.NA], ids=str)
def test_missing_numbers_are_nan_which_each_door_judges(values):
    assert np.isnan(floats("values", with_first(values))[0])
    with pytest.raises(DataError, match="NaN"):
        auc(Y, with_first(values))
    with pytest.raises(DataError, match="NaN or infinite"):
        Data.of(matrix(with_first(values)), Y)


def test_a_masked_row_of_a_list_is_found():
    with pytest.raises(DataError, match="2 masked entries, the first at row 1, column 0"):
        Data.of([[1.0, 2.0], np.ma.masked_all(2), *X[2:]], Y)


@pytest.mark.parametrize("wrong", ["int64", "uint64", "complex", "dates"])
def test_frames_name_the_column(wrong):
    with pytest.raises(DataError, match="'a'"):
        Data.of(frame(BAD[wrong]), Y)
    if wrong != "dates":  # which become features
        with pytest.raises(DataError, match="'a'"):
            AUCClassifier("ls-svm").fit(frame(BAD[wrong]), Y)


@pytest.mark.parametrize("wrong", ["int64", "complex"])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.coo_array, sparse.csc_matrix])
def test_sparse_rows_too(wrong, form):
    with pytest.raises(DataError, match=r"X\.data has"):
        Data.of(form(matrix(BAD[wrong])), Y)


LABELS = {
    "masked": np.ma.array(Y, mask=[True, *[False] * (N - 1)]),
    "masked text": np.ma.array(np.where(Y > 0, "yes", "no"), mask=[True, *[False] * (N - 1)]),
    "complex": Y.astype(complex),
    "NA": pd.array([None, *Y[1:]], dtype="Int64"),
    "ragged": [[1], [1, 2], *Y[2:].tolist()],
}
LABEL_DOORS = {
    "Data.of": lambda y: Data.of(X, y),
    "Chunk.of": lambda y: Chunk.of(X, y),
    "auc": lambda y: auc(y, ONES),
    "Fold": lambda y: stats.Fold(y, ONES),
    "classifier": lambda y: AUCClassifier("ls-svm").fit(X, y),
}


@pytest.mark.parametrize("door", LABEL_DOORS)
@pytest.mark.parametrize("kind", LABELS)
def test_labels_that_are_hidden_or_none_are_refused(door, kind):
    with pytest.raises(DataError):
        LABEL_DOORS[door](LABELS[kind])


@pytest.mark.parametrize("name", ["groups", "times"])
def test_masked_groups_and_times_are_refused(name):
    with pytest.raises(DataError, match=f"{name} has 1 masked entries"):
        Data.of(X, Y, **{name: masked(int)})


def test_scores_of_a_model_have_no_mask():
    problem, learnt = Problem(train=Data.of(X, Y)), SimpleNamespace(model=Scores(masked()))
    with pytest.raises(PluginError, match=r"Scores\.scores returned has 1 masked entries"):
        Scorer.of(problem)(learnt, X)


@pytest.mark.parametrize("made", [np.asarray, sparse.csr_array])
def test_a_missing_and_an_infinite_number_are_both_named(made):
    X = made(np.array([[np.nan, 0.0], [1.0, np.inf]]))
    where = "X has nan in row 0, column 0 and inf in row 1, column 1, and 2 value"
    for f in (Data.of, AUCClassifier().fit):
        with pytest.raises(DataError, match=where):
            f(X, [0, 1])


def test_half_floats_are_added_in_full_floats():
    X = np.full((4000, 2), 60000.0, np.float16)
    X[::2] *= -1
    with np.errstate(all="raise"):
        model = AUCClassifier("ls-svm").fit(X, np.arange(4000) % 2)
    assert model.model_.encoding is None  # a sum that overflows is no missing cell


@pytest.mark.parametrize("kind", [bool, int])
def test_labels_that_came_as_objects_have_their_own_type(kind):
    y = (np.arange(40) % 2).astype(kind)
    X = np.c_[y + np.sin(np.arange(40.0))]
    told = AUCClassifier("ls-svm").fit(X, y.astype(object))
    assert told.classes_.dtype == y.dtype
    assert told.predict(X).tolist() == AUCClassifier("ls-svm").fit(X, y).predict(X).tolist()
