"""Cells come out of a table as they went in: gaps, whole numbers, codes, words, and free text."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from refusals import assert_refused
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from tables import table, written

from aucbench.data.columns import column_entries
from aucbench.datasets import load
from aucbench.datasets.chunked.opening import open_parts
from aucbench.datasets.formats import batches_of_cells
from aucbench.datasets.tables import Encoding, Schema
from aucbench.datasets.tables.parts import MOST_KEPT
from aucbench.datasets.tables.texts import BUCKETS
from aucbench.errors import DataError

N = 60
BIG = 2**53
X = np.random.default_rng(0).normal(size=N)
SIDES = np.arange(N) % 2
FORMS = ["frame", "csv", "parquet", "feather"]


def kept(form, frame, tmp_path):
    """A frame as a source of some form; gaps are empty cells there."""
    options = {"sep": "|"} if form == "csv" else {}
    return frame if form == "frame" else written(frame, tmp_path / f"t.{form}", **options)


@pytest.fixture(params=FORMS)
def held(request, tmp_path):
    return lambda frame: kept(request.param, frame, tmp_path)


@pytest.mark.parametrize("kind", ["int8", "int64", "uint64"])
@pytest.mark.parametrize("ending", ["parquet", "feather", "xlsx"])
def test_whole_numbers_stay_whole_beside_a_gap(kind, ending, tmp_path):
    top = 14 if ending == "xlsx" else int(np.iinfo(kind).max)
    rows = pa.table({"id": pa.array([top, None, top - 1], kind), "x": [1.0, 2.0, 3.0]})
    path = tmp_path / f"t.{ending}"
    if ending == "xlsx":
        written(rows.to_pandas(types_mapper=pd.ArrowDtype), path)
    else:
        (parquet.write_table if ending == "parquet" else feather.write_feather)(rows, path)
    [batch] = batches_of_cells(path, 10)
    assert [*batch.X["id"]] == [top, pd.NA, top - 1]


def test_labels_and_groups_beyond_float64_are_told_apart(held):
    def with_a_gap(values):
        column = pd.array(values, dtype="Int64")
        column[4] = pd.NA
        return column

    labels, groups = with_a_gap(BIG + SIDES), with_a_gap(BIG + np.arange(N) // 6)
    source = held(pd.DataFrame({"x": X, "l": labels, "g": groups}))
    asked = {"positive": str(BIG + 1), "negative": str(BIG), "unlabelled": "skip", "target": "l"}
    data = load(source, groups="g", **asked)
    assert (data.n, data.target.n_pos, len({*data.groups.tolist()})) == (N - 1, N // 2, N // 6)
    assert_refused(lambda: load(source, drop="x", **asked), DataError, f"{BIG + 1}")


def test_digits_with_leading_zeros_are_codes(held):
    codes = [*("0123", "123", "0777", "777")] * (N // 4)
    sides = [int(code[0] == "0") for code in codes]
    data = load(held(pd.DataFrame({"code": codes, "x": X, "y": sides})), target="y")
    column = data.schema.columns[0]
    assert (column.kind, column.levels) == ("category", ("0123", "0777", "123", "777"))
    assert any("leading zeros" in warning for warning in data.understood.warnings)


@pytest.mark.parametrize("cell", ["0.5", "05.5", "0", "007.0", "-01", "2020-01-02"])
def test_other_cells_with_zeros_are_no_codes(cell):
    cells = [cell, *(f"{k}" if cell[0] != "2" else f"2021-01-{k + 10}" for k in range(1, 8))]
    assert Schema.of(pd.DataFrame({"c": cells})).columns[0].kind in ("numeric", "date")
    schema = Schema.of(pd.DataFrame({"c": ["0123", "123", "045"]}))
    codes = schema.codes(pd.DataFrame({"c": [123, 45, 7]})).ravel()
    assert [*codes] == [2.0, 1.0, -1.0]  # a number is its own level before that of a code


def columns_of(tmp_path, **files):
    for name, cells in files.items():
        frame = pd.DataFrame({"c": cells * 6, "x": X[: 6 * len(cells)]})
        written(frame.assign(y=SIDES[: len(frame)]), tmp_path / f"{name}.csv")
    return [tmp_path / f"{name}.csv" for name in files]


def test_what_is_text_in_one_of_two_tables_is_text_in_both(tmp_path):
    """As numbers, 1.50 would be 1.5, which is not the level 1.50 of the other table."""
    texts, plain = ["1.50", "2.50", "a1", "a1"], ["1.50", "2.50", "1.50", "2.50"]
    r, s = columns_of(tmp_path, r=texts, s=plain)
    for one, other in ((r, s), (s, r)):
        data = load(one, test=str(other), target="y")
        assert data.schema.columns[0].levels == ("1.50", "2.50", "a1")
    columns_of(tmp_path, r=["1", "2"], s=["01", "2"])  # a code in one file of a folder
    parts = open_parts(tmp_path, target="y")
    assert parts.encoding.schema.columns[0].levels == ("01", "1", "2")


@pytest.mark.parametrize("form", [*FORMS, "parts"])
def test_a_label_that_the_user_names_is_no_missing_cell(form, tmp_path):
    named = {"positive": "Severe", "negative": "None"}
    frame = pd.DataFrame({"x": X, "y": np.where(SIDES, "Severe", "None")})
    if form == "parts":
        for ending in ("csv", "parquet"):
            path = kept(ending, frame, tmp_path)
            classes = open_parts(path, **named).classes
            assert (classes.positive, classes.negative) == (("Severe",), ("None",))
            assert_refused(lambda p=path: open_parts(p, positive="Severe"), DataError, "label")
        return
    source = kept(form, frame, tmp_path)
    assert load(source, **named).target.n_pos == N // 2
    assert load(source, positive="Severe", missing="y!=None").n == N
    assert_refused(lambda: load(source, positive="Severe"), DataError, "--missing 'y!=None'")


@pytest.mark.parametrize("missing", ["country!=NA", "!=NA"])
def test_a_level_such_as_na_is_kept_on_request(held, missing):
    countries = np.where(SIDES, "NA", "DE")
    source = held(pd.DataFrame({"country": countries, "x": X, "y": SIDES ^ (X > 1)}))
    assert load(source, target="y").schema.columns[0].missing == 0.5
    schema = load(source, target="y", missing=missing).schema
    assert schema.columns[0].levels == ("DE", "NA")
    again = Schema.from_json(schema.to_json())
    codes = again.codes(pd.DataFrame({"country": ["NA", "DE", ""], "x": ["1", "2", "NA"]}))
    np.testing.assert_array_equal(codes, [[1, 1], [0, 2], [np.nan, np.nan]])


def test_times_and_grades_with_leading_zeros_are_numbers_and_names_are_found_without_blanks(held):
    minutes = [f"{k // 60:02}{k % 60:02}" for k in np.random.default_rng(1).permutation(N)]
    source = held(pd.DataFrame({"at": minutes, "x ": X, "y ": SIDES}))
    data = load(source, time="at", target="y")
    assert [*np.argsort(data.times)] == [*np.argsort(minutes)]
    assert load(source, time_to_event="at", event="y").target.time.max() == 59
    assert load(source, target="at", labels="grades").target.levels.size == N


# Cells that mean a missing one, and rows without a label, as the user says

M = 120
RNG = np.random.default_rng(0)
ODD = np.arange(M) % 6 == 0
FRAME = pd.DataFrame(
    {
        "age": np.where(ODD, -999, RNG.integers(20, 90, M)),
        "price": [f"{x:.1f}".replace(".", ",") for x in np.where(ODD, -999, RNG.random(M))],
        "seen": np.where(ODD, "1900-01-01", "2024-03-05"),
        "size": np.where(ODD, "unknown", RNG.integers(1, 9, M).astype(str)),
        "town": np.where(ODD, "unknown", RNG.choice(["a", "b"], M)),
        "y": RNG.integers(0, 2, M),
    }
)


def test_the_cells_are_missing_in_every_kind_of_column_and_in_new_tables(tmp_path):
    path = written(FRAME, tmp_path / "t.csv", sep=";")
    data = load(path, missing=("-999", "seen=1900-01-01", "unknown"), decimal=",")
    kinds = {column.name: column.kind for column in data.schema.columns}
    wanted = dict.fromkeys(("age", "price", "size"), "numeric")
    assert kinds == {**wanted, "seen": "date", "town": "category"}
    np.testing.assert_array_equal(np.isnan(data.rows.matrix), np.repeat(ODD[:, None], 5, 1))
    assert not any("missing=" in warning for warning in data.understood.warnings)
    encoding = Encoding.learn(data.schema, data.rows)
    again = replace(encoding, schema=Schema.from_json(data.schema.to_json()))
    new = FRAME.drop(columns="y")
    np.testing.assert_array_equal(again.of_frame(new).matrix, encoding(data.rows).matrix)
    alone = again.of_frame(new[ODD][:1])
    assert alone.matrix[0, again.names.index("age is missing")] == 1


def test_numbers_alone_have_a_schema_then():
    frame = FRAME[["age", "y"]]
    assert load(frame).schema is None
    data = load(frame, missing=-999.0)
    assert data.schema.columns[0].gaps == ("-999.0",)
    assert np.isnan(data.rows.matrix).sum() == ODD.sum()
    later = load(frame, missing="age=-998")
    assert any("no cell is '-998'" in warning for warning in later.understood.warnings)


@pytest.mark.parametrize("labels", [("1", "0"), ("Y", "N"), ("True", "False"), ("2", "1")])
def test_rows_without_a_label_are_left_out_on_request(tmp_path, labels):
    y = np.where(RNG.random(M) < 0.3, *labels).astype(object)
    y[5:8] = ""
    path = written(pd.DataFrame({"a": np.arange(M) / 7, "y": y}), tmp_path / "t.csv")
    said = assert_refused(lambda: load(path, positive=labels[0]), DataError, "line 7")
    assert "--unlabelled skip" in said
    data = load(path, positive=labels[0], unlabelled="skip")
    assert data.n == M - 3
    assert any(warning.startswith("3 of 120 rows") for warning in data.understood.warnings)
    assert [*map(str, data.understood.positive)] == [labels[0]]
    np.testing.assert_array_equal(data.y > 0, np.delete(y, [5, 6, 7]) == labels[0])
    nine = pd.DataFrame({"a": np.arange(M) % 7, "y": np.where(ODD, -9, np.arange(M) % 5 > 2)})
    data = load(nine, target="y", missing="y=-9", unlabelled="skip")
    assert data.n == M - ODD.sum()


# Free text: hashed words

NOTES = table(0, 300, "note age", gaps={"note": 0.05})
NOTES["note"] += [f" case{i} please refund" if i % 3 else f" case{i}" for i in range(300)]
PLAIN = {"n_features": BUCKETS, "ngram_range": (1, 2), "alternate_sign": False, "norm": None}


def test_features_of_texts_are_the_tf_idf_of_scikit_learn():
    data = load(NOTES)
    column, _ = data.schema.columns
    assert (column.kind, column.distinct) == ("text", NOTES["note"].nunique())
    assert any("'note' holds free text" in warning for warning in data.understood.warnings)
    encoding = Encoding.learn(data.schema, data.rows)
    assert 60 < encoding.d < MOST_KEPT
    part = encoding.parts[0]
    counts = HashingVectorizer(**PLAIN).transform(NOTES["note"].fillna(""))
    wanted = TfidfTransformer(sublinear_tf=True).fit_transform(counts[:, list(part.kept)])
    found = part.block(column_entries(data.rows, 0), part.table(column))
    np.testing.assert_allclose(found.toarray()[:, :-1], wanted.toarray(), rtol=1e-12, atol=1e-15)
    X = encoding(data.rows)
    assert X.is_sparse
    gap = X.matrix.toarray()[:, encoding.names.index("note is missing")]
    np.testing.assert_array_equal(gap, NOTES["note"].isna())
    dense = Encoding(encoding.schema, encoding.parts, sparse=False)(data.rows)
    np.testing.assert_array_equal(X.matrix.toarray(), dense.matrix)
