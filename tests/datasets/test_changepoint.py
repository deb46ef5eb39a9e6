"""Changepoint sets: features and errors, which are matched by sequence."""

import csv
import json
import lzma
import re
from functools import partial
from io import BytesIO

import numpy as np
import pytest
from refusals import assert_refused
from tables import written
from toys import Bench, cell

from aucbench import get_dataset, get_solver, solve
from aucbench.aum import Breakpoints
from aucbench.bench.worker.rows import data_hash
from aucbench.data.folds import splits
from aucbench.data.packed import CHANGES, OF_EXAMPLES, pack_known, unpack_known
from aucbench.datasets import available, load, load_changepoint
from aucbench.errors import DataError, UnknownNameError, UnsupportedError
from aucbench.metrics import auc_of

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
    texts = {"features": features, "errors": errors, "folds": folds}
    return [
        written(text, folder / f"chip.{part}.csv{packed}")
        for part, text in texts.items()
        if text is not None
    ]


def assert_same(found, expected):
    for name in CHANGES + OF_EXAMPLES:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
    assert found.n == expected.n


@pytest.mark.parametrize("packed", ["", ".xz", ".bz2", ".gz"])
def test_what_is_written_is_read(packed, folder):
    parts = write(folder, packed)
    for data in (load_changepoint(*parts), load("chip"), load(parts[0]), load(str(parts[1]))):
        assert data.names == ("a", "b")
        assert data.dropped == ("holes", "endless", "blank")
        np.testing.assert_array_equal(data.rows.matrix, [[1, 0.5], [2, 0.25], [3, 0.125]])
        assert data.folds.dtype == np.int32
        assert data.folds.tolist() == [0, 1, 1]  # 9 before 10
        columns = [[-0.3, -0.7, -0.1], [1, 1, 1], [-1, -3, 0], [0, 0, 1], [0, 0, 1]]
        columns += [[1, 2, 1], [1, 3, 1]]
        values, fp, fn, *ends = (np.array(column, float) for column in columns)
        examples = np.array([0, 1, 1], dtype=np.int32)
        assert_same(data.target, Breakpoints(examples, values, fp, fn, 3, *ends))
        with pytest.raises(UnsupportedError, match="needs labels"):
            data.labels  # noqa: B018


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
    parts = parts[0].rename(folder / "in.csv.xz"), parts[1].rename(folder / "out.csv.xz")
    written(FOLDS, folder / "in.folds.csv")
    assert load_changepoint(*parts, folds="fold.name").folds.tolist() == [0, 1, 0]
    write(folder, ".xz")
    assert get_dataset("chip[folds=none]").folds is None
    assert get_dataset("chip[folds=fold.chrom]").folds.tolist() == [0, 0, 1]
    for wanted in ("fold.x", "sequenceID", 3):
        ask = partial(get_dataset, "chip", folds=wanted)
        assert_refused(ask, DataError, "none, fold, fold.chrom, fold.name")
    (folder / "chip.folds.csv.xz").unlink()
    assert_refused(partial(load, "chip", folds="x"), DataError, "none, f")


# What stands in a file in place of something else; nothing means the end of the file.
REFUSED = [
    ("folds", "1,s/1", ",s/1", "'s/1' has the fold.chrom ''"),
    ("folds", "", "2,s/1,y\n", "'1 and 2'"),
    ("folds", "", "2,s/9,y\n", "no row in chip.features.csv, first 's/9'"),
    ("folds", "1,s/1,y\n", "", "1 sequence(s) of chip.features.csv"),
    ("folds", "sequenceID", "id", "fold.chrom, id"),
    ("features", "", "s/2,1,1,1,1,1\n", "more than one row in it, first 's/2'"),
    ("features", "0.5", "red", "'b'"),
    ("features", FEATURES, 'sequenceID,a,b\ns/1,NA,1\ns/2,1,inf\n"s,3",1,1\n', "2 hold missing"),
    ("features", FEATURES, 'sequenceID\ns/1\ns/2\n"s,3"\n', "0 hold missing"),
    ("features", FEATURES[-9:], "", "line 4 has 4 cells, but the header has 6"),
    ("features", "s/2,1", '"s/2"x,1', "line 2"),
    *(("features", FEATURES, text, "no row") for text in ("", "\n\n", "sequenceID,a\n")),
    ("errors", "", "s/8,-inf,inf,0,0,0,9\ns/7,-inf,inf,0,0,0,9\n", "first 's/8'"),
    ("errors", "s/2,0.3,Inf,0,1,4,9\ns/2,-Inf,0.3,1,0,4,9\n", "", "no row in it, first 's/2'"),
    ("errors", "min_log", "log", "min_log_lambda"),
    ("errors", "sequenceID", "id", "sequenceID"),
    ("errors", "0.7,1,0,", "0.7,one,0,", "fp is 'one' for sequenceID 's/1'"),
    ("errors", "0.7,1,0,", "0.7,1,NA,", "fn is 'NA' for sequenceID 's/1'"),
    ("errors", "s/1,-inf", "s/1,", "min_log_lambda is ''"),
    ("errors", "-Inf,0.3", "0,0.3", "'s/2' begins at min_log_lambda 0.0"),
    ("errors", "0.1,0.7", "0.1,0.6", "from 0.1 to 0.6"),
    ("errors", "s/2,0.3,Inf", "s/2,-inf,0.3", "two intervals"),
    ("errors", "0.7,1,0,", "0.7,-1,0,", "fp = -1.0"),
    ("errors", "0,3,4,10", "0,3,4,9", "'10 and 9'"),
    ("errors", "0,3,4,10", "0,3,4,NA", "'10 and NA'"),
    ("errors", ERRORS[-7:], "", "line 7 has 5 cells, but the header has 7"),
]


@pytest.mark.parametrize(("part", "old", "new", "word"), REFUSED)
def test_what_does_not_fit_is_refused_by_file_and_sequence(tmp_path, part, old, new, word):
    text = {"features": FEATURES, "errors": ERRORS, "folds": FOLDS}[part]
    assert old in text
    features, errors, *_ = write(tmp_path, **{part: text.replace(old, new) if old else text + new})
    folds = "fold.chrom" if part == "folds" else "fold"
    said = assert_refused(lambda: load_changepoint(features, errors, folds=folds), DataError, word)
    assert str(tmp_path / f"chip.{part}.csv") in said


def test_files_that_are_missing_are_named(folder):
    features, errors = write(folder)
    gone = folder / "gone.csv"
    assert_refused(lambda: load_changepoint(features, gone), DataError, str(gone))
    (folder / "MANIFEST.csv").write_text(f"name,file,sha256\nchip,{features.name},{'0' * 64}\n")
    assert_refused(partial(load, "chip"), DataError, "sha256")
    (folder / "MANIFEST.csv").unlink()
    features.unlink()
    assert available() == ()
    assert_refused(partial(load, "chip"), UnknownNameError, "chip")
    assert_refused(partial(load, errors), DataError, "chip.features.csv")


def test_features_are_dropped_by_name_or_number_even_those_that_cannot_be_read(folder):
    write(folder, features=FEATURES.replace("0.5", "red"))
    data = load("chip", drop=["b", 1])
    assert data.names == ("a",)
    assert data.dropped == ("endless", "blank")
    assert get_dataset("chip", drop="b").d == 1
    assert_refused(partial(load, "chip", drop=["c"]), DataError, "'c' among 5")
    assert_refused(partial(load, "chip", drop=["a", "b"]), DataError, "2 were dropped")


def test_possible_errors_are_read(folder):
    errors = "sequenceID,min_log_lambda,fp,fn,possible_fn,possible_fp\n"
    errors += "s,-inf,1,0,4,3\ns,0.5,0,1,4,3\nt,-inf,0,0,1,0"
    features = "sequenceID,x\ns,1\nt,2\n"
    target = load_changepoint(*write(folder, features=features, errors=errors)).target
    assert target.fp_possible.tolist() == [3, 0]
    assert target.fn_possible.tolist() == [4, 1]
    paths = write(folder, features=features, errors=errors.replace("0,1,4,3", "0,1,4,2"))
    assert_refused(lambda: load_changepoint(*paths), DataError, "possible_fp")


def read(path):
    with lzma.open(path, "rt", newline="") as lines:
        return list(csv.DictReader(lines))


def test_a_real_set_is_what_its_files_say(data_folder, monkeypatch):
    monkeypatch.setenv("AUCBENCH_DATA", str(data_folder))
    name = "chipseq-H3K4me3_TDH_immune"
    features, of = read(data_folder / f"{name}.features.csv.xz"), {}
    for row in read(data_folder / f"{name}.errors.csv.xz"):
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
    possible = ("possible_fp", "possible_fn")
    wanted = tuple(sum(int(rows[0][key]) for rows in ordered) for key in possible)
    assert data.target.possible == wanted


# Cells on error functions

N = 24


@pytest.fixture
def changepoints(tmp_path):
    """Path of the errors of 24 sequences in 3 folds of their own."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(N, 2))
    lines = ["sequenceID,min_log_lambda,max_log_lambda,fp,fn,fold"]
    for i, c in enumerate(X[:, 0] + 0.3 * rng.normal(size=N)):
        ends = (("-inf", c - 1, 1, 0), (c - 1, c + 1, 0, 0), (c + 1, "inf", 0, 1))
        lines += [f"s{i},{low},{high},{fp},{fn},{i % 3 + 1}" for low, high, fp, fn in ends]
    features = ["sequenceID,a,b", *(f"s{i},{a},{b}" for i, (a, b) in enumerate(X))]
    return write(tmp_path, features="\n".join(features), errors="\n".join(lines))[1]


def test_a_cell_gives_what_plain_calls_give(tmp_path, changepoints, in_process):
    data = load(changepoints)
    (tmp_path / "bench").mkdir()
    bench = Bench(tmp_path / "bench")
    done = bench.run(cell("aum", str(changepoints), splits=3, split=1, features="none"))
    train, test = splits(data, 3, 0)[1]
    run = solve(get_solver("aum"), data.take(train), passes=4)
    held = data.take(test)
    assert done.result["auc"] == auc_of(held.target, run.decision_function(held.rows))
    with np.load(BytesIO(done.scores)) as kept:
        np.testing.assert_array_equal(kept["rows"], np.flatnonzero(np.arange(N) % 3 == 1))
    skipped = bench.run(cell("sht-auc", str(changepoints), splits=3))
    assert skipped.result["status"] == "skipped"


def test_a_target_survives_the_way_to_another_process(changepoints):
    data = load(changepoints)
    known = unpack_known(data.rows, json.loads(json.dumps(pack_known(data))))
    assert_same(known.target, data.target)
    np.testing.assert_array_equal(known.folds, data.folds)
    assert not any(getattr(known.target, name).flags.writeable for name in CHANGES + OF_EXAMPLES)
    assert data_hash(data.take(np.arange(1, N, dtype=np.int32))) != data_hash(data)
