"""Columns that often mean a mistake, or have changed since training: named, and no other."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from tables import KINDS, npz, written

from aucbench import AUCClassifier
from aucbench.data.arrays import rows
from aucbench.data.understood import Understood
from aucbench.datasets import load
from aucbench.datasets.suspects import FEWEST, SAMPLE, sentinels, suspects
from aucbench.datasets.tables import Schema
from aucbench.datasets.tables.changes import UnusualCells, ranges_of

N = 300
RNG = np.random.default_rng(0)
POSITIVE = RNG.random(N) < 0.2
AGES = np.clip(RNG.normal(60, 20, N).round(), 18, 90)
KEY, LEAK = "different in every row", "tells the label alone"
STRANGE = {
    "number": (np.arange(N)[::-1], KEY),
    "gaps": (np.where(np.arange(N) == 9, np.nan, RNG.permutation(N)), KEY),
    "customer_id": (RNG.integers(1, 9999, N) // 9 * 9, "a key by its name"),
    "same": ([7] * N, "constant"),
    "paid": (RNG.random(N) - 2 * POSITIVE, f"{LEAK}, with an AUC of 1.000"),
    "near": (RNG.normal(size=N) + 2.5 * POSITIVE, f"nearly {LEAK}, with an AUC of 0.9"),
    "state": (np.where(POSITIVE, "closed", "open"), LEAK),
    "left": (np.where(POSITIVE, np.nan, RNG.random(N)), LEAK),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_column_is_found(name):
    values, what = STRANGE[name]
    [remark] = suspects(pd.DataFrame({"age": AGES, name: values}), POSITIVE)
    assert remark.column == name
    assert what in remark.text
    few = slice(0, FEWEST - 1)
    assert [*suspects(pd.DataFrame({name: values})[few], POSITIVE[few])] == []


def test_a_sample_finds_what_all_rows_confirm():
    n = 3 * SAMPLE
    positive = np.random.default_rng(1).random(n) < 0.01
    later = positive + np.random.default_rng(2).random(n)
    rare = np.zeros(n)
    rare[:2] = 1  # constant in most samples, but not in all rows
    [remark] = suspects(pd.DataFrame({"later": later, "rare": rare}), positive)
    assert remark.column == "later"
    assert "AUC of 1.000" in remark.text


def test_a_table_warns_and_columns_are_left_out_by_name():
    frame = pd.DataFrame({"number": np.arange(N), "age": AGES, "sick": POSITIVE.astype(int)})
    plain, clean = load(frame), load(frame, drop=["number"])
    assert "'number' is suspicious: different in every row" in plain.understood.warnings[0]
    assert (plain.names, clean.names) == (("number", "age"), ("age",))
    assert clean.understood.dropped == {"number": "as asked"}
    assert not any("number" in warning for warning in clean.understood.warnings)
    assert Understood.from_json(clean.understood.to_json()) == clean.understood


# A repeated extreme value that may mean a missing cell, and a few cells that make the deviation


def of(values):
    frame = pd.DataFrame({"x": values})
    return [*sentinels(frame, frame)]


def mixed(usual, odd, share=0.1):
    return np.where(np.random.default_rng(0).random(N) < share, odd, usual)


DAYS = pd.Timestamp("1990-01-01") + pd.to_timedelta(RNG.integers(0, 9000, N), "D")
NAMED = {
    "-999": mixed(RNG.lognormal(0, 1, N), -999),
    "99": mixed(AGES, 99),
    "-1": mixed(RNG.integers(1, 800, N), -1),
    "0": mixed(RNG.normal(170, 9, N), 0),
    **{
        day: pd.Series(DAYS.as_unit("s")).mask(RNG.random(N) < 0.1, pd.Timestamp(day).as_unit("s"))
        for day in ("1900-01-01", "9999-12-31")
    },
}


@pytest.mark.parametrize("cell", NAMED)
def test_a_cell_that_may_mean_a_missing_one_is_named(cell):
    [remark] = of(NAMED[cell])
    assert remark.column == "x"
    assert f"are {cell}" in remark.text.replace("'", "")
    assert f"--missing x={cell}" in remark.text


def clean(seed, n=500):
    """Columns as they are in tables without a mistake."""
    rng = np.random.default_rng(seed)
    made = {
        name: KINDS[name](rng, n) for name in ["age", "dose", "income", "ward", "smokes", "since"]
    }
    usual = {
        "number_of_calls": rng.poisson(3, n),
        "atomic number": rng.random(n),
        "room_no": rng.integers(1, 9, n),
        "many": rng.geometric(0.05, n),
        "flag": rng.random(n) < 0.4,
        "country_code": rng.choice([f"t{i}" for i in range(n // 2)], n),
        "cents": rng.choice(10**6, n, replace=False),
        "capped": np.clip(rng.normal(60, 20, n).round(), 18, 90),
        "percent": np.clip(rng.normal(50, 60, n), 0, 100).round(1),
        "money": np.where(rng.random(n) < 0.6, 0, rng.lognormal(7, 1.5, n).round(2)),
        "heavy": rng.standard_t(2, n),
        "scale": rng.choice([1, 2, 3, 4, 5], n, p=[0.02, 0.03, 0.1, 0.35, 0.5]),
        "sign": rng.choice([-1, 0, 1], n),
        "price": rng.choice([4.99, 9.99, 19.99, 49.99, 99.99], n),
        "hours": np.clip(rng.lognormal(3, 0.7, n), None, 99).round(),
        "year": rng.integers(1950, 2024, n),
        "two": rng.normal(np.where(rng.random(n) < 0.5, 0, 10), 1),
        "gap": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
    }
    return pd.DataFrame({**made, **usual})


@pytest.mark.parametrize("seed", range(3))
def test_clean_tables_have_no_remark(seed):
    frame, rng = clean(seed), np.random.default_rng(seed + 100)
    positive = rng.random(len(frame)) < 0.2
    frame["nearly"] = frame["dose"] + 1.5 * positive
    frame["ends"] = np.clip(np.round(rng.normal(size=500) + 1.5 * positive), -2, 3)
    assert [*suspects(frame, positive), *sentinels(frame, frame)] == []
    positive = np.arange(50) < 3  # too few to say more
    assert [*suspects(pd.DataFrame({"x": positive + np.arange(50) % 7 / 9}), positive)] == []


NORMAL = RNG.normal(size=N)
MOSTLY_0 = np.where(RNG.random(N) < 0.9, 0, RNG.lognormal(7, 1, N))
WILD = [
    *((NORMAL, cells) for cells in ([1e12], [-5e4], [1e12, 2e12], [1e12, 1e12], [1e300])),
    *((RNG.random(N) < 0.5, [1e6]), (MOSTLY_0, [1e9]), (DAYS.as_unit("s"), ["9024-05-06"])),
]


@pytest.mark.parametrize(("usual", "cells"), WILD)
def test_a_few_cells_that_make_the_deviation_are_named(usual, cells):
    is_date = cells == ["9024-05-06"]
    values = np.array(usual, "M8[s]" if is_date else float)
    values[7 : 7 + len(cells)] = cells
    [remark] = of(values)
    assert (remark.kind, remark.column) == ("outliers", "x")
    cell = cells[0] if is_date else f"{np.abs(cells).max():g}"
    assert cell.replace("e+0", "e") in remark.text.replace("e+0", "e")


@pytest.mark.parametrize("sparse", [False, True])
def test_outliers_of_a_matrix_are_named_by_load_and_by_the_classifier(tmp_path, sparse):
    X = np.column_stack([NORMAL, AGES * (RNG.random(N) < 0.1 if sparse else 1)])
    X[7, 0] = 1e12
    [warning] = load(written(npz(X=X, y=POSITIVE), tmp_path / "t.npz")).understood.warnings
    assert "column '0': because of a few cells (1e+12)" in warning
    with pytest.warns(UserWarning, match=r"column '0'.*1e\+12"):
        AUCClassifier("logistic", passes=1).fit(csr_array(X) if sparse else X, POSITIVE)


# Columns of new rows that have changed since training


M = 1000


def sample(n=M, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.3, np.nan, KINDS["age"](rng, n)),
            "city": rng.choice(["Bonn", "Oslo", "Rome"], n),
            "street": [f"Road {number}" for number in rng.zipf(1.5, n).clip(max=10**6)],
            "day": KINDS["since"](rng, n),
        }
    )


TABLE = sample()
SCHEMA = Schema.of(TABLE)
RANGES = ranges_of(rows(SCHEMA.codes(TABLE)))
SHIFTED = [
    ({"age": np.nan}, "'age': 100 % of the rows have no value, of the training rows 2\\d %"),
    ({"city": "ROME"}, "'city': 100 % .* that no training row has, such as 'ROME'"),
    ({"age": 180.0}, "'age': 100 % .* outside of 18 to 79"),
    ({"day": pd.Timestamp("1970-01-01")}, "'day': .* 2020-01-01 00:00:00 to 2020-12-31 00:00"),
]


def changes(new, piece=M):
    pieces = [new.iloc[lo : lo + piece] for lo in range(0, len(new), piece)]
    each = [UnusualCells.of(SCHEMA.columns, RANGES, SCHEMA.codes(one), one) for one in pieces]
    return [*sum(each[1:], each[0]).describe_changes(SCHEMA.columns, RANGES, M)]


@pytest.mark.parametrize("piece", [7, M])
@pytest.mark.parametrize(("changed", "wanted"), SHIFTED)
def test_a_column_that_has_changed_is_named_with_its_share(changed, wanted, piece):
    [remark] = changes(sample(60, seed=1).assign(**changed), piece)
    assert re.search(wanted, remark), remark


def test_rows_like_those_of_training_have_no_changed_column():
    for n in (1, 3, 40, 2000):
        for seed in range(20):
            assert changes(sample(n, seed=100 + seed)) == []
    new = sample(seed=1)
    new.loc[: M // 25, "city"] = "Nice"  # few cells
    assert changes(new) == []
    assert changes(sample(1).assign(city="ROME", age=np.nan)) == []
    assert changes(new.assign(day=pd.Timestamp("2021-06-01"))) == []


@pytest.mark.parametrize("changed", [{}, {"city": "ROME", "age": np.nan}, {"age": 180.0}])
def test_a_column_of_test_rows_is_held_against_the_training_rows(changed):
    y = np.arange(M) % 2
    test = sample(60, seed=1).assign(y=y[:60], **changed)
    data = load(TABLE.assign(y=y), target="y", test=test)
    found = [warning for warning in data.understood.warnings if warning.startswith("test rows")]
    assert len(found) == len(changed)
    for name in changed:
        assert any(f"column '{name}': 100 %" in warning for warning in found), found
