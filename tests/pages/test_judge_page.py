"""The page on results of others: its table is that of the paper, and its blocks print this."""

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from command_line import done

from aucbench.papers.experiments import paper
from aucbench.papers.parts import Protocol, Scale

PAGE = Path(__file__).resolve().parents[2] / "docs" / "judge.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def flat(text):
    """A text whose lines may break anywhere."""
    return " ".join(text.split())


@pytest.fixture
def blocks(tmp_path, monkeypatch):
    """Its blocks, in a folder that has its table."""
    found = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    [table] = [text for language, text in found if language == "csv"]
    (tmp_path / "published.csv").write_text(table, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return found


@pytest.mark.usefixtures("blocks")
def test_the_table_is_that_of_the_paper():
    header, *lines = Path("published.csv").read_text(encoding="utf-8").splitlines()
    names = [name.replace("OAM-", "OAM") for name in header.split(",")[1:]]
    published = {}
    table = paper("spdam").experiment("table 3", Scale.FULL, Protocol.CLEAN)
    for entry in table.entries:
        published.setdefault(entry.row, {})[entry.column] = entry.published.mean
    for line in lines:
        name, *cells = line.split(",")
        known = {n: float(cell) for n, cell in zip(names, cells, strict=True) if cell != "–"}
        assert known == published.pop(name)
    assert not published


def test_the_command_prints_what_is_shown(blocks):
    [command, shown] = next(t for _, t in blocks if "published.csv" in t and "$" in t).split(
        "\n", 1
    )
    assert flat(done(*shlex.split(command)[2:]).stdout) == flat(shown)


def test_the_code_prints_what_is_shown(blocks, capsys):
    names, count = {}, 0
    for (language, code), (_, shown) in pairwise(blocks):
        if language == "python":
            exec(code, names)
            assert flat(capsys.readouterr().out) == flat(shown)
            count += 1
    assert count == 2
