"""Tables in files: separators, headers, lines, marks, archives and spreadsheets."""

import csv
import gzip
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucbench.datasets import load, stream
from aucbench.datasets.tables import Schema, encode_table
from aucbench.errors import DataError, MissingExtraError

ROWS = [(1.5, 7, 0), (2.5, 8, 1), (3.25, 9, 1), (-4, 8, 0)]
NAMES = ("a", "b", "y")
X = np.array([row[:2] for row in ROWS])


def text(separator=",", header=True, ending="\n", decimal="."):
    lines = [separator.join(NAMES)] if header else []
    lines += [separator.join(map(str, row)).replace(".", decimal) for row in ROWS]
    return ending.join(lines) + ending


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path, content, **options):
    """X and y of a file of numbers."""
    data = load(write(path, content), **{"target": 2, **options})
    np.testing.assert_array_equal(data.y, [-1, 1, 1, -1])
    np.testing.assert_array_equal(data.rows.dense().matrix, X)
    return data


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("header", [True, False])
def test_the_separator_is_found(separator, header, tmp_path):
    data = read(tmp_path / ("t.csv" if header else "t.txt"), text(separator, header))
    assert data.names == (NAMES[:2] if header else None)


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n\n", "\n  \n"])
def test_lines_may_end_as_they_like(ending, tmp_path):
    read(tmp_path / "t.csv", text(ending=ending))


def test_a_tsv_has_tabs_even_beside_commas(tmp_path):
    rows = "\n".join(f"{a}\tone, two, {b}\t{y}" for a, b, y in ROWS)
    data = load(write(tmp_path / "t.tsv", f"a\tb, c, d\ty\n{rows}\n"))
    assert data.names == ("a", "b, c, d")
    [chunk] = stream(write(tmp_path / "n.tsv", text("\t")), target="y")
    np.testing.assert_array_equal(chunk.rows.matrix, X)


def test_a_txt_of_svmlight_is_svmlight(tmp_path):
    content = "# made by hand\n\n1 qid:3 1:1.5 2:7\n-1 qid:3 1:2 # a row\n"
    data = load(write(tmp_path / "t.txt", content))
    np.testing.assert_array_equal(data.rows.dense().matrix, [[1.5, 7], [2, 0]])
    read(tmp_path / "t.txt.gz", gzip.compress(text("\t").encode()))


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
    data = load(write(tmp_path / "t.csv", "\n".join(lines)), target=2)
    assert (data.names if names else data.n) == (names or 3)


def zipped(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_an_archive_holds_one_table(tmp_path):
    path = zipped(tmp_path / "t.zip", {"all/rows.csv": text(";"), "__MACOSX/all/._rows.csv": "x"})
    np.testing.assert_array_equal(load(path, target="y").rows.matrix, X)
    [chunk] = stream(path, target="y")
    np.testing.assert_array_equal(chunk.rows.matrix, X)
    np.testing.assert_array_equal(
        load(zipped(tmp_path / "t.csv.zip", {"any": text()}), target="y").rows.matrix, X
    )
    both = zipped(tmp_path / "two.zip", {"a.csv": text(), "b.csv": text()})
    with pytest.raises(DataError, match=r"two\.zip: there are 2 files in the archive \(a.csv, b"):
        load(both)
    with pytest.raises(DataError, match="there are 0 files in the archive"):
        load(zipped(tmp_path / "none.zip", {}))
    with pytest.raises(DataError, match=r"bad\.zip cannot be read as zip"):
        load(write(tmp_path / "bad.zip", b"PK\x03\x04 no"))


LINES = {
    "short": ("a,b,y\n1,2,0\n3,1\n4,5,1\n", "line 3 has 2 cells, but line 1 has 3"),
    "long": ("a,b,y\n1,2,0\n3,4,1,1\n4,5,1\n", "line 3 has 4 cells, but line 1 has 3"),
    "after blanks": ("\n\na,b,y\n\n1,2,0\n\n3,1\n", "line 7 has 2 cells, but line 3 has 3"),
    "after quotes": ('a,b,y\n"x\n\nz",2,0\n3,1\n', "line 5 has 2 cells"),
    "far": ("a,b,y\n" + "1,2,0\n" * 50 + "3,1\n", "line 52 has 2 cells, but line 1 has 3"),
    "far and long": ("a,b,y\n" + "1,2,0\n" * 50 + "3,1,5,6\n", "line 52 has 4 cells"),
    "all longer": ("a,b,y\n1,2,3,0\n1,2,4,1\n", "line 2 has 4 cells, but line 1 has 3"),
    "a comma at the end": ("a,b,y\n1,2,0,\n1,2,1,\n", "line 2 has 4 cells"),
    "infinite": ("a,b,y\n\n1,2,0\n\ninf,2,1\n", "'a' has an infinite number, in line 5"),
    "a word": (
        "a,b,y\n" + "\n1,2,0" * 99 + "\n1O,2,1",
        "'a' has '1O', which is not a number, in line 102",
    ),
    "twins": ("a,a,y\n1,2,0\n3,4,1\n", "the columns 1 and 2 have the same name 'a'"),
    "three": ("a,y,a, a\n1,0,2,3\n3,1,4,3\n", "the columns 1, 3 and 4 have the same name 'a'"),
    "latin": (
        "a,b,y\n1,2,0\nä,4,1\n".encode("latin1"),
        "line 3 is not UTF-8 .* byte 0xe4; .*iconv",
    ),
    "late latin": (
        b"a,b,y\n" + b"1,2,0\n" * 99999 + b"\xe4,4,1\n",
        "line 100001 is not UTF-8 text, it has the byte 0xe4",
    ),
    "utf-16": ("a,b,y\n1,2,0\n3,4,1\n".encode("utf-16"), "the file is UTF-16 text; save the file"),
    "no cells": ("a\n1\n2\n", "2 rows and 1 columns"),
}


@pytest.mark.parametrize("case", LINES)
def test_what_is_wrong_is_told_with_its_line(case, tmp_path):
    content, sentence = LINES[case]
    path = write(tmp_path / "t.csv", content)
    with pytest.raises(DataError, match=sentence) as told:
        load(path, target="y" if case != "no cells" else None)
    assert str(told.value).count(str(path)) == 1
    assert "\n" not in str(told.value)


def test_a_missing_last_cell_is_no_short_row(tmp_path):
    path = write(tmp_path / "t.csv", "y,a,b\n" + "0,1,2\n1,2,3\n" * 20 + "0,1,\n1,,2\n")
    assert encode_table(load(path)).names == ("a", "a is missing", "b", "b is missing")


def test_a_mark_at_the_beginning_is_not_read(tmp_path):
    assert read(tmp_path / "t.csv", b"\xef\xbb\xbf" + text().encode()).names == ("a", "b")


def frame():
    made = pd.DataFrame(ROWS, columns=NAMES).assign(color=["red", "blue", None, "red"])
    made["day"] = pd.to_datetime(["2020-01-01", None, "2020-03-01", "2020-03-05"])
    return made


def test_a_spreadsheet_has_one_sheet_with_cells(tmp_path, monkeypatch):
    pytest.importorskip("openpyxl")
    path = tmp_path / "t.xlsx"
    with pd.ExcelWriter(path) as writer:
        frame().to_excel(writer, sheet_name="rows", index=False)
        pd.DataFrame().to_excel(writer, sheet_name="empty", index=False)
    assert load(path, target="y").n == 4
    frame().to_excel(path, index=False, startrow=3, startcol=2)
    again = load(path, target="y")
    assert (again.n, again.names) == (4, ("a", "b", "color", "day"))
    with pd.ExcelWriter(path) as writer:
        frame().to_excel(writer, sheet_name="rows", index=False)
        frame().to_excel(writer, sheet_name="more", index=False)
    with pytest.raises(DataError, match="2 sheets have cells \\('rows', 'more'\\), wanted one"):
        load(path)
    few = pd.concat([frame()] * 30).assign(a=["1"] * 119 + ["1O"])
    few.to_excel(path, index=False)
    with pytest.raises(DataError, match="'a' has '1O', which is not a number, in line 121"):
        load(path, target="y")
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"aucbench\[excel\]"):
        load(path)


CELLS = st.text(st.sampled_from("ab1.,;'\"\n\t ?ä"), max_size=5)


@settings(max_examples=25, deadline=None)
@given(st.lists(CELLS, min_size=4, max_size=25), st.sampled_from(",;\t|"))
def test_a_table_of_any_texts_comes_back(tmp_path_factory, cells, separator):
    table = pd.DataFrame(
        {"x": cells, "n": range(len(cells)), "y": [0, 1] * 2 + [1] * (len(cells) - 4)}
    )
    path = tmp_path_factory.mktemp("any") / "t.csv"
    table.to_csv(path, sep=separator, index=False, quoting=csv.QUOTE_NONNUMERIC)
    features = table[["x", "n"]].assign(x=table["x"].str.lstrip(" "))
    try:
        schema = Schema.of(features)
    except DataError:
        with pytest.raises(DataError):
            load(path, target="y")
        return
    data = load(path, target="y", separator="tab" if separator == "\t" else separator)
    if data.schema is None:
        np.testing.assert_array_equal(data.rows.dense().matrix, schema.codes(features))
    else:
        np.testing.assert_array_equal(data.rows.matrix, schema.codes(features))
        assert [c.levels for c in data.schema.columns] == [c.levels for c in schema.columns]
