"""Rows that are stored as float32: what keeps the type, what converts it, and what is refused."""

import pickle

import numpy as np
import pytest
from layouts import LAYOUTS
from scipy.sparse import csr_array

from aucbench.bench.worker.rows import data_hash, load_data, save_data
from aucbench.data import Chunk, Data
from aucbench.data.arrays import float_values, rows
from aucbench.data.columns import append_ones
from aucbench.data.layouts import stack_rows, to_faster_layout
from aucbench.errors import DataError
from aucbench.registry import get_solver

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 6))
X[RNG.random(X.shape) < 0.4] = 0.0
Y = np.where(np.arange(40) % 3 == 0, 1, -1)


def single(layout=np.asarray):
    return Data.of(layout(X), Y, dtype="float32", groups=np.arange(40) // 2)


def rounded():
    return X.astype(np.float32).astype(np.float64)


def dense(part):
    return part.dense().matrix


@LAYOUTS
def test_numbers_are_rounded_once_and_given_as_float64(layout):
    part = single(layout).rows
    assert part.stored.dtype == np.float32
    assert part.stored.nbytes * 2 == rows(layout(X)).stored.nbytes
    assert float_values(part).dtype == part.matrix.dtype == np.float64
    np.testing.assert_array_equal(dense(part), rounded())


@LAYOUTS
def test_parts_keep_the_type(layout, tmp_path):
    data = single(layout)
    some = np.array([5, 3, 9, 0], np.int32)
    save_data(data, tmp_path / "saved")
    loaded = load_data(tmp_path / "saved").rows
    wanted = rounded()
    for part, exact in (
        (data.take(some).rows, wanted[some]),
        (data.rows.dense(), wanted),
        (to_faster_layout(data.rows), wanted),
        (append_ones(data.rows), np.hstack([wanted, np.ones((40, 1))])),
        (stack_rows(data.rows, data.rows), np.vstack([wanted, wanted])),
        (loaded, wanted),
        (pickle.loads(pickle.dumps(data)).rows, wanted),
        (Chunk.of(layout(X), Y, dtype="float32").rows, wanted),
        (Data.of(data.rows, Y).rows, wanted),
    ):
        assert part.stored.dtype == np.float32
        np.testing.assert_array_equal(dense(part), exact)
    assert {part.rows.stored.dtype for part in data.split(0.5, RNG)} == {np.dtype(np.float32)}


def test_an_array_of_float32_is_copied_only_where_it_becomes_float64():
    given = X.astype(np.float32)
    assert np.shares_memory(Data.of(given, Y, dtype=np.float32).rows.stored, given)
    assert Data.of(given, Y).rows.stored.dtype == np.float64
    assert Data.of(single().rows, Y, dtype="float64").rows.stored.dtype == np.float64


@LAYOUTS
def test_the_hash_tells_the_types_apart(layout):
    hashes = {data_hash(d) for d in (single(layout), Data.of(layout(rounded()), Y))}
    assert len(hashes) == 2


def test_chunks_of_both_types_and_layouts_take_turns():
    made = []
    for stored in (np.float64, np.float32):
        solver = get_solver("oam-seq[buffer=4]")
        memory = solver.start(np.zeros(6), np.random.default_rng(0))
        for turn, lo in enumerate(range(0, 40, 8)):
            layout = csr_array if turn % 2 else np.asarray
            kind = stored if turn < 3 else np.float64
            chunk = Chunk.of(layout(rounded()[lo : lo + 8]), Y[lo : lo + 8], dtype=kind)
            solver.update(memory, chunk, np.arange(8, dtype=np.int32))
        made.append(solver.weights(memory).copy())
    np.testing.assert_allclose(*made, rtol=1e-12)


@pytest.mark.parametrize("layout", [np.asarray, csr_array, rows])
@pytest.mark.parametrize(
    ("number", "sentence"),
    [(-4e38, "too large for float32"), (1e-46, "too small"), (1e-39, "too small")],
)
def test_numbers_out_of_range_are_refused(layout, number, sentence):
    bad = X.copy()
    bad[3, 2] = number
    with pytest.raises(DataError, match=f"{number:.4g} is {sentence}".replace("+", "[+]")):
        Data.of(layout(bad), Y, dtype="float32")
    assert Data.of(layout(bad), Y).n == 40


@pytest.mark.parametrize("other", ["float16", int, "no type"])
def test_other_types_are_refused(other):
    with pytest.raises(DataError, match="can be stored as float64 or float32, got the type"):
        Data.of(X, Y, dtype=other)
