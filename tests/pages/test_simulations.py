"""The frame of the simulations, and the tables that the pages take from it."""

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MARK = re.compile(r"^<!-- simulation ([a-z_]+) -->$", re.MULTILINE)


@pytest.fixture
def frame(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return import_module("verdict_simulations")


def test_each_table_of_the_pages_is_written_by_a_simulation(frame):
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    wanted, there = {*MARK.findall(text)}, {path.stem for path in frame.OUT.glob("*.md")}
    assert wanted
    assert wanted <= there


def test_the_frame_writes_the_tables_of_one_simulation(frame, tmp_path, capsys):
    frame.main(["--only", "families", "--effort", "0", "--out", str(tmp_path)])

    names = {f"families_{name}" for name in ("words", "ranks", "slopes")}
    assert {path.stem for path in tmp_path.iterdir()} == names
    for path in tmp_path.iterdir():
        head, rule, *lines = path.read_text(encoding="utf-8").splitlines()
        shape = {line.count("|") for line in (head, rule, *lines)}
        assert len(shape) == 1
        stored = (frame.OUT / path.name).read_text(encoding="utf-8").splitlines()
        assert (stored[0], len(stored)) == (head, len(lines) + 2)
    assert capsys.readouterr().out.startswith("families: ")
