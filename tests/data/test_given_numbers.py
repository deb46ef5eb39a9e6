"""What is no number, or none that a float holds, is refused wherever numbers come in."""

from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from aucbench import AUCClassifier, stats
from aucbench.aum import aum_line_min, aum_loss
from aucbench.contract import Problem
from aucbench.data import Breakpoints, Data
from aucbench.data.data import Chunk
from aucbench.errors import DataError, PluginError
from aucbench.metrics import auc
from aucbench.solving.scoring import Scorer
from aucbench.stats.vectors import floats

N = 8
Y = np.array([1, 0] * 4)
X = np.arange(2.0 * N).reshape(N, 2)
ONES = np.arange(1.0, 1.0 + N)
WHOLE = 2**53 + 1  # between two floats
BREAKS = Breakpoints.of_labels(np.where(Y > 0, 1, -1), "count")
HIDDEN = [True, *[False] * (N - 1)]


def first(value, dtype=object):
    values = np.array([*ONES.astype(int)], dtype=dtype)
    values[0] = value
    return values


BAD = {
    "masked": np.ma.array(ONES, mask=HIDDEN),
    "complex": ONES.astype(complex),
    "text": ONES.astype(str),
    "dates": ONES.astype(int).astype("M8[D]"),
    "int64": first(WHOLE, np.int64),
    "uint64": first(2**64 - 1, np.uint64),
    "list": [WHOLE, *ONES[1:].tolist()],
    "object text": first("1"),
    "object huge": first(10**400),
    "decimal": first(Decimal(1)),
}
GOOD = {
    "floats": ONES,
    "float32": ONES.astype(np.float32),
    "whole": ONES.astype(np.uint8),
    "list": ONES.astype(int).tolist(),
    "no mask": np.ma.array(ONES),
    "objects": first(Fraction(1)),
    "Series": pd.Series(ONES),
    "Int64": pd.Series(ONES, dtype="Int64"),
    "exact and whole": (ONES * 2**54).astype(np.int64),
}


def matrix(values):
    """Two columns, the first of which has the values."""
    if isinstance(values, list):
        return [[value, 1.0] for value in values]
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.column_stack([values, np.ma.array(ONES.astype(values.dtype))])
    return np.column_stack([np.asarray(values), np.asarray(values)])


DOORS = {
    "rows": lambda v: Data.of(matrix(v), Y),
    "auc": lambda v: auc(Y, v),
    "auc weights": lambda v: auc(Y, ONES, v),
    "weights": lambda v: Data.of(X, Y, weights=v),
    "Fold": lambda v: stats.Fold(Y, v),
    "ranks": lambda v: stats.signed_rank(v),
    "aum": lambda v: aum_loss(BREAKS, v),
    "line search": lambda v: aum_line_min(v, ONES, Y),
    "classifier": lambda v: AUCClassifier("ls-svm").fit(matrix(v), Y),
    "classifier weights": lambda v: AUCClassifier("ls-svm").fit(X, Y, sample_weight=v),
}


@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_number_is_refused_and_what_is_one_is_taken(door):
    of_sklearn = door.startswith("classifier")  # of which scikit-learn asks for a TypeError
    for kind, values in BAD.items():
        if door == "classifier" and kind in ("text", "object text"):  # which become features
            continue
        with pytest.raises((DataError, TypeError) if of_sklearn else DataError) as caught:
            DOORS[door](values)
        assert of_sklearn or "\n" not in str(caught.value), kind
    for values in GOOD.values():
        DOORS[door](values)
        np.testing.assert_array_equal(floats("scores", values), np.asarray(values, float))
    for missing in (None, float("nan"), pd.NA):  # it is nan, which each door judges
        assert np.isnan(floats("values", first(missing))[0])


@pytest.mark.parametrize("wrong", ["int64", "uint64", "complex", "dates"])
def test_frames_name_the_column_and_sparse_rows_are_asked_too(wrong):
    frame = pd.DataFrame({"a": BAD[wrong], "b": ONES})
    with pytest.raises(DataError, match="'a'"):
        Data.of(frame, Y)
    if wrong != "dates":  # which become features
        with pytest.raises(DataError, match="'a'"):
            AUCClassifier("ls-svm").fit(frame, Y)
        for form in (sparse.csr_array, sparse.coo_array, sparse.csc_matrix):
            with pytest.raises(DataError, match="X"):
                Data.of(form(matrix(BAD[wrong])), Y)


@pytest.mark.parametrize(
    "y",
    [
        np.ma.array(Y, mask=HIDDEN),
        np.ma.array(np.where(Y > 0, "yes", "no"), mask=HIDDEN),
        Y.astype(complex),
        pd.array([None, *Y[1:]], dtype="Int64"),
        [[1], [1, 2], *Y[2:].tolist()],
    ],
    ids=["masked", "masked text", "complex", "NA", "ragged"],
)
def test_labels_that_are_hidden_or_none_are_refused(y):
    fit = AUCClassifier("ls-svm").fit
    for door in (partial(Data.of, X), partial(Chunk.of, X), partial(fit, X)):
        with pytest.raises(DataError):
            door(y)
    for door in (auc, stats.Fold):
        with pytest.raises(DataError):
            door(y, ONES)


def test_scores_of_a_model_have_no_mask():
    model = SimpleNamespace(scores=lambda rows: BAD["masked"])
    with pytest.raises(PluginError, match="masked"):
        Scorer.of(Problem(train=Data.of(X, Y)))(SimpleNamespace(model=model), X)


def test_half_floats_are_added_in_full_floats():
    X = np.full((4000, 2), 60000.0, np.float16)
    X[::2] *= -1
    with np.errstate(all="raise"):
        model = AUCClassifier("ls-svm").fit(X, np.arange(4000) % 2)
    assert model.model_.encoding is None  # a sum that overflows is no missing cell
