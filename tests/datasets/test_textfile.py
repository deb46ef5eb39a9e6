"""Tables in text files and spreadsheets: separators, headers, lines, marks and archives."""

import csv
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import assert_refused
from tables import table, written, zipped

from aucbench.datasets import load, stream, textfile
from aucbench.datasets.formats import batches_of_cells
from aucbench.datasets.tables import Schema, encode_table
from aucbench.errors import DataError

ROWS = [(1.5, 7, 0), (2.5, 8, 1), (3.25, 9, 1), (-4, 8, 0)]
NAMES = ("a", "b", "y")
X = np.array([row[:2] for row in ROWS])


def text(separator=",", header=True, ending="\n", decimal="."):
    lines = [separator.join(NAMES)] if header else []
    lines += [separator.join(map(str, row)).replace(".", decimal) for row in ROWS]
    return ending.join(lines) + ending


def read(path, content, **options):
    """X and y of a file of numbers."""
    data = load(written(content, path), **{"target": 2, **options})
    np.testing.assert_array_equal(data.y, [-1, 1, 1, -1])
    np.testing.assert_array_equal(data.rows.dense().matrix, X)
    return data


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("header", [True, False])
def test_the_separator_is_found_with_any_decimal_mark(separator, header, tmp_path):
    path = tmp_path / ("t.csv" if header else "t.txt")
    for mark in ".," if separator != "," else ".":
        data = read(path, text(separator, header, decimal=mark), decimal=mark)
        assert data.names == (NAMES[:2] if header else None)


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n\n", "\n  \n"])
def test_lines_may_end_as_they_like_after_a_mark(ending, tmp_path):
    for mark in ("", "\ufeff"):
        assert read(tmp_path / "t.csv", mark + text(ending=ending)).names == ("a", "b")


def test_a_tsv_has_tabs_even_beside_commas(tmp_path):
    lines = "\n".join(f"{a}\tone, two, {b}\t{y}" for a, b, y in ROWS)
    data = load(written(f"a\tb, c, d\ty\n{lines}\n", tmp_path / "t.tsv"))
    assert data.names == ("a", "b, c, d")
    [chunk] = stream(written(text("\t"), tmp_path / "n.tsv"), target="y")
    np.testing.assert_array_equal(chunk.rows.matrix, X)


def test_a_txt_may_be_svmlight_and_a_last_cell_may_be_missing(tmp_path):
    content = "# made by hand\n\n1 qid:3 1:1.5 2:7\n-1 qid:3 1:2 # a row\n"
    data = load(written(content, tmp_path / "t.txt"))
    np.testing.assert_array_equal(data.rows.dense().matrix, [[1.5, 7], [2, 0]])
    read(tmp_path / "t.txt.gz", text("\t"))
    gaps = "y,a,b\n" + "0,1,2\n1,2,3\n" * 20 + "0,1,\n1,,2\n"  # the last row is no short one
    path = written(gaps, tmp_path / "t.csv")
    assert encode_table(load(path)).names == ("a", "a is missing", "b", "b is missing")


def test_digits_that_are_no_number_are_found_in_any_block_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(textfile, "READ_AHEAD", 16)
    plain = "a,b,y\n" + "10,1.05,0\n7,1e-07,1\n8,007.5,0\n" * 20
    with monkeypatch.context() as patch:
        patch.setattr(textfile, "_digits", lambda *_: pytest.fail("the file is read once more"))
        assert load(written(plain, tmp_path / "t.csv")).d == 2
    path = written(f"{plain}07,1,0\n", tmp_path / "t.csv")
    assert load(path).schema.columns[0].levels == ("07", "10", "7", "8")
    for code in ("9007199254740993", "-9007199254740993"):  # a gap would make a float of it
        path = written(f"{plain}{code},1,0\n,1,1\n", tmp_path / "t.csv")
        assert_refused(partial(load, path), DataError, f"'a' has {code}")


def test_rows_of_uneven_width_are_kept_with_their_number_of_cells(tmp_path):
    path = written("a,b,c\n1,2,3\n4,5\n6,7,8,9\n1,2,3\n", tmp_path / "t.csv")
    for size, wanted in (9, [{1: 2, 2: 4}]), (2, [{1: 2}, {0: 4}]):
        found = [*batches_of_cells(path, size)]
        assert [batch.uneven for batch in found] == wanted
        cells = pd.concat([batch.X for batch in found]).to_numpy().tolist()
        assert cells == [["1", "2", "3"], ["4", "5", ""], ["6", "7", "8"], ["1", "2", "3"]]


@pytest.mark.parametrize(
    ("head", "gap", "place"),
    [
        *(("a,b,y\n", "", "line 22"), ("", "", "line 21"), ("a,b,y\n", "\n", "line 23")),
        *(("", '"1\n",2,1\n', "line 23"), ("", '""\n\n', "row 20")),  # pandas sees another row
    ],
)
def test_a_missing_label_is_reported_with_its_line_if_lines_are_sure(tmp_path, head, gap, place):
    content = head + "1,2,0\n3,4,1\n" * 10 + gap + "5,6,\n"
    path = written(content, tmp_path / "t.csv")
    assert_refused(partial(load, path, target=2), DataError, f" {place},")


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["2019,2020,y", "1,2,0", "3,4,1"], ("2019", "2020")),
        (["id,2019,y", "1,2,0", "3,4,1"], ("id", "2019")),
        (["0,1,y", "1.5,2,0", "3,4,1"], ("0", "1")),
        (["NA,2,0", "3,4,1", "5,6,1"], None),
        (["red,2,0", "blue,4,1", "red,6,1"], None),
    ],
)
def test_headers_may_hold_numbers(lines, names, tmp_path):
    data = load(written("\n".join(lines), tmp_path / "t.csv"), target=2)
    assert (data.names if names else data.n) == (names or 3)


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("t.zip", {"all/rows.csv": text(";"), "__MACOSX/all/._rows.csv": "x"}),
        ("t.csv.zip", {"any": text()}),
    ],
)
def test_an_archive_holds_one_table(name, members, tmp_path):
    path = tmp_path / name
    path.write_bytes(zipped(members))
    np.testing.assert_array_equal(load(path, target="y").rows.matrix, X)
    [chunk] = stream(path, target="y")
    np.testing.assert_array_equal(chunk.rows.matrix, X)


def test_a_spreadsheet_has_one_sheet_with_cells(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    path, frame = tmp_path / "t.xlsx", table(0, 40, "age colour since", gaps=0.1)
    for place in ({}, {"startrow": 3, "startcol": 2}):
        with pd.ExcelWriter(path) as writer:
            frame.to_excel(writer, sheet_name="rows", index=False, **place)
            pd.DataFrame().to_excel(writer, sheet_name="empty", index=False)
        data = load(path, target="y")
        assert (data.n, data.names) == (40, ("age", "colour", "since"))
    with pd.ExcelWriter(path, mode="a") as writer:
        frame.to_excel(writer, sheet_name="more", index=False)
    assert_refused(partial(load, path), DataError, "('rows', 'more')")
    written(frame.assign(age=["1"] * 39 + ["1O"]), path)
    assert_refused(partial(load, path, target="y"), DataError, "line 41")
    book = openpyxl.Workbook()
    for k in range(20):
        book.active.append([k, k % 2])
    book.active.cell(1_048_576, 16_384).value = 1  # far away
    book.save(path)
    assert_refused(partial(load, path), DataError, "1048576 rows")


CELLS = st.text(st.sampled_from("ab1.,;'\"\n\t ?ä"), max_size=5)


@settings(max_examples=25, deadline=None)
@given(st.lists(CELLS, min_size=4, max_size=25), st.sampled_from(",;\t|"))
def test_a_table_of_any_texts_comes_back(tmp_path_factory, cells, separator):
    frame = pd.DataFrame(
        {"x": cells, "n": range(len(cells)), "y": [0, 1] * 2 + [1] * (len(cells) - 4)}
    )
    path = tmp_path_factory.mktemp("any") / "t.csv"
    written(frame, path, sep=separator, quoting=csv.QUOTE_NONNUMERIC)
    features = frame[["x", "n"]].assign(x=frame["x"].str.lstrip(" "))
    try:
        schema = Schema.of(features)
    except DataError:
        with pytest.raises(DataError):
            load(path, target="y")
        return
    data = load(path, target="y", separator="tab" if separator == "\t" else separator)
    np.testing.assert_array_equal(data.rows.dense().matrix, schema.codes(features))
    if data.schema is not None:
        assert [c.levels for c in data.schema.columns] == [c.levels for c in schema.columns]
