"""Folders that are made as a whole, in place of nothing, or of one with a mark."""

import os
from contextlib import ExitStack

import pytest

from aucbench.errors import ParameterError
from aucbench.store.trees import whole_tree


def made(place, mark=None, text="new"):
    before = [*place.iterdir()] if place.exists() else None
    with whole_tree(place, mark) as folder:
        (folder / "mark").write_text(text)
        assert ([*place.iterdir()] if place.exists() else None) == before


@pytest.mark.parametrize("there", [None, "empty"])
def test_a_folder_without_a_mark_is_new_or_empty(tmp_path, there):
    place = tmp_path / "out"
    if there:
        place.mkdir()
    made(place)
    assert (place / "mark").read_text() == "new"
    assert [*tmp_path.iterdir()] == [place]
    with pytest.raises(ParameterError, match="is there already; name a folder that is new"):
        made(place, text="other")
    assert (place / "mark").read_text() == "new"


def test_what_came_meanwhile_is_not_replaced_without_a_mark(tmp_path):
    place = tmp_path / "out"
    meanwhile = ExitStack()
    meanwhile.enter_context(whole_tree(place))
    place.mkdir()
    (place / "other").touch()
    with pytest.raises(ParameterError, match="is there already"):
        meanwhile.close()
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "other"]


def test_a_mark_is_asked_of_what_is_replaced(tmp_path):
    place = tmp_path / "out"
    made(place, "mark", "old")
    made(place, "mark")
    assert (place / "mark").read_text() == "new"
    (place / "mark").rename(place / "else")
    with pytest.raises(ParameterError, match="it has no mark"):
        made(place, "mark")


@pytest.mark.parametrize("mark", [None, "mark"])
def test_what_another_process_still_fills_stays_and_what_it_left_goes(tmp_path, mark):
    left = tmp_path / f".out.{'0' * 32}.new"
    inside = left / "cells" / "ab"
    inside.mkdir(parents=True)
    for folder in (left, left / "cells"):
        os.utime(folder, (0, 0))
    made(tmp_path / "out", mark)
    assert inside.is_dir()  # it was written just now
    os.utime(inside, (0, 0))
    (tmp_path / "out" / "mark").unlink()
    made(tmp_path / "out", mark)
    assert not left.exists()
