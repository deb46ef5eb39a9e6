"""Closed streams: a sentence, and no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

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
    ],
)
def test_a_command_says_what_it_lacks(shell, code, sentence):
    found, told = ran(shell)
    assert found == code, told
    assert sentence in told
