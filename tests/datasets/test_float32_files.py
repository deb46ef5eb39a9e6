"""Files of float32 columns: their rows stay float32, and hold the same numbers."""

import numpy as np
import pandas as pd
import pytest

from aucbench.datasets import load

N = 500


def frame(**more):
    X = np.random.default_rng(0).standard_normal((N, 3), dtype=np.float32)
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    return table.assign(label=(X[:, 0] > 0.5).astype(int), **more)


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".npz"])
def test_float32_columns_stay_float32(tmp_path, ending):
    table, path = frame(), tmp_path / f"rows{ending}"
    if ending == ".npz":
        np.savez(path, X=table[["a", "b", "c"]].to_numpy(), y=table["label"])
    else:
        getattr(table, f"to_{ending[1:]}")(path)
    data = load(path)
    assert data.rows.stored.dtype == load(table).rows.stored.dtype == np.float32
    assert np.array_equal(data.rows.stored.reshape(N, 3), table[["a", "b", "c"]].to_numpy())


@pytest.mark.parametrize(
    ("more", "dtype"),
    [
        (np.arange(N, dtype=np.int16), np.float32),
        (np.arange(N) % 2 == 0, np.float32),
        (np.arange(N, dtype=np.int32), np.float64),
        (np.arange(N) / 7, np.float64),
    ],
)
def test_columns_that_float32_has_exactly_may_stand_beside(more, dtype):
    table = frame(more=more, who=np.arange(N) + 2**40)
    data = load(table, groups="who")  # whose type changes nothing
    assert data.rows.stored.dtype == dtype
    assert np.array_equal(data.rows.matrix[:, 3], table["more"].astype(np.float64))
    assert data.groups.max() == N - 1


def test_whole_numbers_alone_and_tables_with_text_are_float64():
    whole = frame()[["label"]].assign(a=np.arange(N, dtype=np.int8))
    assert load(whole, target="label").rows.stored.dtype == np.float64
    assert load(frame(text=["red", "blue"] * (N // 2))).rows.stored.dtype == np.float64
