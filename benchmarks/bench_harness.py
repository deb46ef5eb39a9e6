"""What the harness costs: start of a run, supervision of cells, a look at finished ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from signal import SIGINT
from subprocess import DEVNULL, PIPE
from tempfile import TemporaryDirectory
from time import sleep
from unittest.mock import patch

from aucbench.bench import Store
from aucbench.bench.answers import Answer, Name, Resolver
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.evaluation.verdict import Status
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Conditions, Record
from aucbench.bench.runner import Runner
from aucbench.processes import Job, Outcome
from aucbench.processes.starting import CHOICE, STARTS
from aucbench.records import CellStatus
from aucbench.registry.specs import Spec, parse_spec
from aucbench.store.folder import INDEX
from aucbench.store.index import SETTLED

COMMAND = [sys.executable, "-c", "from aucbench.cli import main; main()"]
DATA = "outbreak[n=1000,d=20,k=5]"
INTERRUPTED = 130


def compare(*more: str) -> list[str]:
    """Arguments of the command."""
    return ["compare", "--data", DATA, "--solvers", "sht-auc", "--passes", "1", *more]


class Compare:
    """2 or 42 cells of one pass over 1000 x 20 rows; the difference is the time of 40 cells."""

    version = "3"
    params = ((2, 42), (1, 2), STARTS)
    param_names = ("cells", "jobs", "start")
    timeout = 240

    def time_compare(self, cells: int, jobs: int, start: str) -> None:
        shape = ["--quiet", "--splits", "2", "--repeats", str(cells // 2), "--jobs", str(jobs)]
        env = {**os.environ, CHOICE: start}
        subprocess.run([*COMMAND, *compare(*shape)], check=True, capture_output=True, env=env)


class Supervise:
    """A supervisor of cells: its first job, with its start and its end, and one job more.

    Where processes are not forked, one process does many jobs whose code is that of aucbench.
    """

    params = (STARTS, (True, False))
    param_names = ("start", "trusted")
    timeout = 120

    def setup(self, start: str, trusted: bool) -> None:
        self.variable = patch.dict(os.environ, {CHOICE: start})
        self.variable.start()
        self.job = Job("builtins:dict.get", {}, trusted=trusted)  # it returns its third argument
        self.supervisor = LocalEngine().open()
        self.time_one_job(start, trusted)

    def teardown(self, start: str, trusted: bool) -> None:
        self.supervisor.close()
        self.variable.stop()

    def time_one_job(self, start: str, trusted: bool) -> None:
        assert self.supervisor.call(self.job).result == {}

    def time_first_job(self, start: str, trusted: bool) -> None:
        with LocalEngine().open() as supervisor:
            assert supervisor.call(self.job).result == {}


class Start:
    """From the start of the process until the first of ten cells has ended, and all processes."""

    version = "2"
    timeout = 120

    def time_first_result(self) -> None:
        command = [*COMMAND, *compare("--splits", "10", "--jobs", "1")]
        with subprocess.Popen(command, stdout=DEVNULL, stderr=PIPE, text=True) as running:
            assert running.stderr is not None
            assert any(line.startswith("1/10 ") for line in running.stderr)
            running.send_signal(SIGINT)
            running.stderr.read()
        assert running.returncode == INTERRUPTED


class Idle:
    """An engine that gets nothing to do."""

    def run(self, jobs: Iterable[tuple[str, Job]]) -> Iterator[tuple[str, Outcome]]:
        for key, _ in jobs:
            raise AssertionError(f"{key} is finished already")
        yield from ()


class Resume:
    """A look at 2000 finished cells, with an index or without one; their records are read too."""

    version = "2"
    params = ("files", "index")
    param_names = ("stored",)
    timeout = 300
    number = 1
    cells = 2000

    def setup(self, stored: str) -> None:
        self.plan = Plan.of(
            {"data": (DATA,), "solvers": ["sht-auc", "svm-or"], "repeats": self.cells // 10}
        )
        names = [Name("datasets", parse_spec(DATA)), Name("features", Spec("auto"))]
        names += [Name("solvers", choice.spec, choice.tune) for choice in self.plan.solvers]
        self.resolver = Resolver({name: Answer(name.label) for name in names})
        self.temporary = TemporaryDirectory()
        self.folder = Path(self.temporary.name) / "results"
        with patch("os.fsync"), Store(self.folder, create=True) as store:
            for cell in self.plan.cells():
                ended = Status(status=CellStatus.OK)
                store.write(Record(id=self.resolver.id(cell), cell=cell, status=ended))
        sleep(SETTLED / 1e9)
        if stored == "index":
            with Store(self.folder) as store:
                self._runner(store).divided()
            assert (self.folder / INDEX).exists()

    def teardown(self, stored: str) -> None:
        self.temporary.cleanup()

    def _runner(self, store: Store) -> Runner:
        return Runner(self.plan, self.resolver, store, Idle(), Conditions())

    def time_until_cells_could_start(self, stored: str) -> None:
        if stored == "files":
            (self.folder / INDEX).unlink(missing_ok=True)
        with Store(self.folder) as store:
            self._runner(store).divided()

    def time_all_records(self, stored: str) -> None:
        with Store(self.folder) as store:
            assert sum(1 for _ in self._runner(store).records()) == len(self.plan)
