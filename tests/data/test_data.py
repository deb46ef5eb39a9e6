"""The one door: what passes, what is refused and in which words."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.data.columns import append_ones, column_max_abs, row_norms, scale_columns, scale_rows
from aucbench.data.layouts import densify, pieces
from aucbench.errors import AucbenchError, DataError

X = np.arange(8.0).reshape(4, 2)
Y = np.array([1, -1, 1, -1])


@pytest.mark.parametrize(
    "y", [[1, -1, 1, -1], [1, 0, 1, 0], [True, False, True, False], [1.0, 0.0, 1.0, 0.0]]
)
def test_known_codes_need_no_positive(y):
    np.testing.assert_array_equal(Data.of(X, y).y, Y)


def test_two_labels_need_the_name_of_one_of_them():
    y = ["sick", "well", "sick", "well"]
    with pytest.raises(DataError, match=r"'sick' \(2\), 'well' \(2\); say which are positive"):
        Data.of(X, y)

    for named in (
        {"positive": "sick"},
        {"negative": ["well"]},
        {"positive": "sick", "negative": "rest"},
    ):
        np.testing.assert_array_equal(Data.of(X, y, **named).y, Y)


@pytest.mark.parametrize(
    "pair", ["no yes", "N Y", "False TRUE", "f t", "neg pos", "Negative Positive", "0 1"]
)
def test_a_usual_pair_of_words_needs_no_name(pair):
    negative, positive = pair.split()
    for spaces in ("", " "):
        y = [positive + spaces, negative, positive, spaces + negative]
        np.testing.assert_array_equal(Data.of(X, y).y, Y)
        np.testing.assert_array_equal(Data.of(X, np.array(y, object)).y, Y)


def test_more_than_two_labels_need_both_classes():
    y = ["yes", "no", "Yes ", "maybe"]
    said = (
        r"'Yes' \(1\), 'maybe' \(1\), 'no' \(1\), 'yes' \(1\); .*"
        r"--positive Yes,yes --negative maybe,no, or --positive Yes,yes --negative rest"
    )
    for positive in (None, "yes", ["yes"], ["Yes", "yes"]):
        with pytest.raises(DataError, match=said):
            Data.of(X, y, positive=positive)
    with pytest.raises(DataError, match=r"neither positive nor negative is 'maybe' \(1\)"):
        Data.of(X, y, positive=["yes", "Yes"], negative="no")
    with pytest.raises(DataError, match="'no' is both positive and negative"):
        Data.of(X, y, positive=["yes", "Yes", "no"], negative=["no", "maybe"])
    for negative in ("rest", ["no", "maybe"], ["maybe ", "no"]):
        found = Data.of(X, y, positive=[" yes", "Yes"], negative=negative)
        np.testing.assert_array_equal(found.y, [1, -1, 1, -1])


def test_a_missing_label_is_refused():
    for missing in (None, np.nan):
        with pytest.raises(DataError, match="label of row 2 is missing"):
            Data.of(X, np.array(["a", "b", missing, "b"], object), positive="a")


@pytest.mark.parametrize(
    "convert",
    [
        np.asfortranarray,
        np.float32,
        np.int64,
        pd.DataFrame,
        np.ndarray.tolist,
        sparse.csr_matrix,
        sparse.csc_array,
        sparse.coo_array,
        sparse.lil_array,
        sparse.dok_array,
    ],
)
def test_every_container_gives_the_same_rows(convert):
    data = Data.of(convert(X), Y)

    dense = data.rows.matrix if not data.rows.is_sparse else data.rows.matrix.toarray()
    np.testing.assert_array_equal(dense, X)
    assert data.rows.stored.dtype == np.float64


@pytest.mark.parametrize(
    ("columns", "starts"), [([0, 7], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 2, 1])]
)
def test_csr_that_points_outside_is_refused(columns, starts):
    broken = sparse.csr_array(np.eye(2))
    broken.indices[:], broken.indptr[:] = columns, starts

    with pytest.raises(DataError, match="not a valid CSR matrix"):
        Data.of(broken, [1, -1])


def test_right_layouts_are_not_copied():
    csr = sparse.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(np.int32), csr.indptr.astype(np.int32)

    assert np.shares_memory(Data.of(X, Y).rows.stored, X)
    found = Data.of(csr, Y).rows
    assert np.shares_memory(found.stored, csr.data)
    assert np.shares_memory(found.columns, csr.indices)
    assert np.shares_memory(found.starts, csr.indptr)


def test_duplicate_entries_are_summed_in_a_copy():
    csr = sparse.csr_array(([1.0, 2.0], ([0, 0], [0, 0])), shape=(2, 1))
    raw = sparse.csr_array(
        (np.array([1.0, 2.0, 5.0]), np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1)
    )

    data = Data.of(raw, [1, -1])

    np.testing.assert_array_equal(data.rows.matrix.toarray(), [[3.0], [5.0]])
    assert raw.nnz == 3
    assert Data.of(csr, [1, -1]).rows.stored.tolist() == [3.0]


@pytest.mark.parametrize(
    ("bad", "place"), [(np.nan, "nan in row 2, column 1"), (-np.inf, "-inf in row 2, column 1")]
)
@pytest.mark.parametrize("convert", [np.array, sparse.csr_array])
def test_non_finite_values_are_found(bad, place, convert):
    broken = X.copy()
    broken[2, 1] = bad

    with pytest.raises(DataError, match=place):
        Data.of(convert(broken), Y)


def test_a_frame_names_its_columns():
    frame = pd.DataFrame({"age": [1.0, 2.0], "town": ["a", "b"], "job": ["c", "d"]})

    with pytest.raises(DataError, match=r"2 column\(s\) are not numeric: 'town', 'job'"):
        Data.of(frame, [1, 0])
    broken = pd.DataFrame({"age": [1.0, np.nan]})
    with pytest.raises(DataError, match=r"row 1, column 0 \('age'\)"):
        Data.of(broken, [1, 0])
    nullable = pd.DataFrame({"age": pd.array([1, None], dtype="Int64")})
    with pytest.raises(DataError, match=r"row 1, column 0 \('age'\)"):
        Data.of(nullable, [1, 0])
    assert Data.of(frame[["age"]], [1, 0]).names == ("age",)


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        (X, [1, 1, 1, 1], "all 4 labels are positive"),
        (X, [0, 0, 0, 0], "all 4 labels are negative"),
        (X, [1, -1], "X has 4 rows but y has 2 labels"),
        (X, None, "y is missing"),
        (X, 1, "y has 0 labels"),
        (X, [1, -1, np.nan, 1], "y has nan in row 2"),
        (X[0], [1, -1], "give a matrix"),
        (np.empty((0, 3)), [], "X is empty: 0 rows, 3 columns"),
        (np.empty((2, 0)), [1, -1], "X is empty: 2 rows, 0 columns"),
        (sparse.csr_array((0, 3)), [], "X is empty"),
        (np.array([["a"], ["b"]]), [1, -1], "encode it as numbers"),
        (np.array([[1j], [2]]), [1, -1], "encode it as numbers"),
        (np.array([[1], ["b"]], dtype=object), [1, -1], "encode it as numbers"),
        (X, np.eye(4), "give one label per row"),
        (X, [1, 2, 3, 4], "say which are positive"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(X, y, sentence):
    with pytest.raises(DataError, match=sentence) as caught:
        Data.of(X, y)

    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, AucbenchError)


def test_blocks_partition_the_rows():
    data = Data.of(np.arange(23.0)[:, None], [1, *[-1] * 22])

    for rng in (None, np.random.default_rng(0)):
        blocks = data.blocks(5, rng)
        members = [np.arange(23)[b] for b in blocks]
        assert sorted(np.concatenate(members)) == list(range(23))
        assert {len(m) for m in members} == {4, 5}
        assert all((np.diff(m) > 0).all() for m in members)
    assert [b.stop - b.start for b in data.blocks(24)] == [1] * 23
    with pytest.raises(DataError, match="0 blocks of 23 rows"):
        data.blocks(0)


def test_split_is_stratified_and_disjoint():
    y = np.array([1] * 10 + [-1] * 90)
    data = Data.of(np.arange(100.0)[:, None], y)

    rest, drawn = data.split(0.2, np.random.default_rng(0))

    assert (drawn.target.n_pos, drawn.target.n_neg) == (2, 18)
    seen = np.concatenate([rest.rows.stored, drawn.rows.stored])
    assert sorted(seen) == list(range(100))
    for fraction in (0.3, 0.5):
        with pytest.raises(DataError, match="a class has 1 row, and both parts of a split need"):
            Data.of(X, [1, -1, -1, -1]).split(fraction, np.random.default_rng(0))
    with pytest.raises(DataError, match="takes all 2 rows of a class"):
        Data.of(X, Y).split(0.9, np.random.default_rng(0))


def test_stored_zeros_leave_a_copy_and_not_the_matrix_of_the_caller():
    parts = np.array([1.0, 0, 2, -2, 5, 0, 3]), np.array([2, 1, 0, 0, 2, 1, 0]), [0, 3, 6, 7, 7]
    given = sparse.csr_array(parts, shape=(4, 3))
    before = [array.copy() for array in (given.data, given.indices, given.indptr)]

    own = Data.of(given, Y).rows

    np.testing.assert_array_equal(own.matrix.toarray(), given.toarray())
    assert (own.stored.tolist(), own.columns.tolist()) == ([2, 1, -2, 5, 3], [0, 2, 0, 2, 0])
    for array, old in zip((given.data, given.indices, given.indptr), before, strict=True):
        np.testing.assert_array_equal(array, old)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("size", [1, 4, 10**6])
def test_pieces_are_the_rows_in_order_without_a_copy(convert, size):
    X = np.array([[0.0, 1, 2], [0, 0, 0], [3, 0, 0], [4, 5, 6], [0, 0, 7]])
    whole = rows(convert(X))

    begins, parts = zip(*pieces(whole, size), strict=True)

    assert begins == tuple(np.cumsum([0, *(part.n for part in parts[:-1])]))
    dense = [part.dense().matrix for part in parts]
    np.testing.assert_array_equal(np.vstack(dense), X)
    assert all(np.shares_memory(part.stored, whole.stored) for part in parts if part.stored.size)
    assert (len(parts) == 1) == (size > X.size)


def test_rows_operations_agree_between_layouts():
    rng = np.random.default_rng(1)
    M = rng.normal(size=(6, 4)) * (rng.random((6, 4)) < 0.5)
    M[2] = 0.0
    dense, csr = rows(M), rows(sparse.csr_array(M))
    factor = rng.normal(size=4)

    def full(r):
        return r.matrix.toarray() if r.is_sparse else r.matrix

    for r in (dense, csr):
        np.testing.assert_allclose(column_max_abs(r), np.abs(M).max(axis=0))
        np.testing.assert_allclose(row_norms(r), np.linalg.norm(M, axis=1))
        np.testing.assert_allclose(full(scale_columns(r, factor)), M * factor)
        np.testing.assert_allclose(full(scale_rows(r, np.arange(6.0))), M * np.arange(6.0)[:, None])
        np.testing.assert_allclose(full(append_ones(r)), np.hstack([M, np.ones((6, 1))]))
        np.testing.assert_allclose(full(r.take(np.array([4, 2], np.int32))), M[[4, 2]])
    assert not densify(csr, 10**6, "a test").is_sparse
    with pytest.raises(DataError, match="use maxabs or unit"):
        densify(csr, 10, "a test")
