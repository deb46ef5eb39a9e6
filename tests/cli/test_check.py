import pytest

HEAD = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import L2Ball
from aucbench.protocols import Needs, Problem, State
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


def test_a_built_in_obeys_all_laws(cli):
    result = cli("check", "l2-ball[R=0.5]")

    assert result.exit_code == 0, result.output
    assert {*verdicts(result).values()} == {"holds"}
    assert result.stdout.splitlines()[-1] == "9 hold"


def test_a_file_is_checked_in_another_process(cli, file):
    file("my_ball.py", BALL)
    assert cli("check", "my_ball.py").exit_code == 0
    assert "nearest" in verdicts(cli("check", "my_ball.py:Ball"))
    assert "nearest" in verdicts(cli("check", "my_ball:Ball"))


def test_a_broken_law_is_named_and_the_command_fails(cli, file):
    file("doubled.py", HEAD + SUM)
    result = cli("check", "doubled.py:Doubled")

    assert result.exit_code == 1
    assert [law for law, v in verdicts(result).items() if v == "BROKEN"] == ["gradient"]
    assert "the slope of value is" in result.stdout


def test_a_plugin_that_kills_its_process_costs_the_law_only(cli, file):
    file("deadly.py", HEAD + DEADLY)
    result = cli("check", "deadly.py:Deadly")

    found = verdicts(result)
    assert result.exit_code == 1
    assert found["declared"] == "BROKEN"
    assert found["in-place"] == "holds"
    assert "SIGSEGV" in result.stdout
    assert "all further laws" in result.stdout


def test_a_plugin_that_never_ends_is_killed(cli, file):
    file("endless.py", BALL + "    def contains(self, w):\n        while True: pass\n")
    result = cli("check", "endless.py:Ball", "--timeout", "1")

    assert result.exit_code == 1
    assert "did not end within 1 s" in result.stdout


def test_an_import_that_fails_is_a_broken_law(cli, file):
    file("absent.py", "import no_such_module")
    result = cli("check", "absent.py")

    assert result.exit_code == 1
    assert "No module named 'no_such_module'" in result.stdout


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("sht-ac", "did you mean 'sht-auc'"),
        ("aucbench.testing:Nothing", "unknown name in aucbench.testing 'Nothing'"),
    ],
)
def test_what_names_nothing_is_refused(cli, target, told):
    result = cli("check", target)

    assert result.exit_code == 2
    assert told in result.stderr


def test_a_plugin_of_another_distribution_is_checked(cli, toys):
    result = cli("check", "toys:means")

    assert result.exit_code == 0, result.output
    assert "solvers" in result.stdout
    assert cli("check", "toys:raises").exit_code == 1
