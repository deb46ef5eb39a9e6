"""Cells for the engines, and a look at the processes that run them."""

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

from aucbench.bench.engines import Engine, local
from aucbench.processes import Ending, Job, Limits

PATIENCE = 60.0  # seconds


class Cells:
    """Jobs that share a folder, by which the test and they talk."""

    def __init__(self, folder: Path):
        self.folder = folder

    def job(self, call: str, n: int = 0, **request: object) -> Job:
        wanted = {"n": n, "folder": str(self.folder), **request}
        return Job(f"engine_jobs:{call}", wanted, Limits(timeout=PATIENCE))

    def jobs(self, waiting: int) -> list[tuple[str, Job]]:
        """A cell that ends at once, and some that wait."""
        waits = [(str(n), self.job("wait", n)) for n in range(waiting)]
        return [("quick", self.job("echo", 9)), *waits]

    def require_each_once(self, engine: Engine) -> None:
        """Each cell runs once, and comes back once under its id."""
        jobs = ((f"cell{n}", self.job("echo", n)) for n in range(7))
        ended = [(name, outcome.ending, outcome.result) for name, outcome in engine.run(jobs)]
        assert sorted(ended) == [(f"cell{n}", Ending.OK, {"n": n}) for n in range(7)]
        assert self.started() == [*range(7)]

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

    def require_nothing_left(self, sign: signal.Signals, **options: object) -> None:
        """End a process that runs an engine by a signal, while two cells wait."""
        command = [sys.executable, "-m", "engine_hosts", json.dumps(options), str(self.folder)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as caller:
            try:
                self.until(lambda: len(self.started()) == 2)
                caller.send_signal(sign)
                assert caller.wait(PATIENCE) == -sign
            finally:
                caller.kill()
        self.until(lambda: self.alive() == [])
        assert len(self.started()) == 2

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
def quick():
    """Engines import `engine_jobs` in their processes, and nothing before."""
    with pytest.MonkeyPatch.context() as patch:
        here = str(Path(__file__).parent)
        patch.syspath_prepend(here)
        patch.setenv("PYTHONPATH", here, prepend=os.pathsep)
        patch.setattr(local, "PRELOAD", ())
        yield
