"""Results folders, records, and scripts that run in processes of their own."""

import subprocess
import sys
from io import BytesIO

import numpy as np
import pytest

from aucbench.store import DocumentStore, index

HEAD = """
import os, sys
from pathlib import Path
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
def indexing(monkeypatch):
    """An index is written for any number of shards, also for those that were just written."""
    monkeypatch.setattr(index, "MANY", 1)
    monkeypatch.setattr(index, "SETTLED", -(10**18))


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
def child():
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
