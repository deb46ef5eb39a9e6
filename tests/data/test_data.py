"""The one door: what passes, what is copied, and what nobody can write to."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from aucbench.data import Breakpoints, Chunk, Data
from aucbench.data.arrays import rows
from aucbench.data.columns import append_ones, scale_columns, scale_rows
from aucbench.data.layouts import densify

X = np.arange(8.0).reshape(4, 2)
Y = np.array([1, -1, 1, -1])


@pytest.mark.parametrize(
    "pair", ["no yes", "N Y", "False TRUE", "f t", "neg pos", "Negative Positive", "0 1", "-1 1"]
)
def test_a_usual_pair_of_words_or_codes_needs_no_name(pair):
    negative, positive = pair.split()
    for spaces in ("", " "):
        y = [positive + spaces, negative, positive, spaces + negative]
        np.testing.assert_array_equal(Data.of(X, y).y, Y)
        np.testing.assert_array_equal(Data.of(X, np.array(y, object)).y, Y)
    for convert in (int, float, bool):
        codes = [convert(code) for code in ((1, 0, 1, 0) if convert is bool else Y)]
        np.testing.assert_array_equal(Data.of(X, codes).y, Y)


TWO, FOUR = ["sick", "well", "sick", "well"], ["yes", "no", "Yes ", "maybe"]


@pytest.mark.parametrize(
    ("y", "positive", "negative"),
    [
        *((TWO, "sick", None), (TWO, None, ["well"]), (TWO, "sick", "rest")),
        *(
            (FOUR, [" yes", "Yes"], negative)
            for negative in ("rest", ["no", "maybe"], ["maybe ", "no"])
        ),
    ],
)
def test_other_labels_need_the_names_of_the_classes(y, positive, negative):
    np.testing.assert_array_equal(Data.of(X, y, positive=positive, negative=negative).y, Y)


@pytest.mark.parametrize(
    "convert",
    [
        *(np.asfortranarray, np.float32, np.int64, pd.DataFrame, np.ndarray.tolist),
        *(sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_array),
        sparse.dok_array,
    ],
)
def test_every_container_gives_the_same_rows(convert):
    data = Data.of(convert(X), Y)
    np.testing.assert_array_equal(data.rows.dense().matrix, X)
    assert data.rows.stored.dtype == np.float64
    assert "4 rows" in repr(data)
    assert data.names == (("0", "1") if convert is pd.DataFrame else None)


def test_right_layouts_are_not_copied_and_follow_the_user():
    csr, weights = sparse.csr_array(X), np.arange(4.0) + 0.5
    csr.indices, csr.indptr = csr.indices.astype(np.int32), csr.indptr.astype(np.int32)
    dense, found = Data.of(own := X.copy(), Y, weights=weights), Data.of(csr, Y).rows
    for mine, theirs in (
        (dense.rows.stored, own),
        (dense.rows.matrix, own),
        (dense.weights, weights),
        (found.stored, csr.data),
        (found.columns, csr.indices),
        (found.starts, csr.indptr),
    ):
        assert np.shares_memory(mine, theirs)
        assert theirs.flags.writeable
        assert not mine.flags.writeable
    own[0, 0] = 5.0
    assert dense.rows.stored[0] == 5.0


def test_arrays_beside_the_rows_are_read_only():
    data, chunk = Data.of(X, Y, groups=Y, times=np.arange(4.0)), Chunk.of(X, Y)
    steps = Breakpoints.of_labels(Y, "count")
    locked = [data.y, data.groups, data.times, chunk.y, steps.value, steps.fp_diff, steps.fn_base]
    locked += [data.rows.take(np.arange(3, dtype=np.int32)).stored]
    assert not any(array.flags.writeable for array in locked)


def test_duplicates_are_summed_and_stored_zeros_left_out_in_a_copy():
    parts = np.array([1.0, 2.0, 0, -2, 5, 0, 3]), np.array([0, 0, 1, 0, 2, 1, 0]), [0, 3, 6, 7, 7]
    given = sparse.csr_array(parts, shape=(4, 3))
    before = [array.copy() for array in (given.data, given.indices, given.indptr)]
    own = Data.of(given, Y).rows
    np.testing.assert_array_equal(own.matrix.toarray(), given.toarray())
    assert (own.stored.tolist(), own.columns.tolist()) == ([3, -2, 5, 3], [0, 0, 2, 0])
    for array, old in zip((given.data, given.indices, given.indptr), before, strict=True):
        np.testing.assert_array_equal(array, old)


def test_blocks_partition_the_rows_and_a_split_is_stratified():
    data = Data.of(np.arange(100.0)[:, None], [1] * 10 + [-1] * 90)
    for rng in (None, np.random.default_rng(0)):
        members = [np.arange(100)[b] for b in data.blocks(7, rng)]
        assert sorted(np.concatenate(members)) == list(range(100))
        assert {len(m) for m in members} == {14, 15}
        assert all((np.diff(m) > 0).all() for m in members)
    assert [b.stop - b.start for b in data.blocks(101)] == [1] * 100
    rest, drawn = data.split(0.2, np.random.default_rng(0))
    assert (drawn.target.n_pos, drawn.target.n_neg) == (2, 18)
    assert sorted(np.concatenate([rest.rows.stored, drawn.rows.stored])) == list(range(100))


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_rows_operations_are_those_of_the_matrix(convert):
    rng = np.random.default_rng(1)
    M, factor = rng.normal(size=(6, 4)) * (rng.random((6, 4)) < 0.5), rng.normal(size=4)
    M[2] = 0.0
    r = rows(convert(M))
    for found, wanted in (
        (scale_columns(r, factor), M * factor),
        (scale_rows(r, np.arange(6.0)), M * np.arange(6.0)[:, None]),
        (append_ones(r), np.hstack([M, np.ones((6, 1))])),
        (r.take(np.array([4, 2], np.int32)), M[[4, 2]]),
        (densify(r, 10**6, "a test"), M),
    ):
        np.testing.assert_allclose(found.dense().matrix, wanted)
    assert not densify(r, 10**6, "a test").is_sparse
