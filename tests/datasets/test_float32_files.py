"""Files of float32 columns: their rows stay float32, and hold the same numbers."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from aucbench.datasets import load

N = 500


def frame(**more):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 3), dtype=np.float32)
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    return table.assign(label=(X[:, 0] > 0.5).astype(int), **more)


def stored(table, path):
    ending = path.suffix
    if ending == ".npz":
        np.savez(path, X=table[["a", "b", "c"]].to_numpy(), y=table["label"])
    else:
        (table.to_feather if ending == ".feather" else partial(table.to_parquet, index=False))(path)
    return path


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".npz"])
def test_float32_columns_stay_float32(tmp_path, ending):
    table = frame()
    data = load(stored(table, tmp_path / f"rows{ending}"))
    assert data.rows.dtype == np.float32
    assert np.array_equal(data.rows.stored.reshape(N, 3), table[["a", "b", "c"]].to_numpy())
    assert load(table).rows.dtype == np.float32


@pytest.mark.parametrize(
    ("more", "dtype"),
    [
        (np.arange(N, dtype=np.int16), np.float32),
        (np.arange(N, dtype=np.uint8), np.float32),
        (np.arange(N) % 2 == 0, np.float32),
        (np.arange(N, dtype=np.int32), np.float64),
        (np.arange(N) / 7, np.float64),
    ],
)
def test_columns_that_float32_has_exactly_may_stand_beside(tmp_path, more, dtype):
    table = frame(more=more)
    data = load(stored(table, tmp_path / "rows.parquet"))
    assert data.rows.dtype == dtype
    assert np.array_equal(data.rows.matrix[:, 3], table["more"].astype(np.float64))


def test_whole_numbers_alone_and_tables_with_text_are_float64(tmp_path):
    whole = frame()[["label"]].assign(a=np.arange(N, dtype=np.int8))
    assert load(stored(whole, tmp_path / "rows.parquet"), target="label").rows.dtype == np.float64
    text = frame(text=["red", "blue"] * (N // 2))
    assert load(stored(text, tmp_path / "rows.parquet")).rows.dtype == np.float64


def test_a_label_or_role_of_another_type_changes_nothing(tmp_path):
    table = frame(who=np.arange(N) + 2**40)
    data = load(stored(table, tmp_path / "rows.parquet"), groups="who", drop=["b"])
    assert data.rows.dtype == np.float32
    assert data.names == ("a", "c")
    assert data.groups.max() == N - 1
