"""Temporary folders: those of killed runs are removed by the next one, and no others."""

import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import sleep

import psutil
import pytest
from nights import first
from supervise.asking import until

from aucbench.processes import scratch
from aucbench.processes.scratch import Scratch

pytestmark = pytest.mark.starts("forkserver")
OWNER = """
import sys
from aucbench.processes.scratch import Scratch
made = Scratch()
(made.path / "file").touch()
print(made.path, flush=True)
sys.stdin.read()
"""
COMMAND = [sys.executable, "-c", "from aucbench.cli import main; main()"]
RUN = ["compare", "--data", "breast-cancer", "--solvers", "sht-auc", "--passes", "2"]


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """The folder for temporary files, of this process and of those that it starts."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def owner():
    """A process that has a folder until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    process.stdout.readline()
    return process


def test_a_folder_is_removed_at_the_end(beside):
    with Scratch() as made:
        (made.path / "a").mkdir()
        (made.path / "a").chmod(0)
        assert [*beside.iterdir()] == [made.path]
    made.remove()  # again
    assert [*beside.iterdir()] == []


def test_folders_of_processes_that_live_stay(beside):
    with owner() as living, Scratch() as mine, Scratch() as other:
        assert len([*beside.glob("*/file")]) == 1
        assert len([*beside.iterdir()]) == 3
        assert mine.path.exists()
        assert other.path.exists()
        living.kill()


def test_folders_of_processes_that_were_killed_are_removed(beside):
    with owner() as killed:
        killed.kill()
    assert len([*beside.glob("*/file")]) == 1
    with Scratch() as made:
        assert [*beside.iterdir()] == [made.path]


def test_what_has_another_name_or_owner_or_is_no_folder_stays(beside, monkeypatch):
    ours = Scratch()
    theirs = ours.path.with_name(f"{ours.path.name}a")
    theirs.mkdir()  # of an owner that was killed
    strangers = ["aucbench-abcdefgh", "aucbench-run-abcdefgh-abcdefgh"]  # an old one, another boot
    for name in strangers:
        (beside / name).mkdir()
    target = beside / "target"
    target.mkdir()
    ours.path.with_name(f"{ours.path.name}b").symlink_to(target)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    scratch.remove_abandoned(beside)
    assert theirs.exists()
    monkeypatch.undo()
    scratch.remove_abandoned(beside)
    assert not theirs.exists()
    assert ours.path.exists()
    assert target.exists()
    assert all((beside / name).exists() for name in strangers)
    ours.remove()


def test_a_folder_that_was_taken_for_abandoned_is_made_again(beside, monkeypatch):
    """Another process looks between the making of the folder and its lock."""
    make, looks = tempfile.mkdtemp, []

    def make_and_look(**options):
        made = make(**options)
        if not looks:
            looks.append(made)
            scratch.remove(Path(made))
        return made

    monkeypatch.setattr(tempfile, "mkdtemp", make_and_look)
    with Scratch() as made:
        assert looks
        assert [*beside.iterdir()] == [made.path]


def processes(beside):
    """Those that were started with this folder for temporary files, and run."""
    found = psutil.process_iter(["environ", "status"])
    told = [p.info for p in found if p.info["status"] != psutil.STATUS_ZOMBIE]
    return [info for info in told if (info["environ"] or {}).get("TMPDIR") == str(beside)]


@pytest.mark.parametrize(
    "signals", first([(signal.SIGTERM, signal.SIGKILL), (signal.SIGHUP, signal.SIGKILL)])
)
def test_runs_that_are_ended_at_any_moment_leave_nothing(beside, signals):
    rng = random.Random(0)
    for end in signals:
        process = subprocess.Popen(  # 500 cells: no machine ends them before the signal
            [*COMMAND, *RUN, "--repeats", "100"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        until(lambda: any(beside.iterdir()), 60.0)
        sleep(rng.uniform(0.0, 1.5))
        process.send_signal(end)
        if end != signal.SIGKILL:
            process.send_signal(end)  # a terminal that is closed does that
        said = process.communicate(timeout=60)[1]
        until(lambda: not processes(beside))
        assert process.returncode == (-end if end == signal.SIGKILL else 130), said
        assert end == signal.SIGKILL or not any(beside.iterdir())
        assert "Traceback" not in said
    ended = subprocess.run([*COMMAND, *RUN], capture_output=True, text=True, timeout=60)

    assert ended.returncode == 0, ended.stderr
    assert [*beside.iterdir()] == []
    assert processes(beside) == []
