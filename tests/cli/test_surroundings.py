"""Closed streams and tight limits: a sentence, and no traceback."""

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from aucbench.cli import surroundings

SCRIPT = Path(sys.executable).with_name("aucbench")


def ran(shell):
    """Run a line of a shell in which "$0" is the command; return its code and stderr."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", shell, SCRIPT], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("shell", "code", "sentence"),
    [
        ('"$0" list objectives >&-', 2, "error: stdout is closed; redirect it"),
        ('"$0" list objectives > /dev/full', 1, "written to stdout: No space left on device"),
        ('"$0" guide | true', 1, "error: not all of the answer was written to stdout: it was"),
        ('"$0" list objectives <&- 2>&-', 0, ""),
        ('ulimit -v 300000; "$0" list objectives', 2, "is limited to 292 MiB, and the libraries"),
    ],
)
def test_a_command_says_what_it_lacks(shell, code, sentence):
    found, told = ran(shell)
    assert found == code, told
    assert sentence in told


def test_few_processes_are_refused_but_for_root(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda of: (3, 3) if of == 6 else (-1, -1))
    assert resource.RLIMIT_NPROC == 6
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    assert "may have 3 processes and threads" in surroundings.refusal()
    monkeypatch.setattr(os, "getuid", lambda: 0)
    assert surroundings.refusal() is None


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.EAGAIN, "Resource temporarily unavailable"),
        RuntimeError("can't start new thread"),
        ImportError("x.so: failed to map segment from shared object"),
    ],
)
def test_a_lack_of_memory_or_threads_is_a_sentence_and_a_bug_is_not(error):
    assert "raise the limits that `ulimit -a` shows" in surroundings.shortage(error)
    assert surroundings.shortage(ValueError("no such thread")) is None
