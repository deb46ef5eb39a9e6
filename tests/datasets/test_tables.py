"""What a column is, its codes, and the features that an encoding learns from training rows."""

from datetime import date
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import assert_refused
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from tables import table

from aucbench import Data, get_solver, solve
from aucbench.data.arrays import rows
from aucbench.data.summaries import whole_chunk
from aucbench.datasets.tables import Encoding, Schema, encode_table
from aucbench.datasets.tables.parts import rare_below
from aucbench.errors import DataError

COLUMNS = "age member colour town seen"
GAPS = dict.fromkeys(("age", "member", "colour", "seen"), 0.1)


def messy(n=400, seed=0):
    """Numbers, truth values, words, many words and dates, most of them with gaps."""
    return table(seed, n, COLUMNS, gaps=GAPS, target=None)


def schema_of(*cells):
    return Schema.of(pd.DataFrame({"x": [*cells]}))


def learnt(frame):
    schema = Schema.of(frame)
    return Encoding.learn(schema, rows(schema.codes(frame)))


def features(encoding, frame):
    """The features of a frame as a data frame."""
    X = encoding.of_frame(frame).matrix
    return pd.DataFrame(X.toarray() if encoding.sparse else X, columns=[*encoding.names])


KINDS = {
    "numeric": [
        *((1.5, None, 3), ("1,234", "12", "1,234,567.5"), ("1'000", "2'000")),
        *(("1\u00a0000", "-2\u00a0000.5"), ("?", "3", "-", "4e5", " 7 "), ("0.5", ".5", "+5.")),
        *(("$1,200.50", "-$3", "$ 7", "$-8"), ("12 %", "-7.5%", None), ("1 200 €", "7€")),
    ],
    "boolean": [("yes", "No", "YES "), ("t", "f", None), ("TRUE", "false"), (True, None, False)],
    "category": [
        *(("red", "blue", "red"), ("yes", "no", "maybe"), ("1-2", "3-4"), ("1,23,4", "5")),
        *(("--5", "+-6"), ("5$%", "$"), ("1e", "e5"), ("2020-13", "2020-99")),
        *(("1st", "2nd", "3rd"), ("3 rooms", "4 rooms, 2 baths"), ("T1", "T2"), ("012A", "12A")),
    ],
    "date": [
        ("2020-12-31 23:59", "2021-01-01T00:00:01", "2020-12-31"),
        ("2020-12-31T23:59:00Z", "2021-01-01T00:00:00+01:00"),
        *(("31.12.2020", "1.1.2021"), ("31/12/2020", None, "1/2/2021")),
        *(("31-12-2020 08:30", "01-02-2021 09:00"), ("31 Dec 2020", "1 Jan 2021")),
        ("12/31/2020 11:59 PM", "01/01/2021 01:05 AM"),
        *((date(2020, 12, 31), date(2021, 1, 1)), (pd.Timestamp("2020-12-31"), pd.NaT)),
        ("1700-01-01", "9999-12-31"),
    ],
}


@pytest.mark.parametrize("wanted", KINDS)
def test_kinds_are_read_off_the_cells(wanted):
    for cells in KINDS[wanted]:
        schema = schema_of(*cells)
        assert schema.columns[0].kind == wanted, cells
        codes = schema.codes(pd.DataFrame({"x": [*cells]}))
        missing = [cell is None or cell is pd.NaT or cell in ("?", "-") for cell in cells]
        np.testing.assert_array_equal(np.isnan(codes), np.array(missing)[:, None])


def test_codes_are_numbers_truth_values_levels_and_seconds():
    columns = {"n": ["$1,234.5", "?", "$7"], "b": ["Yes", "no", None], "c": ["red", "blue ", "red"]}
    frame = pd.DataFrame({**columns, "d": ["01.03.2020 06:00", "01.01.1970 00:00", None]})
    found = Schema.of(frame).codes(frame)
    march = pd.Timestamp("2020-03-01 06:00").timestamp()
    wanted = [[1234.5, 1, 1, march], [np.nan, 0, 0, 0], [7, np.nan, 1, np.nan]]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("cells", "remark"),
    [
        (("1,234", "12"), "'1,234' is read as 1234"),
        (("01/02/2020", "03/04/2020"), "month comes first"),
        (("01/02/2020", "13/04/2020"), ""),
        (("1", "2", "3", "4+"), "1 text(s), first '4+' in row 3"),
        (("50 kg", "110 lb", "60 kg"), "several units, such as '60 kg' and '110 lb'"),
    ],
)
def test_what_can_be_understood_in_two_ways_has_a_remark(cells, remark):
    [column] = schema_of(*cells).columns
    assert remark in column.remark
    assert bool(column.remark) == bool(remark)
    if "month" in remark:
        codes = schema_of(*cells).codes(pd.DataFrame({"x": ["02/01/2020"]}))
        assert codes == pd.Timestamp("2020-02-01").timestamp()


NUMBERS = [1.5, -2.0, 1234.25]
AS_CELLS = {
    "a word": (["1.5", "unknown", "-2", "1,234.25", "n/k"], "'unknown' and 'n/k'"),
    "kilograms and a word": (["1.5 kg", "-2kg", "none", "1,234.25 kg"], "'1.5 kg' is read as 1.5"),
    "per cent": (["1.5 %", "-2%", "1234.25%"], ""),
    "accounting": (["$1.5", "($2.00)", "$1,234.25"], "'($2.00)' is read as -2"),
    "a minus sign": (["1.5", "\u22122", "1234.25"], ""),
}


@pytest.mark.parametrize("case", AS_CELLS)
def test_numbers_with_words_and_units_are_numbers_and_what_was_understood_is_said(case):
    cells, remark = AS_CELLS[case]
    frame = pd.DataFrame({"x": cells})
    schema = Schema.of(frame)
    found = schema.codes(frame)[:, 0]
    assert found[~np.isnan(found)].tolist() == NUMBERS
    assert remark in schema.columns[0].remark
    assert schema.columns[0].missing == 1 - 3 / len(cells)
    assert schema.columns[0].distinct == 3
    again = Schema.from_json(schema.to_json())
    np.testing.assert_array_equal(again.codes(frame)[:, 0], found)
    assert schema.codes(pd.DataFrame({"x": ["70"]})) == 70  # a new cell may lack the unit


def test_columns_that_cannot_rank_rows_are_dropped_and_said():
    n = 30
    columns = {"id": [f"c{k}" for k in range(n)], "empty": [None] * n, "same": ["here"] * n}
    columns |= {"partly": ["here"] * (n - 1) + [None], "one": [1] * n, "x": range(n)}
    found = Schema.of(pd.DataFrame(columns))
    assert [*dict(found.dropped)] == ["id", "empty", "same"]
    assert found.names == ("partly", "one", "x")
    facts = {c.name: (c.distinct, c.missing) for c in found.columns}
    assert facts == {"partly": (1, 1 / n), "one": (1, 0.0), "x": (n, 0.0)}


@pytest.mark.parametrize("n", [50, 3000])
def test_one_hot_is_that_of_scikit_learn(n):
    train, test = messy(n), messy(200, seed=1)
    test.loc[:9, "town"] = "elsewhere"
    for name in ("colour", "town"):
        few = rare_below(n)
        present = train[name].notna()
        oracle = OneHotEncoder(min_frequency=few, handle_unknown="ignore", sparse_output=False).fit(
            train.loc[present, [name]]
        )
        encoding = learnt(train[[name]])
        got = features(encoding, test)
        assert encoding.parts[0].rare == tuple(
            () if oracle.infrequent_categories_[0] is None else oracle.infrequent_categories_[0]
        )
        wanted = oracle.transform(test[[name]].fillna("no level has this name"))
        gap = got.pop(f"{name} is missing") if not present.all() else None
        np.testing.assert_array_equal(got.to_numpy(), wanted)
        if gap is not None:
            np.testing.assert_array_equal(gap, test[name].isna())


def test_missing_numbers_are_those_of_scikit_learn():
    train, test = messy(300), messy(100, seed=1)
    oracle = SimpleImputer(strategy="median", add_indicator=True).fit(train[["age"]])
    got = features(learnt(train[["age"]]), test)
    np.testing.assert_array_equal(got.to_numpy(), oracle.transform(test[["age"]]))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.datetimes(pd.Timestamp(1700, 1, 1), pd.Timestamp(2200, 1, 1)), min_size=3))
def test_parts_of_dates_are_those_of_pandas(stamps):
    stamps = pd.Series(stamps).dt.floor("s")
    frame = pd.DataFrame({"d": stamps})
    if frame["d"].nunique() < 2:
        return
    got = features(learnt(frame), frame)
    for part in ("year", "month", "weekday", "hour"):
        wanted = getattr(stamps.dt, "day_of_week" if part == "weekday" else part)
        assert (f"d {part}" in got) == (wanted.nunique() > 1)
        if f"d {part}" in got:
            np.testing.assert_array_equal(got[f"d {part}"], wanted)
    elapsed = (stamps - stamps.min()).dt.total_seconds() / 86400
    np.testing.assert_allclose(got["d days"], elapsed, rtol=1e-12)


def test_nothing_is_learnt_from_test_rows():
    frame = messy()
    schema = Schema.of(frame)
    first = Encoding.learn(schema, rows(schema.codes(frame)[:300]))
    changed = frame.copy()
    changed.loc[300:, ["age", "town", "colour", "seen"]] = [
        *(1e6, "new town", "pink"),
        pd.Timestamp("1999-01-01"),
    ]
    other = Schema.of(changed)
    second = Encoding.learn(other, rows(other.codes(changed)[:300]))
    assert (first.parts, first.names) == (second.parts, second.names)
    assert not any("new" in name or "pink" in name for name in second.names)
    got = second(rows(other.codes(changed)[300:])).dense().matrix
    words = [k for k, name in enumerate(second.names) if name.startswith(("town", "colour"))]
    assert not got[:, words].any()


def test_blocks_of_rows_make_no_difference(monkeypatch):
    from aucbench.datasets.tables import schema as module

    frame = messy(500)
    whole = learnt(frame)
    monkeypatch.setattr(module, "BLOCK", 7)
    assert learnt(frame) == whole
    dense = Encoding(whole.schema, whole.parts, sparse=False)
    sparse = Encoding(whole.schema, whole.parts, sparse=True)
    X, S = (e.of_frame(frame) for e in (dense, sparse))
    np.testing.assert_array_equal(X.matrix, S.matrix.toarray())
    assert np.count_nonzero(S.stored) == S.stored.size


cell = st.one_of(
    st.none(), st.sampled_from(["a", "b", "c", "d"]), st.text("xyz", min_size=1, max_size=2)
)


@settings(max_examples=20, deadline=None)
@given(st.lists(cell, min_size=4, max_size=60), st.randoms(use_true_random=False))
def test_the_order_of_rows_means_nothing(cells, random):
    frame = pd.DataFrame({"x": cells, "n": np.arange(len(cells)) % 7})
    order = [*range(len(cells))]
    random.shuffle(order)
    mixed = frame.iloc[order].reset_index(drop=True)
    try:
        schema = Schema.of(frame)
    except DataError:
        with pytest.raises(DataError):
            Schema.of(mixed)
        return
    assert Schema.of(mixed) == schema
    np.testing.assert_array_equal(schema.codes(mixed), schema.codes(frame)[order])
    assert learnt(mixed) == learnt(frame)


def test_codes_are_refused_where_features_are_wanted():
    frame = messy()
    schema = Schema.of(frame)
    made = Data.of(rows(schema.codes(frame)), np.arange(400) % 3 == 0)
    data = Data(made.rows, made.target, schema.names, schema=schema)
    for use in (
        partial(solve, get_solver("logistic"), data),
        partial(data.scores, np.zeros(data.d)),
        partial(whole_chunk, data),
    ):
        assert_refused(use, DataError, "encode_table(data)")
    rest, held = data.split(0.25, np.random.default_rng(0))
    assert rest.schema == held.schema == data.schema
    made, encoding = encode_table(rest), data.schema.encoding(rest.rows)
    assert (made.schema, made.names) == (None, encoding.names)
    assert encoding.names[:2] == ("age", "age is missing")
    np.testing.assert_array_equal(made.rows.stored, encoding(rest.rows).stored)
