"""Targets, plans and what is known of data sets: a file that is not its own is refused by name."""

import json
import os
import re
import shutil
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from aucbench.bench import Store
from aucbench.bench.options import ShowOptions
from aucbench.errors import AucbenchError, DataError
from aucbench.report.findings import findings_of, means_of
from aucbench.report.folder import read_frame
from aucbench.store.folder import MARKER


@pytest.fixture
def folder(doctored):
    return doctored(lambda record: record)


def target_of(folder, dataset):
    """The file of the targets of a data set."""
    data = next(r.sizes.data for r in Store(folder).records() if str(r.cell.dataset) == dataset)
    return folder / "targets" / f"{data}.npz"


def swap(one, other):
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)


def by_ap(frame):
    return findings_of(frame, ShowOptions(metrics=("ap",)), curves=False)


def ap(folder):
    """Means of the average precision, by data set and solver."""
    return means_of(read_frame(folder, stale=True), "ap").values


DAMAGES = {
    "swapped, as many rows": lambda a, b, c: swap(a, b),
    "swapped, other rows": lambda a, b, c: swap(a, c),
    "truncated": lambda a, b, c: a.write_bytes(a.read_bytes()[:200]),
    "without its last byte": lambda a, b, c: a.write_bytes(a.read_bytes()[:-1]),
    "empty": lambda a, b, c: a.write_bytes(b""),
    "no archive": lambda a, b, c: a.write_bytes(b"not an archive"),
    "other labels": lambda a, b, c: a.write_bytes(flipped_labels(a)),
    "without its seal": lambda a, b, c: a.write_bytes(
        a.read_bytes().partition(b"aucbench-seal")[0]
    ),
    "without labels": lambda a, b, c: a.write_bytes(packed(z=np.zeros(3))),
    "missing": lambda a, b, c: a.unlink(),
}


def packed(**arrays):
    file = BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def flipped_labels(path):
    with np.load(path) as arrays:
        return packed(**{**arrays, "y": -arrays["y"]})


@pytest.mark.parametrize("damage", DAMAGES)
def test_targets_that_are_not_those_of_the_data_set_are_refused_by_name(folder, damage):
    known = ap(folder)
    frame = read_frame(folder, stale=True)
    names = ("digits-8", "digits-3", "breast-cancer")
    files = [target_of(folder, name) for name in names]
    DAMAGES[damage](*files)
    either = "|".join(path.name for path in files)  # the first of those that were swapped
    [missing] = by_ap(read_frame(folder, stale=True)).missing
    assert re.search(rf"the measure ap needs .*({either}) cannot be used", missing)
    values = ap(folder)
    spared = {key: value for key, value in known.items() if key in values}
    assert values == spared
    lost = {frame.datasets[dataset] for dataset, _ in known.keys() - values.keys()}
    two = names[1:2] if "as many" in damage else names[2:] if "swapped" in damage else ()
    assert lost == {"digits-8", *two}
    # The AUC stands in the records.
    found = read_frame(folder, stale=True)
    assert np.array_equal(findings_of(found).values, findings_of(frame).values)
    assert any(files[0].name in problem for problem in found.source.problems())


IN_PLACE = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
    "a link to itself": lambda path: path.symlink_to(path),
}


@pytest.mark.parametrize("kind", IN_PLACE)
@pytest.mark.parametrize("room", ["", "cells", "scores", "plans", "datasets", "targets"])
def test_what_is_no_file_is_refused_by_name_and_never_waited_for(folder, room, kind):
    path = next(path for path in (folder / room).rglob("*.*") if path.suffix != ".lock")
    path = folder / MARKER if not room else path
    path.unlink()
    IN_PLACE[kind](path)
    with pytest.raises(DataError, match=path.name if room else "cannot open"):
        read_all(folder)


@pytest.mark.parametrize("room", ["cells", "plans", "scores", "targets", "datasets"])
def test_a_file_in_place_of_a_folder_is_not_an_empty_one(folder, room):
    shutil.rmtree(folder / room)
    (folder / room).touch()
    with pytest.raises(DataError, match=f"cannot read .*{room}"):
        read_all(folder)


def read_all(folder):
    frame = read_frame(folder, stale=True)
    for number in range(len(frame.datasets)):
        frame.understood(number)
    if missing := by_ap(frame).missing:
        raise DataError(missing[0])


def test_the_next_run_writes_damaged_targets_again(folder):
    path = target_of(folder, "digits-8")
    whole = path.read_bytes()
    with np.load(path) as arrays:
        raw = packed(**arrays)
    path.write_bytes(b"")
    Store(folder).keep_targets({path.stem: raw})
    with np.load(path) as again, np.load(BytesIO(whole)) as before:
        assert np.array_equal(again["y"], before["y"])
    assert ap(folder)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace(b"splits = 3", b"splits = 4"),
        lambda text: text[:-20],
        lambda text: text[1:],
        lambda text: b"",
        lambda text: b"\xff\xfe\x00",
        lambda text: text.replace(b"]", b"", 1),
    ],
)
def test_a_damaged_plan_is_one_sentence_with_its_name(folder, spoil):
    (path,) = (folder / "plans").iterdir()
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(AucbenchError, match=path.name):
        read_frame(folder)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace(b'"n": 1797', b'"n": 1798').replace(b'"n": 569', b'"n": 568'),
        lambda text: text[:-1],
        lambda text: text[: len(text) // 2],
        lambda text: b"",
        lambda text: b"[]",
        lambda text: b"7",
        lambda text: b"{}",
        lambda text: b'{"understood": []}',
        lambda text: b'{"understood": {"label": 1}}',
        lambda text: older_about(positive="abc"),
        lambda text: older_about(dropped=[]),
        lambda text: older_about(kinds={"numeric": "many"}),
        lambda text: b"[" * 100_000,
    ],
)
def test_what_is_known_of_a_data_set_is_refused_by_name_if_it_is_damaged(folder, spoil):
    path = next((folder / "datasets").iterdir())
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(DataError, match=rf"{path.name} is damaged .*; delete it") as told:
        Store(folder).about(path.stem)
    assert str(told.value).count("is damaged") == 1


def older_about(**wrong):
    known = {"label": "", "positive": [], "negative": [], "kinds": {}, "dropped": {}}
    return json.dumps({"understood": {**known, "warnings": [], **wrong}}).encode()


def test_a_copied_folder_keeps_its_seals(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    assert ap(tmp_path / "copy") == ap(folder)
