import csv
import json

import pandas as pd
import pytest

from aucbench.bench.results.export import export
from aucbench.errors import ParameterError
from aucbench.store import DocumentStore

RECORDS = [
    {"id": "0a1a", "auc": 0.5, "parameters": {"k": 5, "gamma": None}, "curve": [[1, 0.5]]},
    {"id": "0a1b", "auc": 1, "parameters": {"k": "all"}, "ok": True, "reason": 'a,\n"b"'},
    {"id": "0a1c", "auc": None, "reason": None, "nothing": None},
]


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


@pytest.fixture
def filled(store):
    for record in RECORDS:
        store.write(record)
    return store


def test_csv_has_a_line_per_record_and_a_column_per_key(filled, tmp_path):
    path = tmp_path / "out.csv"
    assert export(filled.documents(), path) == 3

    assert path.read_text(encoding="utf-8").splitlines() == [
        "id,auc,curve,nothing,ok,parameters.gamma,parameters.k,reason",
        '0a1a,0.5,"[[1, 0.5]]",,,,5,',
        '0a1b,1,,,true,,all,"a,\\n""b"""',
        "0a1c,,,,,,,",
    ]
    table = pd.read_csv(path)
    assert table["auc"].tolist()[:2] == [0.5, 1.0]
    assert table["ok"].tolist()[1] is True


@pytest.mark.parametrize("start", "=+-@")
def test_no_cell_of_a_csv_file_is_a_formula(tmp_path, start):
    text = f'{start}HYPERLINK("http://x","y")'
    export([{"id": "0a1a", text: text, "number": -1.5}], tmp_path / "out.csv")
    (row,) = rows(tmp_path / "out.csv")
    assert row.pop("id") == "0a1a"
    assert row.pop("number") == "-1.5"
    ((name, value),) = row.items()
    assert name.replace("\\.", ".") == value == f"'{text}"


@pytest.mark.parametrize("text", ["\t=1", "\r=1", "\x1b[2J", "\u202egnp", "\ud800", "a\x00b"])
def test_characters_that_cannot_be_printed_are_escaped(tmp_path, text):
    export([{"id": "0a1a", "name": text}], tmp_path / "out.csv")
    (row,) = rows(tmp_path / "out.csv")
    assert row["name"].isprintable()
    assert "\\" in row["name"]


def test_parquet_has_typed_columns(filled, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert export(filled.documents(), tmp_path / "out.parquet") == 3
    table = parquet.read_table(tmp_path / "out.parquet")

    assert {field.name: str(field.type) for field in table.schema} == {
        **{"id": "string", "auc": "double", "curve": "string", "nothing": "null", "ok": "bool"},
        **{"parameters.gamma": "null", "parameters.k": "string", "reason": "string"},
    }
    first, second, third = table.to_pylist()
    assert (first["auc"], json.loads(first["curve"])) == (0.5, [[1, 0.5]])
    assert [json.loads(row["parameters.k"]) for row in (first, second)] == [5, "all"]
    assert (second["ok"], second["reason"]) == (True, 'a,\n"b"')
    assert set(third.values()) == {"0a1c", None}


def test_parquet_takes_any_text_and_number_and_more_rows_than_a_batch(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    odd = [{"id": f"{i:04x}", "x\ud800": "\ud800é", "large": 2**70, "int": i} for i in range(2500)]
    assert export(odd, tmp_path / "out.parquet") == 2500
    table = parquet.read_table(tmp_path / "out.parquet")
    assert table["int"].to_pylist() == [*range(2500)]
    assert table["x\\ud800"][0].as_py() == "\\ud800é"
    assert json.loads(table["large"][0].as_py()) == 2**70


def test_json_is_a_list_of_flat_rows_with_equal_keys(filled, tmp_path):
    assert export(filled.documents(), tmp_path / "out.json") == 3
    read = json.loads((tmp_path / "out.json").read_text(), parse_constant=pytest.fail)
    assert [row["id"] for row in read] == ["0a1a", "0a1b", "0a1c"]
    assert read[0]["curve"] == [[1, 0.5]]
    assert read[0]["parameters.k"] == 5
    assert len({tuple(row) for row in read}) == 1


def test_what_was_there_before_stays_when_records_cannot_be_read(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("before")

    def records():
        yield RECORDS[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(records(), path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("out.csv", "before")]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("out.xlsx", r"its ending is '.xlsx'; let it end in .csv, .parquet, .json"),
        ("out", "its ending is ''; let it end in"),
        ("absent/out.csv", "No such file or directory; name another file"),
        ("folder.csv", "folder.csv is not a file; name one that can be written"),
    ],
)
def test_a_file_that_cannot_be_made_is_refused(filled, tmp_path, name, sentence):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ParameterError, match=sentence):
        export(filled.documents(), tmp_path / name)


def test_damaged_shards_are_left_out_of_an_export(filled, tmp_path):
    (filled.folder / "cells" / "0a" / "0a1b.json").write_text("{}")
    with DocumentStore(filled.folder) as later:
        assert export(later.documents(), tmp_path / "out.csv") == 2
        assert len(later.problems()) == 1
