"""Changepoint sets: features and errors, which are matched by sequence."""

from __future__ import annotations

import bz2
import csv
import gzip
import hashlib
import lzma
import re

import numpy as np
import pytest

from aucbench import get_dataset
from aucbench.aum import Breakpoints
from aucbench.data.packed import CHANGES, OF_EXAMPLES
from aucbench.datasets import available, load, load_changepoint
from aucbench.errors import DataError, UnknownNameError, UnsupportedError

PACKERS = {"": bytes, ".xz": lzma.compress, ".bz2": bz2.compress, ".gz": gzip.compress}
FEATURES = """\
sequenceID,a,holes,b,endless,blank
s/2,1,NA,0.5,-inf,1
s/1,2,3,0.25,1,
"s,3",3,4,0.125,Inf,2
"""
ERRORS = """\
sequenceID,min_log_lambda,max_log_lambda,fp,fn,labels,fold
s/1,-inf,0.1,2,0,4,10
s/1,0.1,0.7,1,0,4,10
s/1,0.7,inf,0,3,4,10
s/2,0.3,Inf,0,1,4,9
s/2,-Inf,0.3,1,0,4,9
"s,3",-inf,inf,1,1,4,10
"""
FOLDS = """\
fold.chrom,sequenceID,fold.name
2,"s,3",x
1,s/1,y
1,s/2,x
"""


def write(folder, packed="", *, features=FEATURES, errors=ERRORS, folds=None):
    made = []
    for part, text in (("features", features), ("errors", errors), ("folds", folds)):
        if text is not None:
            made.append(folder / f"chip.{part}.csv{packed}")
            made[-1].write_bytes(PACKERS[packed](text.encode()))
    return made


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))
    return tmp_path


def assert_same(found, expected):
    for name in CHANGES + OF_EXAMPLES:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
    assert found.n == expected.n


@pytest.mark.parametrize("packed", PACKERS)
def test_what_is_written_is_read(packed, folder):
    parts = write(folder, packed)
    for data in (load_changepoint(*parts), load("chip"), load(parts[0]), load(str(parts[1]))):
        assert data.names == ("a", "b")
        assert data.dropped == ("holes", "endless", "blank")
        np.testing.assert_array_equal(data.rows.matrix, [[1, 0.5], [2, 0.25], [3, 0.125]])
        assert data.folds.dtype == np.int32
        assert data.folds.tolist() == [0, 1, 1]  # 9 before 10
        assert_same(
            data.target,
            Breakpoints(
                np.array([0, 1, 1], dtype=np.int32),
                np.array([-0.3, -0.7, -0.1]),
                np.array([1.0, 1.0, 1.0]),
                np.array([-1.0, -3.0, 0.0]),
                3,
                np.array([0.0, 0.0, 1.0]),
                np.array([0.0, 0.0, 1.0]),
                np.array([1.0, 2.0, 1.0]),
                np.array([1.0, 3.0, 1.0]),
            ),
        )
        with pytest.raises(UnsupportedError, match="needs labels"):
            data.labels  # noqa: B018


def test_parts_may_be_compressed_differently_and_called_anything(folder):
    features, errors = write(folder)
    packed = folder / "chip.errors.csv.gz"
    packed.write_bytes(gzip.compress(errors.read_bytes()))
    errors.unlink()
    assert load("chip").n == 3
    elsewhere = features.rename(folder / "inputs.csv"), packed.rename(folder / "outputs.csv.gz")
    assert load_changepoint(*elsewhere).n == 3
    (folder / "inputs.folds.csv").write_text(FOLDS)
    assert load_changepoint(*elsewhere, folds="fold.name").folds.tolist() == [0, 1, 0]


def test_the_end_of_intervals_need_not_be_told(tmp_path):
    short = "\n".join(re.sub(r"^([^\"].*?,.*?),.*?,", r"\1,", line) for line in ERRORS.splitlines())
    short = short.replace('"s,3",-inf,inf', '"s,3",-inf')
    assert "inf,inf" not in short
    with_ends = load_changepoint(*write(tmp_path)).target
    assert_same(load_changepoint(*write(tmp_path, errors=short)).target, with_ends)


def test_folds_come_from_the_errors_or_from_the_folds_file(folder):
    parts = write(folder, ".xz", folds=FOLDS)[:2]
    for none in (None, "none"):
        assert load_changepoint(*parts, folds=none).folds is None
        assert load("chip", folds=none).folds is None
    assert load_changepoint(*parts, folds="fold.chrom").folds.tolist() == [0, 0, 1]
    assert load("chip", folds="fold.name").folds.tolist() == [0, 1, 0]
    assert load(folder / "chip.folds.csv.xz", folds="fold").folds.tolist() == [0, 1, 1]
    assert get_dataset("chip[folds=none]").folds is None
    assert get_dataset("chip[folds=fold.chrom]").folds.tolist() == [0, 0, 1]
    known = "use one of none, fold, fold.chrom, fold.name"
    for wanted in ("fold.x", "sequenceID", 3):
        with pytest.raises(DataError, match=rf"folds '{wanted}' in chip\.folds\.csv\.xz; {known}"):
            get_dataset("chip", folds=wanted)
    (folder / "chip.folds.csv.xz").unlink()
    with pytest.raises(DataError, match=r"'x' in folds\.csv, .* not beside .*; use one of none, f"):
        load("chip", folds="x")


REFUSED_FOLDS = {
    FOLDS.replace("1,s/1", ",s/1"): "sequence 's/1' has the fold.chrom ''",
    FOLDS + "2,s/1,y\n": "sequence 's/1' has the fold.chrom '1 and 2'",
    FOLDS + "2,s/9,y\n": "1 sequence(s) have no row in chip.features.csv, first 's/9'",
    FOLDS.replace("1,s/1,y\n", ""): "1 sequence(s) of chip.features.csv have no row in it",
    FOLDS.replace("sequenceID", "id"): "there is no column sequenceID among fold.chrom, id",
}


REFUSED_FEATURES = {
    FEATURES + "s/2,1,1,1,1,1\n": "1 sequence(s) have more than one row in it, first 's/2'",
    FEATURES.replace("0.5", "red"): "1 feature(s) are not numeric: 'b'; drop them",
    'sequenceID,a,b\ns/1,NA,1\ns/2,1,inf\n"s,3",1,1\n': "no feature is left: 2 hold missing",
    'sequenceID\ns/1\ns/2\n"s,3"\n': "no feature is left: 0 hold missing",
    FEATURES[:-9]: "line 4 has 4 cells, but the header has 6; the file may be cut off",
    FEATURES.replace("s/2,1", '"s/2"x,1'): "line 2 is not CSV",
    "": "there is no row below the header",
    "\n\n": "there is no row below the header",
    "sequenceID,a\n": "there is no row below the header",
}


REFUSED_ERRORS = {
    ERRORS + "s/8,-inf,inf,0,0,0,9\ns/7,-inf,inf,0,0,0,9\n": (
        "2 sequence(s) have no row in chip.features.csv, first 's/8'"
    ),
    "".join(line for line in ERRORS.splitlines(keepends=True) if "s/" not in line): (
        "2 sequence(s) of chip.features.csv have no row in it, first 's/2'"
    ),
    ERRORS.replace("min_log", "log"): "there is no column min_log_lambda among sequenceID, log_la",
    ERRORS.replace("sequenceID", "id"): "there is no column sequenceID among id",
    ERRORS.replace("0.7,1,0,", "0.7,one,0,"): "fp is 'one' for sequenceID 's/1'; give a number",
    ERRORS.replace("0.7,1,0,", "0.7,1,NA,"): "fn is 'NA' for sequenceID 's/1'; give a number",
    ERRORS.replace("s/1,-inf", "s/1,"): "min_log_lambda is '' for sequenceID 's/1'",
    ERRORS.replace("-Inf,0.3", "0,0.3"): "sequence 's/2' begins at min_log_lambda 0.0; add",
    ERRORS.replace("0.1,0.7", "0.1,0.6"): "sequence 's/1' has an interval from 0.1 to 0.6, which",
    ERRORS.replace("s/2,0.3,Inf", "s/2,-inf,0.3"): "sequence 's/2' has two intervals that begin",
    ERRORS.replace("0.7,1,0,", "0.7,-1,0,"): "sequence 's/1' has fp = -1.0; give finite errors",
    ERRORS.replace("0,3,4,10", "0,3,4,9"): "sequence 's/1' has the fold '10 and 9'; give each",
    ERRORS.replace("0,3,4,10", "0,3,4,NA"): "sequence 's/1' has the fold '10 and NA'",
    ERRORS.rstrip()[:-6]: "line 7 has 5 cells, but the header has 7; the file may be cut off",
}


REFUSED = {"features": REFUSED_FEATURES, "errors": REFUSED_ERRORS, "folds": REFUSED_FOLDS}


@pytest.mark.parametrize(
    ("part", "text"), [(part, text) for part in REFUSED for text in REFUSED[part]]
)
def test_what_does_not_fit_is_refused_by_file_and_sequence(tmp_path, part, text):
    features, errors, *_ = write(tmp_path, **{part: text})
    with pytest.raises(DataError, match=re.escape(REFUSED[part][text])) as refusal:
        load_changepoint(features, errors, folds="fold.chrom" if part == "folds" else "fold")
    assert str(tmp_path / f"chip.{part}.csv") in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_files_that_are_missing_are_named(folder):
    features, errors = write(folder)
    with pytest.raises(DataError, match=r"there is no file .*gone\.csv"):
        load_changepoint(features, folder / "gone.csv")
    features.unlink()
    assert available() == ()
    with pytest.raises(UnknownNameError, match="chip"):
        load("chip")
    with pytest.raises(DataError, match=r"chip\.features\.csv is not beside it; put it there, or"):
        load(errors)


def test_a_hash_in_the_manifest_is_verified(folder):
    path = write(folder, folds=FOLDS)[2]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "MANIFEST.csv").write_text(f"name,file,sha256\nchip,{path.name},{digest}\n")
    assert load("chip", folds="fold.name").n == 3
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(DataError, match=rf"{path.name} has the sha256 .* MANIFEST\.csv says"):
        load("chip", folds="fold.name")


def test_features_are_dropped_by_name_or_number_even_those_that_cannot_be_read(folder):
    write(folder, features=FEATURES.replace("0.5", "red"))
    data = load("chip", drop=["b", 1])
    assert data.names == ("a",)
    assert data.dropped == ("endless", "blank")
    assert get_dataset("chip", drop="b").d == 1
    with pytest.raises(DataError, match=r"chip\.features\.csv: there is no column 'c' among 5"):
        load("chip", drop=["c"])
    with pytest.raises(DataError, match=r"no feature is left: 3 hold .* and 2 were dropped"):
        load("chip", drop=["a", "b"])


def test_possible_errors_are_read(folder):
    errors = "\n".join(
        [
            "sequenceID,min_log_lambda,fp,fn,possible_fn,possible_fp",
            "s,-inf,1,0,4,3",
            "s,0.5,0,1,4,3",
            "t,-inf,0,0,1,0",
        ]
    )
    data = load_changepoint(*write(folder, features="sequenceID,x\ns,1\nt,2\n", errors=errors))
    assert data.target.fp_possible.tolist() == [3, 0]
    assert data.target.fn_possible.tolist() == [4, 1]
    wrong = errors.replace("s,0.5,0,1,4,3", "s,0.5,0,1,4,2")
    with pytest.raises(DataError, match="sequence 's' has two numbers in possible_fp"):
        load_changepoint(*write(folder, features="sequenceID,x\ns,1\nt,2\n", errors=wrong))


def table(path):
    with lzma.open(path, "rt", newline="") as lines:
        return list(csv.DictReader(lines))


def test_a_real_set_is_what_its_files_say(data_folder, monkeypatch):
    monkeypatch.setenv("AUCBENCH_DATA", str(data_folder))
    name = "chipseq-H3K4me3_TDH_immune"
    features = table(data_folder / f"{name}.features.csv.xz")
    of: dict[str, list[dict[str, str]]] = {}
    for row in table(data_folder / f"{name}.errors.csv.xz"):
        of.setdefault(row["sequenceID"], []).append(row)
    data = load(name)
    columns = [key for key in features[0] if key != "sequenceID"]
    bad = [c for c in columns if any(row[c] == "NA" or "inf" in row[c].lower() for row in features)]

    assert (data.n, data.d, data.dropped) == (378, 28, tuple(bad))
    matrix = data.rows.dense().matrix[:, data.names.index("mean")]
    assert matrix.tolist() == [float(row["mean"]) for row in features]
    folds = [int(of[row["sequenceID"]][0]["fold"]) for row in features]
    assert (data.folds + 1).tolist() == folds
    ordered = [sorted(rows, key=lambda row: float(row["min_log_lambda"])) for rows in of.values()]
    fp, fn = (
        sum(int(rows[0][key]) - int(rows[-1][key]) for rows in ordered) for key in ("fp", "fn")
    )
    assert data.target.totals == (fp, -fn)
    assert data.target.possible == tuple(
        sum(int(rows[0][key]) for rows in ordered) for key in ("possible_fp", "possible_fn")
    )
