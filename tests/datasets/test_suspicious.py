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
STRANGE = {
    "number": (np.arange(N)[::-1], "different in every row"),
    "account": (RNG.choice(np.arange(10_000, 99_999), N, replace=False), "different in every row"),
    "sparse": (RNG.choice(4000, N, replace=False), "different in every row"),
    "gaps": (np.where(np.arange(N) == 9, np.nan, RNG.permutation(N)), "different in every row"),
    "customer_id": (RNG.integers(1, 9999, N) // 9 * 9, "a key by its name"),
    "EmployeeNumber": (RNG.integers(1, 90, N) * 1.0, "a key by its name"),
    "key": ([f"k{i}" for i in range(N)], "different in every row"),
    "same": ([7] * N, "constant"),
    "nothing": ([np.nan] * N, "constant"),
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
    "number_of_calls": RNG.integers(0, 90, N),
    "atomic number": RNG.random(N),
    "room_no": RNG.integers(1, 9, N),
    "country_code": RNG.choice([f"t{i}" for i in range(N // 2)], N),
    "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 99, N), "D"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_column_is_found(name):
    values, what = STRANGE[name]
    [remark] = suspects(pd.DataFrame({"age": USUAL["age"], name: values}), POSITIVE)
    assert remark.column == name
    assert what in remark.text
    few = slice(0, FEWEST - 1)
    assert [*suspects(pd.DataFrame({name: values})[few], POSITIVE[few])] == []


def test_usual_columns_and_three_positives_are_not_strange():
    assert [*suspects(pd.DataFrame(USUAL), POSITIVE)] == []
    positive = np.arange(50) < 3
    assert [*suspects(pd.DataFrame({"x": positive + np.arange(50) % 7 / 9}), positive)] == []


def test_a_nearly_telling_column_and_the_end_of_a_scale():
    near = RNG.normal(size=N) + 2.5 * POSITIVE
    [remark] = suspects(pd.DataFrame({"near": near}), POSITIVE)
    assert "nearly tells the label alone, with an AUC of 0.9" in remark.text
    scale = np.clip(np.round(RNG.normal(size=N) + 1.5 * POSITIVE), -2, 3)
    assert [*suspects(pd.DataFrame({"scale": scale}), POSITIVE)] == []


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
    columns = {"number": np.arange(N), "age": USUAL["age"], "sick": POSITIVE.astype(int)}
    plain, clean = (load(pd.DataFrame(columns), drop=drop) for drop in ((), ["number"]))
    why = "different in every row, in the order of the rows"
    assert plain.understood.warnings[0] == f"column 'number' is suspicious: {why}"
    assert (plain.names, clean.names) == (("number", "age"), ("age",))
    assert clean.understood.dropped == {"number": "as asked"}
    assert not any("number" in warning for warning in clean.understood.warnings)
    assert Understood.from_json(clean.understood.to_json()) == clean.understood


# A repeated extreme value that may mean a missing cell


def of(values):
    frame = pd.DataFrame({"x": values})
    return [*sentinels(frame, frame)]


def mixed(usual, odd, share=0.1):
    return np.where(np.random.default_rng(0).random(N) < share, odd, usual)


AGES = np.clip(RNG.normal(60, 20, N).round(), 18, 90)
DAYS = pd.Timestamp("1990-01-01") + pd.to_timedelta(RNG.integers(0, 9000, N), "D")
NAMED = {
    "-999": mixed(RNG.lognormal(0, 1, N), -999),
    "999": mixed(RNG.poisson(4, N), 999, 0.97),
    "99": mixed(AGES, 99),
    "-99": mixed(RNG.integers(1, 6, N), -99, 0.02),
    "9999": mixed(RNG.normal(0, 1, N), 9999),
    "-1": mixed(RNG.integers(1, 800, N), -1),
    "0": mixed(RNG.normal(170, 9, N), 0),
    "1e+30": mixed(RNG.normal(0, 1, N), 1e30),
    "1900-01-01": pd.Series(DAYS).mask(RNG.random(N) < 0.1, pd.Timestamp("1900-01-01")),
    "9999-12-31": pd.Series(DAYS.as_unit("s")).mask(
        RNG.random(N) < 0.1, pd.Timestamp("9999-12-31").as_unit("s")
    ),
}


@pytest.mark.parametrize("cell", NAMED)
def test_a_cell_that_may_mean_a_missing_one_is_named(cell):
    [remark] = of(NAMED[cell])
    assert remark.column == "x"
    assert f"are {cell}" in remark.text.replace("'", "")
    assert f"--missing x={cell}" in remark.text


def test_two_such_cells_of_one_column_are_named_together_and_in_quotes():
    values = np.where(RNG.random(N) < 0.1, 9998, NAMED["9999"])
    frame = pd.DataFrame({"blood sugar": values})
    [remark] = sentinels(frame, frame)
    assert "are 9998 and" in remark.text
    assert "--missing 'blood sugar=9998' --missing 'blood sugar=9999'" in remark.text


def clean(seed, n=500):
    """Columns as they are in tables without a mistake."""
    rng = np.random.default_rng(seed)
    day = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3000, n), "D")
    return pd.DataFrame(
        {
            "normal": rng.normal(size=n),
            "rounded": rng.normal(50, 12, n).round(2),
            "exponential": rng.exponential(30, n),
            "count": rng.poisson(3, n),
            "many": rng.geometric(0.05, n),
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
            "day": day,
            "town": rng.choice(["a", "b", "c"], n),
            "flag": rng.random(n) < 0.4,
        }
    )


@pytest.mark.parametrize("seed", range(3))
def test_clean_tables_have_no_remark(seed):
    frame = clean(seed)
    positive = np.random.default_rng(seed + 100).random(len(frame)) < 0.2
    frame["nearly"] = frame["normal"] + 1.5 * positive
    assert [*suspects(frame, positive), *sentinels(frame, frame)] == []


# A few cells that make the standard deviation


def with_cells(usual, *cells):
    values = np.array(usual, np.float64)
    values[7 : 7 + len(cells)] = cells
    return values


WILD = {
    "one": with_cells(RNG.normal(size=N), 1e12),
    "below": with_cells(RNG.normal(size=N), -5e4),
    "two": with_cells(RNG.normal(size=N), 1e12, 2e12),
    "equal": with_cells(RNG.normal(size=N), 1e12, 1e12),
    "overflow": with_cells(RNG.normal(size=N), 1e300),
    "indicator": with_cells(RNG.random(N) < 0.5, 1e6),
    "mostly 0": with_cells(np.where(RNG.random(N) < 0.9, 0, RNG.lognormal(7, 1, N)), 1e9),
    "day": pd.Series(DAYS.as_unit("s")).mask(np.arange(N) == 7, pd.Timestamp("9024-05-06")),
}


@pytest.mark.parametrize("case", WILD)
def test_a_few_cells_that_make_the_deviation_are_named(case):
    [remark] = of(WILD[case])
    assert (remark.kind, remark.column) == ("outliers", "x")
    cell = "9024-05-06" if case == "day" else f"{pd.Series(WILD[case]).abs().max():g}"
    assert cell.replace("e+0", "e") in remark.text.replace("e+0", "e")


@pytest.mark.parametrize("sparse", [False, True])
def test_outliers_of_a_matrix_are_named_by_load_and_by_the_classifier(tmp_path, sparse):
    X = np.column_stack([WILD["one"], USUAL["age"] * (RNG.random(N) < 0.1 if sparse else 1)])
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
    ({"city": None}, "'city': 100 % .* no value, of the training rows 0 %"),
    ({"city": "ROME"}, "'city': 100 % .* that no training row has, such as 'ROME'"),
    ({"street": "Main"}, "'street': 100 % .* that no training row has, such as 'Main'"),
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


@pytest.mark.parametrize("n", [1, 3, 40, 2000])
def test_rows_like_those_of_training_have_no_changed_column(n):
    for seed in range(20):
        assert changes(sample(n, seed=100 + seed)) == []


def test_few_cells_and_single_rows_are_no_change():
    new = sample(seed=1)
    new.loc[: M // 25, "city"] = "Nice"
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


def test_test_rows_of_numbers_have_ranges_too():
    X = pd.DataFrame({"a": np.linspace(0, 1, 200), "y": np.arange(200) % 2})
    data = load(X, target="y", test=X.assign(a=X["a"] * 100))
    assert "test rows: column 'a': 9" in " ".join(data.understood.warnings)


def test_ranges_leave_out_gaps_and_count_the_zeros_of_sparse_rows():
    X = np.array([[1.0, np.nan, -3.0], [2.0, np.nan, 0.0]])
    np.testing.assert_array_equal(ranges_of(rows(X)), [[1, 1, -3], [2, 0, 0]])
    sparse = rows(csr_array(np.nan_to_num(X)))
    np.testing.assert_array_equal(ranges_of(sparse), [[1, 0, -3], [2, 0, 0]])
