import csv
import json

import pandas as pd
import pytest

from aucbench.bench.results.export import export
from aucbench.errors import ParameterError

RECORDS = [
    {"id": "0a1a", "auc": 0.5, "parameters": {"k": 5, "gamma": None}, "curve": [[1, 0.5]]},
    {"id": "0a1b", "auc": 1, "parameters": {"k": "all"}, "ok": True, "reason": 'a,\n"b"'},
    {"id": "0a1c", "auc": None, "reason": None, "nothing": None},
]


def test_csv_has_a_line_per_record_and_a_column_per_key(tmp_path):
    path = tmp_path / "out.csv"
    assert export(RECORDS, path) == 3

    assert path.read_text(encoding="utf-8").splitlines() == [
        "id,auc,curve,nothing,ok,parameters.gamma,parameters.k,reason",
        '0a1a,0.5,"[[1, 0.5]]",,,,5,',
        '0a1b,1,,,true,,all,"a,\\n""b"""',
        "0a1c,,,,,,,",
    ]
    table = pd.read_csv(path)
    assert table["auc"].tolist()[:2] == [0.5, 1.0]
    assert table["ok"].tolist()[1] is True


UNPRINTABLE = ["\t=1", "\r=1", "\x1b[2J", "\u202egnp", "\ud800", "a\x00b"]


@pytest.mark.parametrize("text", [*(f'{start}HYPERLINK("x")' for start in "=+-@"), *UNPRINTABLE])
def test_no_cell_of_a_csv_file_is_a_formula_or_cannot_be_printed(tmp_path, text):
    export([{"id": "0a1a", text: text, "number": -1.5}], tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row.pop("id"), row.pop("number")) == ("0a1a", "-1.5")
    ((name, value),) = row.items()
    assert value.isprintable()
    if text in UNPRINTABLE:
        assert "\\" in value
    else:
        assert name == value == f"'{text}"


def test_parquet_has_typed_columns(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert export(RECORDS, tmp_path / "out.parquet") == 3
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
    ("name", "word"),
    [("out.xlsx", ".parquet"), ("out", "''"), ("no/out.csv", "No such"), ("folder.csv", "file")],
)
def test_a_file_that_cannot_be_made_is_refused(tmp_path, name, word):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ParameterError, match=word):
        export(RECORDS, tmp_path / name)
