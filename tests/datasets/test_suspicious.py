"""Columns and rows that often mean a mistake."""

import numpy as np
import pandas as pd
import pytest

from aucbench.data.understood import Understood
from aucbench.datasets import load
from aucbench.datasets.suspects import FEWEST, SAMPLE, is_sorted, suspects

N = 300
RNG = np.random.default_rng(0)
POSITIVE = RNG.random(N) < 0.2
DAYS = [20240100 + day for day in RNG.integers(1, 29, N)]
STRANGE = {
    "number": (np.arange(N)[::-1], "different in every row"),
    "account": (RNG.choice(np.arange(10_000, 99_999), N, replace=False), "different in every row"),
    "key": ([f"k{i}" for i in range(N)], "different in every row"),
    "same": ([7] * N, "constant"),
    "nothing": ([np.nan] * N, "constant"),
    "day": (DAYS, "days as numbers"),
    "paid": (RNG.random(N) - 2 * POSITIVE, "tells the label alone, with an AUC of 1.000"),
    "state": (np.where(POSITIVE, "closed", "open"), "tells the label alone"),
    "left": (np.where(POSITIVE, np.nan, RNG.random(N)), "tells the label alone"),
}
USUAL = {
    "amount": RNG.lognormal(size=N) + POSITIVE,
    "age": RNG.integers(18, 90, N),
    "town": RNG.choice(["a", "b"], N),
    "many": RNG.choice([f"t{i}" for i in range(N // 2)], N),
    "gap": np.where(RNG.random(N) < 0.1, np.nan, RNG.random(N)),
    "cents": RNG.choice(10**6, N, replace=False),
    "flag": RNG.random(N) < 0.5,
    "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 99, N), "D"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_column_is_found(name):
    values, what = STRANGE[name]
    [remark] = suspects(pd.DataFrame({"age": USUAL["age"], name: values}), POSITIVE)
    assert remark.column == name
    assert what in remark.text


def test_three_positives_tell_nothing():
    positive = np.arange(50) < 3
    assert [*suspects(pd.DataFrame({"x": positive + np.arange(50) % 7 / 9}), positive)] == []


DECIDING = {
    "status": (
        np.where(POSITIVE & (RNG.random(N) < 0.6), "returned", RNG.choice(["a", "b", "c"], N)),
        "'returned' nearly decides the label: 100 % of these",
    ),
    "code": (
        np.where(POSITIVE & (RNG.random(N) < 0.6), 6, RNG.choice([1, 5, 7, 11], N)),
        "6 nearly decides the label",
    ),
    "ended": (
        np.where(POSITIVE & (RNG.random(N) < 0.6), RNG.random(N), np.nan),
        "a value nearly decides the label",
    ),
}


@pytest.mark.parametrize("name", DECIDING)
def test_a_level_that_nearly_decides_the_label_is_found(name):
    values, what = DECIDING[name]
    [remark] = suspects(pd.DataFrame({name: values}), POSITIVE)
    assert what in remark.text
    assert "rows are positive, which are" in remark.text


def test_a_nearly_telling_column_and_the_end_of_a_scale():
    near = RNG.normal(size=N) + 2.5 * POSITIVE
    [remark] = suspects(pd.DataFrame({"near": near}), POSITIVE)
    assert "nearly tells the label alone, with an AUC of 0.9" in remark.text
    scale = np.clip(np.round(RNG.normal(size=N) + 1.5 * POSITIVE), -2, 3)
    assert [*suspects(pd.DataFrame({"scale": scale}), POSITIVE)] == []


def test_usual_columns_are_not_suspicious():
    assert [*suspects(pd.DataFrame(USUAL), POSITIVE)] == []


def test_a_sample_finds_what_all_rows_confirm():
    n = 3 * SAMPLE
    positive = np.random.default_rng(1).random(n) < 0.01
    later = positive + np.random.default_rng(2).random(n)
    rare = np.zeros(n)
    rare[:2] = 1  # constant in most samples, but not in all rows
    [remark] = suspects(pd.DataFrame({"later": later, "rare": rare}), positive)
    assert remark.column == "later"
    assert "AUC of 1.000" in remark.text


def test_a_few_rows_are_never_suspicious():
    few = slice(0, FEWEST - 1)
    frame = pd.DataFrame({name: values for name, (values, _) in STRANGE.items()})[few]
    assert [*suspects(frame, POSITIVE[few])] == []


def test_sorted_labels_are_found():
    assert is_sorted(np.sort(POSITIVE))
    assert is_sorted(np.sort(POSITIVE)[::-1])
    assert not is_sorted(POSITIVE)


def test_repeated_rows_are_found(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,0,0\n2,0,1\n1,0,0\n1,1,1\n")
    assert "1 row(s) occur earlier" in load(tmp_path / "t.csv", target="y").understood.warnings[0]


def messy(path):
    columns = {"number": np.arange(N), "age": USUAL["age"], "sick": POSITIVE.astype(int)}
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def test_a_table_warns_and_columns_are_left_out_by_name(tmp_path):
    path = messy(tmp_path / "t.csv")
    plain, clean = load(path), load(path, drop=["number"])

    why = "different in every row, in the order of the rows"
    assert plain.understood.warnings[0] == f"column 'number' is suspicious: {why}"
    assert plain.names == ("number", "age")
    assert clean.names == ("age",)
    assert clean.understood.dropped == {"number": "as asked"}
    assert not any("number" in warning for warning in clean.understood.warnings)
    lines = [*clean.understood.lines()]
    assert lines[0].startswith("label: column 'sick', the only column with two values")
    assert lines[0].endswith("positive '1', negative '0'")
    assert Understood.from_json(clean.understood.to_json()) == clean.understood


def test_only_tables_have_suspicious_columns(tmp_path):
    path = tmp_path / "t.svm"
    path.write_text("1 1:1\n0 1:2\n")
    assert load(path).understood.label == "the first number of each line"
