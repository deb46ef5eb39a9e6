"""Measurements of a paper: an interrupted run goes on, and does nothing twice."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from harness.shell import Shell
from harness.toy_paper import COUNT

pytestmark = pytest.mark.nightly

MAIN = """
from aucbench.papers import experiment as catalogue
catalogue._HOMES["toy"] = "toy_paper"
from aucbench.cli import main
main()
"""


class Toy(Shell):
    """Runs `aucbench reproduce toy` in a folder."""

    def __init__(self, home):
        super().__init__(home)
        self.signs = home / "signs"
        self.signs.mkdir()
        self.env |= {"PYTHONPATH": str(Path(__file__).parent), "TOY_FOLDER": str(self.signs)}

    def start(self, *arguments):
        command = [sys.executable, "-c", MAIN, "reproduce", "toy", "--jobs", "2", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, cwd=self.folder, env=self.env, **pipes)

    def done(self):
        """The number of measurements that the folder holds."""
        return self.finished("reproduce-toy/measurements")

    def begun(self):
        """How often each measurement was begun."""
        return {int(p.name): len(p.read_text().split()) for p in self.signs.iterdir()}


@pytest.mark.parametrize(
    ("sign", "code"),
    [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)],
)
def test_an_interrupted_run_loses_and_doubles_nothing(tmp_path, sign, code):
    toy = Toy(tmp_path)
    process = toy.start()
    toy.until(process, lambda: toy.done() >= 3)
    process.send_signal(sign)
    out, err = process.communicate()
    assert (process.returncode, out) == (code, "")
    assert sign == signal.SIGKILL or "the same command goes on where it stopped" in err
    assert 3 <= (before := toy.done()) < COUNT

    again = toy.run()
    assert again.returncode == 0, again.stderr
    assert "all are there — holds: counted" in again.stdout
    told = re.findall(rf"^(\d+)/{COUNT}: ", again.stderr, re.MULTILINE)
    assert told == [str(done) for done in range(before + 1, COUNT + 1)]
    # Those that ran when it ended, two at most, have begun twice, and no other.
    begun = toy.begun()
    assert sorted(begun) == [*range(COUNT)]
    assert COUNT <= sum(begun.values()) <= COUNT + 2
    assert (toy.run("--quiet").returncode, toy.begun()) == (0, begun)
    toy.require_nothing_left()
