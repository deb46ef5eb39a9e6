"""Cells come out of a table as they went in: whole numbers, codes, and words such as NA."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from aucbench.datasets import load, stream
from aucbench.datasets.chunked.opening import open_parts
from aucbench.datasets.formats import batches_of_cells
from aucbench.datasets.tables import Schema
from aucbench.errors import DataError

N = 60
BIG = 2**53
X = np.random.default_rng(0).normal(size=N)
SIDES = np.arange(N) % 2
CODES = [*("0123", "123", "0777", "777")] * (N // 4)
COUNTRIES = np.where(SIDES, "NA", "DE")


@pytest.fixture(params=["csv", "parquet", "feather", "frame"])
def held(request, tmp_path):
    """What puts a frame into a source of some kind; gaps are empty cells there."""

    def held(frame):
        path = tmp_path / f"t.{request.param}"
        if request.param == "frame":
            return frame
        if request.param == "csv":
            frame.to_csv(path, index=False)
        else:
            getattr(frame, f"to_{request.param}")(path)
        return path

    return held


def with_a_gap(values):
    column = pd.array(values, dtype="Int64")
    column[4] = pd.NA
    return column


@pytest.mark.parametrize("kind", ["int8", "int64", "uint64"])
@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_whole_numbers_stay_whole_beside_a_gap(kind, ending, tmp_path):
    top = int(np.iinfo(kind).max)
    table = pa.table({"id": pa.array([top, None, top - 1], kind), "x": [1.0, 2.0, 3.0]})
    path = tmp_path / f"t.{ending}"
    write = parquet.write_table if ending == "parquet" else feather.write_feather
    write(table, path)
    [batch] = batches_of_cells(path, 10)
    assert [*batch.X["id"]] == [top, pd.NA, top - 1]


def test_whole_numbers_of_a_sheet_stay_whole_beside_a_gap(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"id": pd.array([12, None, 14], "Int64"), "x": [0.5, 1.0, 2.0]})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    [batch] = batches_of_cells(tmp_path / "t.xlsx", 10)
    assert [*batch.X["id"]] == [12, pd.NA, 14]


def test_labels_and_groups_beyond_float64_are_told_apart(held):
    labels = with_a_gap(BIG + SIDES)
    groups = with_a_gap(BIG + np.arange(N) // 6)
    source = held(pd.DataFrame({"x": X, "l": labels, "g": groups}))
    asked = {"positive": str(BIG + 1), "negative": str(BIG), "unlabelled": "skip"}
    data = load(source, target="l", groups="g", **asked)
    assert (data.n, data.target.n_pos, len({*data.groups.tolist()})) == (N - 1, N // 2, N // 6)
    with pytest.raises(DataError, match=rf"{BIG + 1}"):
        load(source, target="l", drop="x", **asked)


def test_svmlight_refuses_labels_that_float64_makes_equal(tmp_path):
    path = tmp_path / "t.svm"
    path.write_text(f"1 1:1\n{BIG + 1} 1:2\n")
    for read in (load, lambda p: [*stream(p)]):
        with pytest.raises(DataError, match=r"line 2 .*is beyond 2\^53"):
            read(path)


def test_digits_with_leading_zeros_are_codes(held):
    sides = np.array([code[0] == "0" for code in CODES])
    frame = pd.DataFrame({"code": CODES, "x": X, "y": sides.astype(int)})
    data = load(held(frame), target="y")
    column = data.schema.columns[0]
    assert (column.kind, column.levels) == ("category", ("0123", "0777", "123", "777"))
    assert any("leading zeros, such as 0123" in warning for warning in data.understood.warnings)


@pytest.mark.parametrize("cell", ["0.5", "05.5", "0", "007.0", "-01", "2020-01-02"])
def test_other_cells_with_zeros_are_no_codes(cell, tmp_path):
    cells = [cell, *(f"{k}" if cell[0] != "2" else f"2021-01-{k + 10}" for k in range(1, 8))]
    path = tmp_path / "t.csv"
    pd.DataFrame({"c": cells, "x": X[:8], "y": SIDES[:8]}).to_csv(path, index=False)
    data = load(path, target="y")
    assert data.schema is None or data.schema.columns[0].kind in ("numeric", "date")


def test_a_number_is_its_own_level_before_that_of_a_code():
    schema = Schema.of(pd.DataFrame({"c": ["0123", "123", "045"]}))
    codes = schema.codes(pd.DataFrame({"c": [123, 45, 7]})).ravel()
    assert [*codes] == [2.0, 1.0, -1.0]


def test_whole_numbers_as_text_that_float64_makes_equal_are_refused():
    frame = pd.DataFrame({"k": [str(BIG), str(BIG + 1)], "x": [1, 2]})
    with pytest.raises(DataError, match=f"{BIG + 1}, which float64 rounds"):
        Schema.of(frame)


def test_what_is_text_in_one_of_two_tables_is_text_in_both(tmp_path):
    """As numbers, 1.50 would be 1.5, which is not the level 1.50 of the other table."""
    words = {"r.csv": ["1.50", "2.50", "a1", "a1"], "s.csv": ["1.50", "2.50", "1.50", "2.50"]}
    for name, cells in words.items():
        frame = pd.DataFrame({"c": cells * 6, "x": X[:24], "y": SIDES[:24]})
        frame.to_csv(tmp_path / name, index=False)
    for one, other in (("r.csv", "s.csv"), ("s.csv", "r.csv")):
        data = load(tmp_path / one, test=str(tmp_path / other), target="y")
        assert data.schema.columns[0].levels == ("1.50", "2.50", "a1")


def test_a_code_in_one_file_of_a_folder_is_one_in_all(tmp_path):
    for name, cells in (("a.csv", ["1", "2"]), ("b.csv", ["01", "2"])):
        frame = pd.DataFrame({"c": cells * 10, "x": X[:20], "y": SIDES[:20]})
        frame.to_csv(tmp_path / name, index=False)
    parts = open_parts(tmp_path, target="y")
    assert parts.encoding.schema.columns[0].levels == ("01", "1", "2")


NAMED = {"positive": "Severe", "negative": "None"}


def test_a_label_that_the_user_names_is_no_missing_cell(held):
    source = held(pd.DataFrame({"x": X, "y": np.where(SIDES, "Severe", "None")}))
    assert load(source, **NAMED).target.n_pos == N // 2
    assert load(source, positive="Severe", missing="y!=None").n == N
    with pytest.raises(DataError, match=r"label is missing in .*--missing 'y!=None'"):
        load(source, positive="Severe")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_label_that_the_user_names_is_no_missing_cell_in_parts(ending, tmp_path):
    frame = pd.DataFrame({"x": X, "y": np.where(SIDES, "Severe", "None")})
    path = tmp_path / f"t.{ending}"
    getattr(frame, f"to_{ending}")(path, index=False)
    classes = open_parts(path, **NAMED).classes
    assert (classes.positive, classes.negative) == (("Severe",), ("None",))
    with pytest.raises(DataError, match=r"no label|label is missing"):
        open_parts(path, positive="Severe")


@pytest.mark.parametrize("missing", ["country!=NA", "!=NA"])
def test_a_level_such_as_na_is_kept_on_request(held, missing):
    frame = pd.DataFrame({"country": COUNTRIES, "x": X, "y": SIDES ^ (X > 1)})
    source = held(frame)
    assert load(source, target="y").schema.columns[0].missing == 0.5
    schema = load(source, target="y", missing=missing).schema
    assert schema.columns[0].levels == ("DE", "NA")
    again = Schema.from_json(schema.to_json())
    codes = again.codes(pd.DataFrame({"country": ["NA", "DE", ""], "x": ["1", "2", "NA"]}))
    np.testing.assert_array_equal(codes, [[1, 1], [0, 2], [np.nan, np.nan]])


def test_a_text_that_never_means_a_missing_cell_is_refused_as_one_that_does_not(tmp_path):
    with pytest.raises(DataError, match="'XX' is no missing cell, which it never is"):
        load(pd.DataFrame({"a": COUNTRIES, "y": SIDES}), missing="a!=XX")


def test_names_of_columns_have_no_blanks_around_them(held):
    source = held(pd.DataFrame({"x ": X, "y ": SIDES}))
    assert load(source, target="y").n == N
    with pytest.raises(DataError, match=r"no column 'Y' among 2; similar are y; all are x, y"):
        load(source, target="Y")


def test_times_and_grades_with_leading_zeros_are_numbers(held):
    minutes = [f"{k // 60:02}{k % 60:02}" for k in np.random.default_rng(1).permutation(N)]
    source = held(pd.DataFrame({"at": minutes, "x": X, "y": SIDES}))
    data = load(source, time="at", target="y")
    assert [*np.argsort(data.times)] == [*np.argsort(minutes)]
    assert load(source, time_to_event="at", event="y").target.time.max() == 59
    assert load(source, target="at", labels="grades").target.levels.size == N
