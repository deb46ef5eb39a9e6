"""Cells for the engines, a look at the processes that run them, and a fake supervisor."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import psutil
import pytest

from aucbench.bench.engines import local
from aucbench.errors import AucbenchError
from aucbench.processes import Ending, Job, Limits, Outcome

PATIENCE = 20.0  # seconds


class Cells:
    """Jobs that share a folder, by which the test and they talk."""

    def __init__(self, folder: Path):
        self.folder = folder

    def job(self, call: str, n: int = 0, **request: object) -> Job:
        wanted = {"n": n, "folder": str(self.folder), **request}
        return Job(f"engine_jobs:{call}", wanted, Limits(timeout=PATIENCE))

    def open(self) -> None:
        """Let the cells end that wait."""
        (self.folder / "open").touch()

    def started(self) -> list[int]:
        """Number of each cell that began to wait, again if it was repeated."""
        return sorted(n for n, _ in self._signs())

    def alive(self) -> list[int]:
        return [pid for _, pid in self._signs() if psutil.pid_exists(pid)]

    def _signs(self) -> list[tuple[int, int]]:
        names = [path.name.split(".") for path in self.folder.glob("*.*")]
        return [(int(n), int(pid)) for n, pid in names]

    def end_caller(self, sign: signal.Signals, number: int, **options: object) -> int:
        """Exit code of a process that runs an engine, and is ended when cells have begun."""
        command = [sys.executable, "-m", "engine_caller", json.dumps(options), str(self.folder)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as caller:
            try:
                self.until(lambda: len(self.started()) == number)
                caller.send_signal(sign)
                return caller.wait(PATIENCE)
            finally:
                caller.kill()

    @staticmethod
    def until(condition: Callable[[], object]) -> None:
        """Wait for the condition, not for luck; who waits in vain fails."""
        deadline = monotonic() + PATIENCE
        while not condition():
            assert monotonic() < deadline, "waited in vain"
            sleep(0.01)


@pytest.fixture
def cells(tmp_path):
    folder = tmp_path / "cells"
    folder.mkdir()
    return Cells(folder)


@pytest.fixture(scope="package", autouse=True)
def importable():
    """Let the processes of an engine import `engine_jobs`."""
    with pytest.MonkeyPatch.context() as patch:
        here = str(Path(__file__).parent)
        patch.syspath_prepend(here)
        patch.setenv("PYTHONPATH", here, prepend=os.pathsep)
        yield


class FakeSupervisor:
    """Honours the contract but starts nothing; jobs end when the test says so."""

    def __init__(self):
        self.jobs = []
        self.running = set()
        self.most = 0
        self.killed = []
        self.forgotten = []
        self.closed = False
        self._over = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def submit(self, job):
        assert not self.closed
        self.jobs.append(job)
        self.running.add(len(self.jobs) - 1)
        self.most = max(self.most, len(self.running))
        return len(self.jobs) - 1

    def end(self, ticket):
        """Let this job end; its result is its own request."""
        self.running.remove(ticket)
        self._over.append((ticket, Outcome(Ending.OK, result=dict(self.jobs[ticket].request))))

    def wait(self, timeout=None):
        if self.closed:
            raise AucbenchError("the supervisor is closed; make a new one")
        if timeout and not self._over:
            sleep(0.01)
        if timeout is None and not self._over:
            self.end(max(self.running))  # the youngest ends first
        over, self._over = self._over, []
        return over

    def kill(self, ticket):
        self.killed.append(ticket)
        self.running.discard(ticket)

    def forget(self, step):
        self.forgotten.append(step)

    def close(self):
        self.closed = True


@pytest.fixture
def supervisors(monkeypatch):
    """Every supervisor that is made from now on is a fake; this lists them."""
    made = []

    def make(*, threads, preload, hidden):
        made.append(FakeSupervisor())
        return made[-1]

    monkeypatch.setattr(local, "open_supervisor", make)
    return made
