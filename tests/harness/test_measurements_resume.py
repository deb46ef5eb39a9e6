"""Measurements of a paper: interrupted runs go on, and a second run on one folder waits."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness.toy_paper import COUNT

pytestmark = pytest.mark.slow

HERE = str(Path(__file__).parent)
MAIN = """
from aucbench.papers import experiment as catalogue
catalogue._HOMES["toy"] = "toy_paper"
from aucbench.cli import main
main()
"""


class Toy:
    """Runs `aucbench reproduce toy` in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.signs = folder / "signs"
        self.signs.mkdir()
        self.env = {**os.environ, "PYTHONPATH": HERE, "TOY_FOLDER": str(self.signs)}

    def start(self, *arguments):
        command = [sys.executable, "-c", MAIN, "reproduce", "toy", "--jobs", "2", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, cwd=self.folder, env=self.env, **pipes)

    def finished(self):
        """The numbers of the measurements that the folder holds."""
        return len([*(self.folder / "reproduce-toy" / "measurements").glob("cells/*/*.json")])

    def begun(self):
        """How often each measurement was begun."""
        return {int(p.name): len(p.read_text().split()) for p in self.signs.iterdir()}

    def until(self, process, number):
        deadline = time.monotonic() + 60
        while self.finished() < number:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.005)


@pytest.fixture
def toy(tmp_path):
    return Toy(tmp_path)


def test_kill_9_loses_and_doubles_nothing(toy):
    process = toy.start()
    toy.until(process, 3)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = toy.finished()
    assert 3 <= before < COUNT

    again = toy.start()
    out, err = again.communicate(timeout=600)
    assert again.returncode == 0, err
    assert toy.finished() == COUNT
    assert "all are there — holds: counted" in out
    told = re.findall(rf"^(\d+)/{COUNT}: ", err, re.MULTILINE)
    assert told == [str(done) for done in range(before + 1, COUNT + 1)]
    # Those that were killed while they ran, two at most, have begun twice, and no other.
    assert sorted(toy.begun()) == [*range(COUNT)]
    assert COUNT <= sum(toy.begun().values()) <= COUNT + 2

    total = sum(toy.begun().values())
    third = toy.start("--quiet")
    out, err = third.communicate(timeout=600)
    assert (third.returncode, err) == (0, "")
    assert sum(toy.begun().values()) == total


@pytest.mark.nightly
def test_two_runs_at_once_do_nothing_twice(toy):
    both = [toy.start() for _ in range(2)]
    texts = [process.communicate(timeout=600) for process in both]
    assert [process.returncode for process in both] == [0, 0], texts
    assert toy.begun() == dict.fromkeys(range(COUNT), 1)
    assert all("all are there — holds: counted" in out for out, _ in texts)


@pytest.mark.nightly
def test_ctrl_c_ends_with_130_and_the_same_command_goes_on(toy):
    process = toy.start()
    toy.until(process, 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "interrupted: the same command goes on where it stopped" in err
    assert out == ""
    assert 2 <= toy.finished() < COUNT

    shown = toy.start("--no-run")
    out, _ = shown.communicate(timeout=600)
    assert "all are there — does not hold here" in out
    again = toy.start()
    out, err = again.communicate(timeout=600)
    assert (again.returncode, toy.finished()) == (0, COUNT), err
