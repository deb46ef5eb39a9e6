"""Cells that may stand for a missing one: they are named, and usual columns are not."""

import numpy as np
import pandas as pd
import pytest

from aucbench.datasets.hints import hints
from aucbench.datasets.reading import Reading
from aucbench.datasets.sentinels import sentinels
from aucbench.datasets.suspects import suspects

N = 400


def of(values):
    frame = pd.DataFrame({"x": values})
    return [*sentinels(frame, frame)]


def mixed(usual, odd, share=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(N) < share, odd, usual)


RNG = np.random.default_rng(0)
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
    "unknown": RNG.choice(["yes", "no", "unknown"], N),
    "N.A.": RNG.choice(["a", "b", "N.A."], N),
}


@pytest.mark.parametrize("cell", NAMED)
def test_a_cell_that_may_mean_a_missing_one_is_named(cell):
    [remark] = of(NAMED[cell])
    assert remark.column == "x"
    assert f"are {cell}" in remark.text.replace("'", "")
    assert f"--missing x={cell}" in remark.text


def test_two_such_cells_of_one_column_are_named_together():
    values = np.where(RNG.random(N) < 0.1, 9998, NAMED["9999"])
    [remark] = of(values)
    assert "are 9998 and" in remark.text
    assert "--missing x=9998 --missing x=9999" in remark.text


def test_names_that_a_shell_would_divide_are_in_quotes():
    frame = pd.DataFrame({"blood sugar": NAMED["-999"]})
    [remark] = sentinels(frame, frame)
    assert "--missing 'blood sugar=-999'" in remark.text


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
            "heavy": rng.standard_cauchy(n),
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


@pytest.mark.parametrize("seed", range(8))
def test_clean_tables_have_no_remark(seed):
    frame = clean(seed)
    positive = np.random.default_rng(seed + 100).random(len(frame)) < 0.2
    frame["told"] = frame["normal"] + 1.5 * positive
    told = [*suspects(frame, positive), *sentinels(frame, frame)]
    told += hints(frame.drop(columns="day"), Reading())
    assert told == []


def test_patients_and_times_are_suggested():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "PatientId": rng.integers(0, 150, N),
            "Kundennr": [f"K{i}" for i in rng.integers(0, 150, N)],
            "admission_type_id": rng.integers(1, 9, N),
            "patient_weight": rng.integers(40, 150, N),
            "admitted": DAYS,
            "birth date": DAYS,
            "day": 20240101 + rng.integers(0, 28, N),
            "ts": 1.6e9 + rng.integers(0, 10**7, N),
        }
    )
    told = {remark.column: remark for remark in hints(frame, Reading())}
    assert [*told] == ["PatientId", "Kundennr", "admitted", "day", "ts"]
    assert "say --groups PatientId" in told["PatientId"].text
    assert "say --time admitted" in told["admitted"].text
    assert [*hints(frame, Reading(groups="PatientId", time="ts"))] == []
