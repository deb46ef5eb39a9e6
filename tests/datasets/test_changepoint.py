"""Changepoint sets: features and errors, which are matched by sequence."""

import json
from functools import partial

import numpy as np
import pytest
from refusals import assert_refused
from tables import written

from aucbench import get_dataset
from aucbench.aum import Breakpoints
from aucbench.data.packed import CHANGES, OF_EXAMPLES, pack_known, unpack_known
from aucbench.datasets import available, load, load_changepoint
from aucbench.errors import DataError, UnknownNameError, UnsupportedError

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
    ("folds", "", "2,s/9,y\n", "no row in chip.features.csv, first 's/9'"),
    ("features", "", "s/2,1,1,1,1,1\n", "more than one row in it, first 's/2'"),
    ("features", FEATURES, 'sequenceID,a,b\ns/1,NA,1\ns/2,1,inf\n"s,3",1,1\n', "2 hold missing"),
    ("features", FEATURES[-9:], "", "line 4 has 4 cells, but the header has 6"),
    *(("features", FEATURES, text, "no row") for text in ("", "\n\n", "sequenceID,a\n")),
    ("errors", "", "s/8,-inf,inf,0,0,0,9\ns/7,-inf,inf,0,0,0,9\n", "first 's/8'"),
    ("errors", "min_log", "log", "min_log_lambda"),
    ("errors", "0.7,1,0,", "0.7,one,0,", "fp is 'one' for sequenceID 's/1'"),
    ("errors", "-Inf,0.3", "0,0.3", "'s/2' begins at min_log_lambda 0.0"),
    ("errors", "0.1,0.7", "0.1,0.6", "from 0.1 to 0.6"),
    ("errors", "s/2,0.3,Inf", "s/2,-inf,0.3", "two intervals"),
    ("errors", "0.7,1,0,", "0.7,-1,0,", "fp = -1.0"),
    ("errors", "0,3,4,10", "0,3,4,9", "'10 and 9'"),
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


def test_a_target_survives_the_way_to_another_process(tmp_path):
    data = load_changepoint(*write(tmp_path))
    known = unpack_known(data.rows, json.loads(json.dumps(pack_known(data))))
    assert_same(known.target, data.target)
    np.testing.assert_array_equal(known.folds, data.folds)
    assert not any(getattr(known.target, name).flags.writeable for name in CHANGES + OF_EXAMPLES)
