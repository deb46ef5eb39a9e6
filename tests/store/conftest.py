"""Results folders, records, and scripts that run in processes of their own."""

import json
import subprocess
import sys
from io import BytesIO

import numpy as np
import pytest

from aucbench.store import DocumentStore

HEAD = """
import json, os, sys
from pathlib import Path
from aucbench.errors import DataError
from aucbench.store import DocumentStore
folder = Path(sys.argv[1])
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "results"


@pytest.fixture
def store(folder):
    with DocumentStore(folder, create=True) as opened:
        opened.home.prepare()
        yield opened


@pytest.fixture
def record():
    def made(cell, **more):
        return {"id": cell, "status": "ok", "auc": 0.75, "parameters": {"k": 5}, **more}

    return made


@pytest.fixture
def npz():
    def packed(**arrays):
        file = BytesIO()
        np.savez_compressed(file, **arrays)
        return file.getvalue()

    return packed


@pytest.fixture
def child(tmp_path):
    """Start Python on a script, whose first argument is a folder, until the end of the test."""
    started = []

    def start(script, *arguments):
        command = [sys.executable, "-c", HEAD + script, *map(str, arguments)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, **pipes))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def mounted():
    """Run a script where a shell command has mounted something, in a namespace of its own."""

    def run(mount, script, *arguments):
        inside = ["unshare", "--map-root-user", "--mount", "sh", "-ec"]
        probe = subprocess.run([*inside, mount], capture_output=True, text=True, check=False)
        if probe.returncode:
            pytest.skip(f"mounting is not allowed here: {probe.stderr.strip()}")
        command = [*inside, f'{mount}; exec "$0" "$@"', sys.executable, "-c", HEAD + script]
        ended = subprocess.run(
            [*command, *map(str, arguments)], capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return run
