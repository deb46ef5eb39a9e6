"""Targets, plans and what is known of data sets: a file that is not its own is refused by name."""

import os
import re
import shutil
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from aucbench.bench import Store
from aucbench.bench.options import ShowOptions
from aucbench.errors import DataError
from aucbench.report.findings import findings_of, means_of
from aucbench.report.folder import read_frame
from aucbench.store.folder import MARKER

SEAL = b"aucbench-seal"


@pytest.fixture
def folder(results_folder, tmp_path):
    return shutil.copytree(results_folder, tmp_path / "copy")


def target_of(folder, dataset):
    """The file of the targets of a data set."""
    data = next(r.sizes.data for r in Store(folder).records() if str(r.cell.dataset) == dataset)
    return folder / "targets" / f"{data}.npz"


def by_ap(frame):
    return findings_of(frame, ShowOptions(metrics=("ap",)), curves=False)


def ap(folder):
    """Means of the average precision, by data set and solver."""
    return means_of(read_frame(folder, stale=True), "ap").values


def packed(**arrays):
    file = BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def with_other_labels(content):
    with np.load(BytesIO(content)) as arrays:
        return packed(**{**arrays, "y": -arrays["y"]})


DAMAGES = {  # of the targets of digits-8; a second name is that of the set whose targets they are
    "those of a set with as many rows": "digits-3",
    "those of a set with other rows": "breast-cancer",
    "truncated": lambda content: content[:200],
    "other labels": with_other_labels,
    "without its seal": lambda content: content.partition(SEAL)[0],
    "missing": None,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_targets_that_are_not_those_of_the_data_set_are_refused_by_name(folder, damage):
    before = read_frame(folder, stale=True)
    known, how, lost = ap(folder), DAMAGES[damage], {"digits-8"}
    path = target_of(folder, "digits-8")
    if isinstance(how, str):
        lost.add(how)
        theirs = target_of(folder, how)
        kept = path.read_bytes()
        path.write_bytes(theirs.read_bytes())
        theirs.write_bytes(kept)
    elif how is None:
        path.unlink()
    else:
        path.write_bytes(how(path.read_bytes()))
    found = read_frame(folder, stale=True)
    named = "|".join(target_of(folder, name).name for name in lost)  # the first of two
    [missing] = by_ap(found).missing
    assert re.search(rf"the measure ap needs .*({named}) cannot be used", missing)
    assert ap(folder) == {
        key: value for key, value in known.items() if before.datasets[key[0]] not in lost
    }
    # The AUC stands in the records.
    assert np.array_equal(findings_of(found).values, findings_of(before).values)
    assert any(path.name in problem for problem in found.source.problems())


def read_all(folder):
    frame = read_frame(folder, stale=True)
    for number in range(len(frame.datasets)):
        frame.understood(number)
    if missing := by_ap(frame).missing:
        raise DataError(missing[0])


IN_PLACE = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
    "a link to itself": lambda path: path.symlink_to(path),
}
ROOMS = ["cells", "scores", "plans", "datasets", "targets"]


@pytest.mark.parametrize("kind", IN_PLACE)
@pytest.mark.parametrize("room", ["", *ROOMS])
def test_what_is_no_file_is_refused_by_name_and_never_waited_for(folder, room, kind):
    path = next(path for path in (folder / room).rglob("*.*") if path.suffix != ".lock")
    path = folder / MARKER if not room else path
    path.unlink()
    IN_PLACE[kind](path)
    with pytest.raises(DataError, match=path.name if room else "cannot open"):
        read_all(folder)


def test_the_next_run_writes_damaged_targets_again(folder):
    known, path = ap(folder), target_of(folder, "digits-8")
    with np.load(path) as arrays:
        raw = packed(**arrays)
    path.write_bytes(b"")
    Store(folder).keep_targets({path.stem: raw})
    assert ap(folder) == known
