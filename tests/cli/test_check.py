"""`aucbench check`: the laws of a plugin, asked in another process."""

import pytest
from command_line import done

HEAD = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import L2Ball
from aucbench.contract import Needs, Problem, State
"""
BALL = HEAD + "\n@dataclass(frozen=True)\nclass Ball(L2Ball):\n    R: float = 2.0\n"
ENDLESS = BALL + "    def contains(self, w):\n        while True: pass\n"
DOUBLED = """
class Doubled(PairwiseSquare):
    def value(self, w):
        return 2 * super().value(w)
"""
DEADLY = """
@dataclass(frozen=True)
class Deadly(L2Ball):
    def value(self, w):
        import ctypes
        ctypes.string_at(0)
    def contains(self, w):
        return True
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda name, source: (tmp_path / name).write_text(source, encoding="utf-8")


def broken(result):
    """The names of the laws that are broken, as they are printed."""
    told = (line.split(":")[0] for line in result.stdout.splitlines() if line[:8] == "  BROKEN")
    return [law.strip() for laws in told for law in laws.removeprefix("  BROKEN").split(",")]


def test_a_built_in_and_a_file_obey_the_laws(file):
    file("my_ball.py", BALL)
    assert done("check", "my_ball:Ball").stdout == "Ball (projectors): 9 hold, 1 not asked\n"
    result = done("check", "l2-ball", "--law", "nearest", "--law", "pickles")
    assert result.stdout == "l2-ball (projectors): 2 hold\n"


def test_a_broken_law_is_named_and_the_command_fails(file):
    file("doubled.py", HEAD + DOUBLED)
    result = done("check", "doubled.py:Doubled", code=1)
    title, line, *_ = result.stdout.splitlines()
    assert title.startswith("Doubled (objectives): 2 broken, ")
    assert line.startswith("  BROKEN   gradient: the slope of value is")
    assert broken(result) == ["gradient", "rounding"]


def test_a_plugin_that_kills_its_process_or_never_ends_costs_the_law_only(file):
    file("deadly.py", HEAD + DEADLY)
    result = done("check", "deadly.py:Deadly", code=1)
    assert "declared" in broken(result)
    assert "in-place" not in broken(result)
    assert "SIGSEGV" in result.stdout
    assert "all further laws" in result.stdout

    file("endless.py", ENDLESS)
    result = done("check", "endless.py:Ball", "--law", "contains", "--timeout", "1", code=1)
    assert "did not end within 1 s" in result.stdout
