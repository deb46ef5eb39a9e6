"""Solvers that attack other cells while these run: no number and no status of them changes."""

import pytest
from harness.shell import assert_same_measures, installed
from nights import first
from plugin_site import Site

from aucbench.processes.linux import landlock

DATA = "outbreak[n=240,d=6,k=2]"
SIGNALS = 6  # the version of Landlock from which signals stay inside
ATTACKS = '''
"""Solvers that attack the cells beside them, and one that is attacked."""

import mmap
import os
import signal
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import ClassVar

import numpy as np

from aucbench.hookspecs import hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.protocols import Needs, Problem, State

FOLDER = "aucbench-run-"  # of all cells
HEAD = 128  # bytes that say what is in a file
ARENA = Path(os.environ.get("ARENA", "/nowhere"))


def met(mine, other):
    """Meet another solver: neither goes on before both are here."""
    (ARENA / mine).touch()
    while not (ARENA / other).exists():
        time.sleep(0.005)


@dataclass(frozen=True)
class Honest:
    """Two steps of a descent on all rows; it waits between them for the attack."""

    space: ClassVar = {}
    needs: ClassVar = Needs()

    def problem(self, data, rng):
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, rng):
        w, n = problem.start(), problem.data.n
        w = w - 0.1 * problem.f.grad(w)
        yield State(1, w, n)
        if ARENA.is_dir() and not (ARENA / "done").exists():
            met("begun", "done")
        w = w - 0.1 * problem.f.grad(w)
        yield State(2, w, 2 * n)


class Attack(Honest):
    """Attacks when the honest one is in the middle of its fit, and then does what it does."""

    def iterates(self, problem, rng):
        if not (ARENA / "done").exists():
            met("here", "begun")
            try:
                self.attack(problem)
            finally:
                (ARENA / "done").touch()
        yield from super().iterates(problem, rng)


class Zeroes(Attack):
    """Writes zeroes over all that it can open: descriptors and maps of all processes, files."""

    def attack(self, problem):
        for path in [*Path("/proc").glob("[0-9]*/fd/*"), *self.files()]:
            with suppress(OSError):
                self.overwrite(path)

    def files(self):
        return [path for path in Path(tempfile.gettempdir()).parents[2].rglob("*")]

    def overwrite(self, path):
        named = FOLDER in str(path.resolve()) or "memfd:aucb" in os.readlink(path)
        ours = path.is_file() and named
        if ours and (size := path.stat().st_size) > HEAD:
            path.chmod(0o777)
            with path.open("r+b") as file:
                with suppress(OSError, ValueError):
                    mmap.mmap(file.fileno(), size)[HEAD:] = bytes(size - HEAD)
                file.seek(HEAD)
                file.write(bytes(size - HEAD))


class Removes(Attack):
    """Removes the temporary folder of the run, and of all runs."""

    def attack(self, problem):
        for folder in Path(tempfile.gettempdir()).parents[2].glob(FOLDER + "*"):
            rmtree(folder, ignore_errors=True)


class Answers(Attack):
    """Leaves answers in the folders of all cells, as the process of a cell once did."""

    def attack(self, problem):
        for room in Path(tempfile.gettempdir()).parents[2].glob(FOLDER + "*/*/room"):
            (room / "out").mkdir(exist_ok=True)
            np.save(room / "out" / "scores.npy", np.zeros(80))
            (room.parent / "result.json").write_text('{"status": "ok", "auc": 1.0}')
            (room.parent / "failure.json").write_text("{}")
            (room.parent / "report.json").write_text("{}")


class Returns(Attack):
    """Goes back into the code of the processes above it, twice."""

    def attack(self, problem):
        for name in ("_exit", "getpid", "kill"):
            setattr(os, name, lambda *_: 1)
        os.fork()


class Ends(Attack):
    """Ends the process of each other cell."""

    signal = signal.SIGKILL

    def attack(self, problem):
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                room = os.readlink(path / "cwd")
                if FOLDER in room and room != str(Path.cwd()):
                    os.kill(int(path.name), self.signal)


class Stops(Ends):
    """Stops the process of each other cell."""

    signal = signal.SIGSTOP


@hookimpl
def aucbench_solvers():
    return {"honest": Honest, "zeroes": Zeroes, "removes": Removes, "answers": Answers,
            "returns": Returns, "ends": Ends, "stops": Stops}
'''


@pytest.fixture(scope="module")
def arena(tmp_path_factory, kind):
    """A shell whose files, temporary ones included, lie all below one folder."""
    folder = tmp_path_factory.mktemp("attacks")
    shell = installed(folder)
    Site(folder / "site").add("attacks", attacks=ATTACKS)
    (folder / "tmp").mkdir()
    shell.env["TMPDIR"] = str(folder / "tmp")
    return shell


@pytest.fixture(scope="module")
def alone(arena):
    """The records of the honest solver where nothing attacks it."""
    return records(arena, "honest", "alone", "/nowhere")


def records(shell, solvers, out, fighting, opened="/"):
    """Return the records of a run; no Landlock stands before what is opened."""
    shell.env |= {"ARENA": str(fighting), "AUCBENCH_OPEN": str(opened)}
    return shell.compare(DATA, solvers, out, "--timeout", 20)


CHANGED = pytest.mark.linux("a change of what jobs share is found out, not prevented")


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param("zeroes", marks=CHANGED),
        *first(["answers", "removes", "returns", "ends", "stops"]),
    ],
)
def test_an_attack_changes_no_number_and_no_status(arena, alone, tmp_path, attack):
    found = records(arena, f"honest,{attack}", attack, tmp_path)

    assert (tmp_path / "done").exists()
    for split in range(2):
        was, own = found["honest", split], alone["honest", split]
        assert was.ok, (was.why, was.process.log)
        assert_same_measures(was, own)
        assert (was.id, was.sizes, was.parameters) == (own.id, own.sizes, own.parameters)
        attacker = found[attack, split]
        assert attacker.ok, (attacker.why, attacker.process.log)
        assert attacker.measures.auc == own.measures.auc


@pytest.mark.linux("it closes no files")
@pytest.mark.skipif(landlock.version() < SIGNALS, reason="no Landlock keeps signals inside here")
@pytest.mark.parametrize("attack", first(["zeroes", "removes", "ends"]))
def test_behind_the_fence_no_attack_reaches_another_cell(arena, alone, tmp_path, attack):
    found = records(arena, f"honest,{attack}", f"fenced-{attack}", tmp_path, tmp_path)

    assert (tmp_path / "done").exists()
    for split in range(2):
        was, own = found["honest", split], alone["honest", split]
        assert was.ok, (was.why, was.process.log)
        assert was.conditions.fence.startswith("landlock")
        assert_same_measures(was, own)
