"""Cells that mean a missing one, and rows without a label, as the user says."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from aucbench.datasets import load
from aucbench.datasets.gaps import gaps_of
from aucbench.datasets.reading import ReadOptions
from aucbench.datasets.tables import Encoding, Schema
from aucbench.errors import DataError, ParameterError

N = 120
RNG = np.random.default_rng(0)
ODD = np.arange(N) % 6 == 0
FRAME = pd.DataFrame(
    {
        "age": np.where(ODD, -999, RNG.integers(20, 90, N)),
        "price": [f"{x:.1f}".replace(".", ",") for x in np.where(ODD, -999, RNG.random(N))],
        "seen": np.where(ODD, "1900-01-01", "2024-03-05"),
        "size": np.where(ODD, "unknown", RNG.integers(1, 9, N).astype(str)),
        "town": np.where(ODD, "unknown", RNG.choice(["a", "b"], N)),
        "y": RNG.integers(0, 2, N),
    }
)
GAPS = ("-999", "seen=1900-01-01", "unknown")


@pytest.fixture
def table(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", index=False, sep=";")
    return tmp_path / "t.csv"


def test_the_cells_are_missing_in_every_kind_of_column(table):
    data = load(table, missing=GAPS, decimal=",")
    kinds = {column.name: column.kind for column in data.schema.columns}
    wanted = dict.fromkeys(("age", "price", "size"), "numeric")
    assert kinds == {**wanted, "seen": "date", "town": "category"}
    np.testing.assert_array_equal(np.isnan(data.rows.matrix), np.repeat(ODD[:, None], 5, 1))
    assert not any("missing=" in warning for warning in data.understood.warnings)


def test_what_reads_new_tables_knows_the_cells_too(table):
    data = load(table, missing=GAPS, decimal=",")
    encoding = Encoding.learn(data.schema, data.rows)
    again = replace(encoding, schema=Schema.from_json(data.schema.to_json()))
    new = FRAME.drop(columns="y")
    np.testing.assert_array_equal(again.of_frame(new).matrix, encoding(data.rows).matrix)
    alone = again.of_frame(new[ODD][:1])
    assert alone.matrix[0, again.names.index("age is missing")] == 1


def test_numbers_alone_have_a_schema_then(tmp_path):
    FRAME[["age", "y"]].to_csv(tmp_path / "t.csv", index=False)
    assert load(tmp_path / "t.csv").schema is None
    data = load(tmp_path / "t.csv", missing=-999.0)
    assert data.schema.columns[0].gaps == ("-999.0",)
    assert np.isnan(data.rows.matrix).sum() == ODD.sum()
    later = load(tmp_path / "t.csv", missing="age=-998")
    assert later.schema is not None
    assert any("no cell is '-998'" in warning for warning in later.understood.warnings)


def test_a_name_may_have_the_sign_too():
    assert gaps_of(["a=b=c", "x"], ["a=b", "d"]) == {"a=b": ("c", "x"), "d": ("x",)}
    with pytest.raises(DataError, match="no column 'age' among 1"):
        gaps_of(["age=3"], ["d"])


def test_python_has_lists_and_mappings_of_cells():
    wanted = ("age=-999", "town=?!", "town=none")
    assert ReadOptions(missing={"age": -999, "town": ["?!", "none"]}).missing == wanted
    assert ReadOptions(missing=["a=1", np.float64(-9)]).missing == ("a=1", -9.0)
    assert ReadOptions(missing=None).missing == ()
    with pytest.raises(ParameterError, match="missing has the value None"):
        ReadOptions(missing=[None])


def test_options_that_make_no_sense_are_refused(table, tmp_path):
    with pytest.raises(ParameterError, match="unlabelled must be refuse or skip, got 'keep'"):
        ReadOptions(unlabelled="keep")
    (tmp_path / "t.svm").write_text("1 1:1\n0 1:2\n")
    with pytest.raises(DataError, match="missing is for tables"):
        load(tmp_path / "t.svm", missing=1)


@pytest.mark.parametrize("labels", [("1", "0"), ("Y", "N"), ("True", "False"), ("2", "1")])
def test_rows_without_a_label_are_left_out_on_request(tmp_path, labels):
    y = np.where(RNG.random(N) < 0.3, *labels).astype(object)
    y[5:8] = ""
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": np.arange(N) / 7, "y": y}).to_csv(path, index=False)
    with pytest.raises(DataError, match=r"in line 7, and in 3 row.*--unlabelled skip"):
        load(path, positive=labels[0])
    data = load(path, positive=labels[0], unlabelled="skip")
    assert data.n == N - 3
    said = "3 of 120 rows have no label in the column 'y', and are left out"
    assert any(warning.startswith(said) for warning in data.understood.warnings)
    assert [*map(str, data.understood.positive)] == [labels[0]]
    np.testing.assert_array_equal(data.y > 0, np.delete(y, [5, 6, 7]) == labels[0])


def test_a_label_may_be_a_cell_that_means_none(tmp_path):
    path = tmp_path / "t.csv"
    y = np.where(np.arange(N) < 9, -9, np.arange(N) % 2)
    pd.DataFrame({"a": np.arange(N) % 7, "y": y}).to_csv(path, index=False)
    data = load(path, target="y", missing="y=-9", unlabelled="skip")
    assert (data.n, data.labels.n_pos) == (N - 9, (y == 1).sum())
