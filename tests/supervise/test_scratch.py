"""Temporary folders: those of killed runs are removed by the next one, and no others."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from aucbench.processes import scratch
from aucbench.processes.scratch import Scratch

pytestmark = pytest.mark.starts("forkserver")
OWNER = """
import sys
from aucbench.processes.scratch import Scratch
made = Scratch()
print(made.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """The folder for temporary files, of this process and of those that it starts."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_a_folder_is_removed_at_the_end_whatever_rights_its_files_have(beside):
    outside = beside / "outside"
    outside.mkdir(mode=0o500)
    with Scratch() as made:
        inner = made.path / "a" / "b"
        inner.mkdir(parents=True)
        (inner / "file").touch()
        (made.path / "a" / "link").symlink_to(outside)
        for locked in (inner, inner.parent, made.path):
            locked.chmod(0)
        assert {*beside.iterdir()} == {made.path, outside}
    made.remove()  # again
    assert [*beside.iterdir()] == [outside]
    assert outside.stat().st_mode & 0o777 == 0o500


def test_folders_of_processes_that_live_stay_and_those_of_killed_ones_do_not(beside):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", OWNER], **pipes) as owner:
        path = Path(owner.stdout.readline().strip())
        with Scratch() as mine, Scratch() as other:
            assert {*beside.iterdir()} == {path, mine.path, other.path}
        owner.kill()
    assert [*beside.iterdir()] == [path]
    with Scratch() as made:
        assert [*beside.iterdir()] == [made.path]


@pytest.mark.parametrize("taken", [False, True])
def test_a_folder_is_not_removed_between_its_making_and_its_lock(beside, monkeypatch, taken):
    """Else its owner could lock a new file in a folder that is being removed.

    If another process has taken it for abandoned, its owner makes a further one.
    """
    make, looks = tempfile.mkdtemp, []

    def make_and_look(**options):
        looks.append(Path(make(**options)))
        if taken and len(looks) == 1:
            scratch.remove(looks[0])
        else:
            scratch.remove_abandoned(beside)
        return str(looks[-1])

    monkeypatch.setattr(tempfile, "mkdtemp", make_and_look)
    with Scratch() as made:
        assert [*beside.iterdir()] == [made.path]
    monkeypatch.undo()
    abandoned = Path(make(prefix=made.path.name, dir=beside))
    scratch.remove_abandoned(beside)
    assert abandoned.exists()
    os.utime(abandoned, (0, 0))
    scratch.remove_abandoned(beside)
    assert not abandoned.exists()
