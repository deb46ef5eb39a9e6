import pytest
from command_line import call, done

HEAD = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import L2Ball
from aucbench.contract import Needs, Problem, State
"""
BALL = HEAD + "\n@dataclass(frozen=True)\nclass Ball(L2Ball):\n    R: float = 2.0\n"
SUM = """
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

    def write(name, source):
        (tmp_path / name).write_text(source, encoding="utf-8")

    return write


def verdicts(result):
    """{law: verdict} of the one table."""
    rows = [line.split("  ") for line in result.stdout.splitlines()[2:-1]]
    return {row[0]: next(part.strip() for part in row[1:] if part.strip()) for row in rows}


def test_a_built_in_obeys_all_laws():
    result = done("check", "l2-ball[R=0.5]")
    assert {*verdicts(result).values()} == {"holds"}
    assert result.stdout.splitlines()[-1] == "9 hold"


def test_a_file_is_checked_in_another_process(file):
    file("my_ball.py", BALL)
    done("check", "my_ball.py")
    assert "nearest" in verdicts(call("check", "my_ball.py:Ball"))
    assert "nearest" in verdicts(call("check", "my_ball:Ball"))


def test_a_broken_law_is_named_and_the_command_fails(file):
    file("doubled.py", HEAD + SUM)
    result = done("check", "doubled.py:Doubled", code=1)
    assert [law for law, v in verdicts(result).items() if v == "BROKEN"] == ["gradient"]
    assert "the slope of value is" in result.stdout


def test_a_plugin_that_kills_its_process_costs_the_law_only(file):
    file("deadly.py", HEAD + DEADLY)
    result = call("check", "deadly.py:Deadly")

    found = verdicts(result)
    assert result.exit_code == 1
    assert found["declared"] == "BROKEN"
    assert found["in-place"] == "holds"
    assert "SIGSEGV" in result.stdout
    assert "all further laws" in result.stdout


def test_a_plugin_that_never_ends_is_killed(file):
    file("endless.py", BALL + "    def contains(self, w):\n        while True: pass\n")
    result = done("check", "endless.py:Ball", "--timeout", "1", code=1)
    assert "did not end within 1 s" in result.stdout


def test_a_plugin_of_another_distribution_is_checked(toys):
    result = done("check", "toys:means")
    assert "solvers" in result.stdout
    assert call("check", "toys:raises").exit_code == 1


def test_some_laws_are_asked():
    result = done("check", "l2-ball", "--law", "nearest", "--law", "pickles")
    assert verdicts(result) == {"nearest": "holds", "pickles": "holds"}


LATER = """
@dataclass(frozen=True)
class Later(L2Ball):
    def __call__(self, v, step=1.0):
        u = super().__call__(v, step)
        u[64:] = 0.0
        return u
"""


def test_a_lie_beyond_the_sample_is_found_by_a_thorough_check(file):
    file("later.py", HEAD + LATER)
    asked = ("check", "later.py:Later", "--law", "nearest")

    done(*asked)
    result = done(*asked, "--thorough", code=1)
    titles = [line for line in result.stdout.splitlines() if line.startswith("Later")]
    assert titles[0] == "Later"
    assert titles[1:] == [f"Later on {extent}" for extent in ("2000 x 50", "300 x 3000")]
    assert result.stdout.count("BROKEN") == 1


def test_a_finding_is_there_while_others_are_asked(file, tmp_path):
    from aucbench.bench.lawful import check_targets

    file("endless.py", BALL + "    def contains(self, w):\n        while True: pass\n")
    found = check_targets(
        ["endless.py:Ball"], ("in-place", "scales"), thorough=False, timeout=600.0
    )
    assert next(found).law == "in-place"
    found.close()
