"""Toy plugins and their sites, a supervisor in this process, and cells that run in it.

- `Site` is a folder like site-packages, and `on_the_path` installs its plugins for a test.
- `SOLVERS` and `TORTURE` are sources of plugins: solvers that note what they saw, and such that do
  what a plugin must not do. `Descent` and its kin are solvers of a module that a worker imports.
- `cells_in_process` runs cells in the process of a test, without limits and without a fence; most
  tests take the fixture `in_process`.
- `Bench` runs the steps of one cell, as a supervisor and the parent do in other processes.
"""

import ast
import json
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from threading import Lock
from time import perf_counter
from traceback import format_exc
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest.mock import patch

import pytest

from aucbench.bench.cell import TARGET_FILE, Cell
from aucbench.bench.engines import local
from aucbench.bench.evaluation.targets import KeptTarget
from aucbench.bench.evaluation.verdict import Measures, Status
from aucbench.bench.requests import cell_job, data_job
from aucbench.bench.results.ending import make_record
from aucbench.bench.results.record import Conditions, Process, Record, Sizes
from aucbench.bench.worker import jobs
from aucbench.bench.worker.rows import Block, write_block
from aucbench.contract import Problem, Solver, State
from aucbench.datasets.reading import ReadOptions
from aucbench.models.recipe import one_thread
from aucbench.objectives import PairwiseSquare
from aucbench.processes.child import ROOM, Room, _called, _failure
from aucbench.processes.hearing import Hearing
from aucbench.processes.records import Ending, Outcome, json_object, plain
from aucbench.records import CellStatus
from aucbench.registry.discovery import NAME_PATTERN, entries, is_enabled
from aucbench.registry.lookup import broken_plugins
from aucbench.registry.specs import parse_chain, parse_spec

DATA = "linear[n=120,seed=2]"

HEAD = """
from dataclasses import dataclass
from typing import ClassVar
from aucbench.hookspecs import hookimpl
from aucbench.contract import Identity, Needs, Solver
@dataclass(frozen=True)
class Dummy(Solver):
    '''w <- 0.'''
    k: int = 3
    fast: bool = True
    gamma: "float | None" = None
    space: ClassVar = {"k": (1, 2)}
    def __post_init__(self):
        if self.k > 100:
            raise ValueError("k is too large")
    def iterates(self, problem, w0, rng, budget): return iter(())
"""

HOOK = "\n@hookimpl\ndef aucbench_solvers():\n    "


def solver(*registered):
    """Source of a module that registers solvers under these names."""
    given = ", ".join(f"{name!r}: Dummy" for name in registered)
    return f"{HEAD}\n@hookimpl\ndef aucbench_solvers():\n    return {{{given}}}\n"


def returned(source):
    """Names in the dictionaries that the hooks of a source return; none where it is malformed."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    hooks = [f for f in functions if f.name.startswith("aucbench_")]
    returns = [node.value for hook in hooks for node in ast.walk(hook) if type(node) is ast.Return]
    keys = [key for value in returns if type(value) is ast.Dict for key in value.keys]
    names = [key.value for key in keys if isinstance(key, ast.Constant)]
    return [n for n in names if isinstance(n, str) and NAME_PATTERN.fullmatch(n)]


class Site:
    """A folder like site-packages."""

    def __init__(self, path):
        self.path = path

    def module(self, name, source):
        (self.path / f"{name}.py").write_text(source, encoding="utf-8")

    def add(self, distribution, version="1.0", **plugins):
        """Install a distribution: plugin name (_ for -) -> source of its module.

        Its entry points are the names that the hooks return in a literal; of a module without such
        names, that of the plugin.
        """
        points = {}
        for plugin, source in plugins.items():
            self.module(f"{distribution}_{plugin}", source)
            for name in returned(source) or (plugin.replace("_", "-"),):
                points.setdefault(name, f"{distribution}_{plugin}")
        self.metadata(distribution, version, points)

    def metadata(self, distribution, version, points, requires=()):
        info = self.path / f"{distribution}-{version}.dist-info"
        info.mkdir(parents=True)
        head = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        head += "".join(f"Requires-Dist: {line}\n" for line in requires)
        (info / "METADATA").write_text(head, encoding="utf-8")
        lines = "".join(f"{name} = {value}\n" for name, value in points.items())
        (info / "entry_points.txt").write_text(f"[aucbench]\n{lines}", encoding="utf-8")
        (info / "RECORD").write_text("", encoding="utf-8")


@contextmanager
def on_the_path(folder):
    """Plugins in a folder are installed, and forgotten at the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("AUCBENCH_PLUGINS", raising=False)
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.syspath_prepend(folder)
        before = {*sys.modules}
        yield Site(folder)
        for name in {*sys.modules} - before:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]


def listed(name, distribution=None):
    """What is known of a plugin, third parties before built-ins."""
    named = [e for e in entries() if e.name == name and distribution in (None, e.distribution)]
    failure = broken_plugins().get(named[-1])
    return SimpleNamespace(entry=named[-1], enabled=is_enabled(named[-1]), failure=failure)


@dataclass(frozen=True)
class Descent(Solver):
    """w - gamma f'(w)."""

    gamma: float = 0.01
    shrink: Any = None
    space: ClassVar = {"gamma": (0.01, 0.001)}

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, w, rng, budget):
        while True:
            w = w - self.gamma * problem.f.grad(w)
            w = w if self.shrink is None else self.shrink(w)
            yield State(w)


@dataclass(frozen=True)
class Locked(Descent):
    """It cannot be pickled."""

    lock: Any = field(default_factory=Lock)


@dataclass
class Thawed(Solver):
    """It can be changed."""

    problem, iterates = Descent.problem, Descent.iterates


SOLVERS = '''
"""Solvers that note what they saw, and such whose cells fail."""
import pathlib
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import ClassVar
import numpy as np
from aucbench.hookspecs import hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import TopK
from aucbench.contract import Needs, Problem, Solver, State, count_rows
SEEN = []  # what the solvers of this process noted
@dataclass(frozen=True)
class Means(Solver):
    """w = m₊ − m₋ + noise, once per pass; c decides how much noise, c = 0 raises."""
    c: float = 1.0
    other: str = "a"
    limit: float = inf
    names: tuple = ()
    space: ClassVar = {"c": (0.0, 0.5, 1.0, 2.0), "other": ("a", "b")}
    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data))
    def direction(self, problem, rng):
        if self.c == 0:
            raise ValueError("c is 0\\nsecond line")
        m_neg, m_pos = problem.data.means
        return m_pos - m_neg + (2 - self.c) * rng.standard_normal(problem.data.d)
    def iterates(self, problem, w0, rng, budget):
        for t in count(1):
            count_rows(problem.data.n)
            yield State(self.direction(problem, rng), gap=1.0 / t)
@dataclass(frozen=True)
class Path(Means):
    needs: ClassVar = Needs(frozenset({"warm-start"}), path="c")
    def iterates(self, problem, w0, rng, budget):
        SEEN.append((self.c, self.other, float(w0[0])))
        if self.c == 0.5:
            raise ValueError("no")
        count_rows(problem.data.n)
        return State(np.full(problem.data.d, self.c))
@dataclass(frozen=True)
class Spy(Means):
    def problem(self, data, rng, budget):
        array = data.rows.stored
        SEEN.append((map_of(array), array.flags.writeable, data.y.flags.writeable))
        return super().problem(data, rng, budget)
def map_of(array):
    """What the kernel says of the memory of an array: rights, offset, device, inode, name."""
    for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
        ends, about = line.split(maxsplit=1)
        first, last = (int(end, 16) for end in ends.split("-"))
        if first <= array.ctypes.data < last:
            return about
@dataclass(frozen=True)
class Writes(Means):
    def problem(self, data, rng, budget):
        data.rows.stored[0] = 1e9
        return super().problem(data, rng, budget)
@dataclass(frozen=True)
class Infeasible(Means):
    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data), TopK(1))
@dataclass(frozen=True)
class Nans(Means):
    def direction(self, problem, rng):
        return np.full(problem.data.d, np.nan)
@dataclass(frozen=True)
class Huge(Means):
    def direction(self, problem, rng):
        return np.tile([1.7e308, -1.7e308], problem.data.d)[: problem.data.d]
@dataclass(frozen=True)
class Shape(Means):
    def direction(self, problem, rng):
        return np.ones(problem.data.d + 1)
@dataclass(frozen=True)
class Exits(Means):
    def direction(self, problem, rng):
        raise SystemExit(3)
@dataclass(frozen=True)
class Dies(Means):
    def iterates(self, problem, w0, rng, budget):
        for _ in range(3):
            count_rows(problem.data.n)
            yield State(np.ones(problem.data.d))
        raise ValueError("boom\\nsecond line")
@dataclass(frozen=True)
class Fickle(Means):
    def direction(self, problem, rng):
        SEEN.append(1)
        return np.full(problem.data.d, float(len(SEEN)))
@dataclass(frozen=True)
class Holds(Means):
    def problem(self, data, rng, budget):
        rest, held = data.split(0.25, rng)
        return Problem(PairwiseSquare(rest), holdout=held)
@dataclass(frozen=True)
class Odd(Means):
    space: ClassVar = {"c": "12"}
@hookimpl
def aucbench_solvers():
    return {
        "means": Means, "path": Path, "spy": Spy, "writes": Writes, "infeasible": Infeasible,
        "nans": Nans, "huge": Huge, "shape": Shape, "exits": Exits, "dies": Dies,
        "fickle": Fickle, "holds": Holds, "odd": Odd,
    }
'''


TORTURE = '''
"""Solvers that misbehave, beside one that does not."""
import ctypes
import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from dataclasses import dataclass
import numpy as np
from aucbench.hookspecs import hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.contract import Problem, Solver, State
@dataclass(frozen=True)
class Healthy(Solver):
    """Gradient descent on the pairwise square; its result depends on its generator only."""
    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data))
    def iterates(self, problem, w, rng, budget):
        for t in itertools.count(1):
            self.misbehave(problem, t)
            w = w - 0.05 * problem.f.grad(w) + 1e-9 * rng.standard_normal(w.size)
            yield State(w)
    def misbehave(self, problem, t):
        return None
class Raises(Healthy):
    def misbehave(self, problem, t):
        raise ValueError("boom")
class Nans(Healthy):
    def iterates(self, problem, w, rng, budget):
        return State(w + np.nan)
class HoldsGil(Healthy):
    def misbehave(self, problem, t):
        if t > 3:
            deque(itertools.repeat(0), maxlen=0)
class IgnoresTerm(Healthy):
    def misbehave(self, problem, t):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while t > 3:
            time.sleep(0.01)
class Orphans(Healthy):
    def misbehave(self, problem, t):
        if t == 1:
            code = "import os, time; os.setsid(); time.sleep(600)"
            subprocess.Popen([sys.executable, "-c", code, "aucbench-torture-orphan"])
class Segfaults(Healthy):
    def misbehave(self, problem, t):
        ctypes.string_at(0)
class Allocates(Healthy):
    def misbehave(self, problem, t):
        self.__dict__["kept"] = np.ones(4 << 27)
class Wanders(Healthy):
    def misbehave(self, problem, t):
        room = os.getcwd()
        os.chdir("/")
        if t == 1:
            shutil.rmtree(os.path.dirname(room))
@hookimpl
def aucbench_solvers():
    return {
        "healthy": Healthy, "raises": Raises, "nans": Nans, "holds-gil": HoldsGil,
        "ignores-term": IgnoresTerm, "orphans": Orphans, "segfaults": Segfaults,
        "allocates": Allocates, "wanders": Wanders,
    }
'''

BROKEN = "raise ImportError('no such luck')"
DEADLY = "import ctypes\nctypes.string_at(0)"

TORTURE_STATUS = {  # of the cells of each
    **dict.fromkeys(["healthy", "orphans", "wanders"], "ok"),
    **dict.fromkeys(["holds-gil", "ignores-term"], "timeout"),
    **dict.fromkeys(["segfaults", "deadly"], "crash"),
    **{"raises": "error", "nans": "invalid", "allocates": "memout", "broken": "error"},
}


class Notes(Hearing):
    """What a function says and hands over by its room, whose folder is new in `folder`."""

    def __init__(self, folder, hear=None):
        super().__init__(None, hear)
        own = Path(mkdtemp(dir=folder))
        (own / ROOM).mkdir()
        (own / "kept").mkdir()
        self.room = Room(own / ROOM, own / "kept", self.note)

    def note(self, said):
        self._take(json_object(plain(said)))


@contextmanager
def as_in_a_process(folder):
    """Another working directory, and one thread."""
    before = Path.cwd()
    with one_thread(), patch.dict(os.environ):
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


class InProcess:
    """See `aucbench.processes.supervisor.Supervisor`."""

    def __init__(self):
        self._temporary = TemporaryDirectory()
        self._done = {}  # outcomes and folders of steps

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._done.clear()
        self._temporary.cleanup()

    def call(self, job, *, hear=None, cancelled=None):
        steps = {}
        for step in job.steps:
            outcome, steps[step.key] = self._step(step, steps)
            if outcome.ending is not Ending.OK:
                return replace(outcome, step=step.key)
        return (self._called(job, steps, hear) if job.key is None else self._step(job, steps))[0]

    def _step(self, step, steps):
        if step.identity not in self._done:
            self._done[step.identity] = self._called(step, {**steps})
        return self._done[step.identity]

    def _called(self, job, steps, hear=None):
        """Return the outcome of a job, and the folder with what it has kept."""
        notes, log, begin = Notes(self._temporary.name, hear), "", perf_counter()
        try:
            with as_in_a_process(notes.room.path):
                request = json.loads(plain(job.request))
                answer = {"result": _called(job.call, request, notes.room, steps)}
        except Exception as error:
            answer, log = {"failure": _failure(error)}, format_exc()
        notes.note({**answer, "left": False})
        outcome = replace(notes.outcome(), log=log, wall_seconds=perf_counter() - begin)
        return notes.with_all(outcome), notes.room.kept


def one_by_one(supervisor, jobs, most):
    """See `aucbench.processes.isolated.ends`."""
    yield []
    for key, job in jobs:
        yield [(key, supervisor.call(job))]


@contextmanager
def cells_in_process():
    """The supervisors of cells are such ones."""
    with (
        patch.object(local.LocalEngine, "open", lambda engine, further=(): InProcess()),
        patch.object(local, "ends", one_by_one),
    ):
        yield


def cell(solver="means", dataset=DATA, **given):
    """Return a cell that takes milliseconds."""
    plain = {
        **{"tune": False, "features": "maxabs", "objective": None, "projector": None},
        **{"reading": ReadOptions(), "splits": 3, "repeat": 0, "split": 0, "seed": 0},
        **{"passes": 4.0, "seconds": None, "gap_tol": 1e-6, "tune_evals": 16, "inner_splits": 3},
    }
    values = {**plain, **given, "solver": solver, "dataset": dataset}
    for name in ("solver", "dataset", "objective", "projector", "pairs"):
        if values.get(name) is not None:
            values[name] = parse_spec(str(values[name]))
    return Cell(**values | {"features": parse_chain(values["features"])})


class Bench:
    """Runs cells in this process, as a supervisor and the parent do in others."""

    def __init__(self, path):
        path.mkdir(exist_ok=True)
        self.path, self.kept = path, {}  # of each step: the folder with what it has kept
        self._targets = {}

    def target(self, planned):
        """Hash and target of the data set of a cell, as the parent has them."""
        step = data_job(planned)
        if step.key not in self._targets:
            notes = Notes(self.path)
            about = jobs.read(_sent(step.request), notes.room, {})
            packed = notes.files[TARGET_FILE].read_bytes()
            self._targets[step.key] = about["hash"], KeptTarget(packed, about["n"])
        return self._targets[step.key]

    def job(self, planned, data=None, **given):
        """Job of a cell; `data` in place of the hash of its data set."""
        known, target = self.target(planned)
        return cell_job(planned, data or known, target, **given)

    def steps(self, planned, data=None):
        """What each step has kept, which is done unless it was."""
        kept = {}
        for step in self.job(planned, data).steps:
            if step.identity not in self.kept:
                room = Notes(self.path).room
                getattr(jobs, step.call.rpartition(":")[2])(_sent(step.request), room, dict(kept))
                self.kept[step.identity] = room.kept
            kept[step.key] = self.kept[step.identity]
        return kept

    def block(self, name):
        """Identity and block of the one step that has kept an array of this name."""
        blocks = {key: Block(kept) for key, kept in self.kept.items()}
        [(identity, block)] = ((key, block) for key, block in blocks.items() if name in block)
        return identity, block

    def change(self, name, edit):
        """Keep edit(array) in place of an array of this name."""
        identity, block = self.block(name)
        arrays = {each: block.array(each) for each in block.names}
        self.kept[identity] = Notes(self.path).room.kept
        write_block(self.kept[identity], {**arrays, name: edit(arrays[name])}, block.facts)

    def run(self, planned, **given):
        """Record, its flat row, lines and files of a cell; `error` if its function raised."""
        steps, notes = self.steps(planned), Notes(self.path)
        result, error, begin = None, None, perf_counter()
        cores = os.sched_getaffinity(0)
        try:
            request = _sent(self.job(planned, **given).request)
            result = _sent(jobs.cell(request, notes.room, steps))
        except Exception as raised:
            error = raised
        finally:
            os.sched_setaffinity(0, cores)  # a cell that is timed keeps to some
        ending = Ending.OK if error is None else Ending.ERROR
        seconds, target = perf_counter() - begin, self.target(planned)[1]
        outcome = notes.with_all(Outcome(ending, result=result, wall_seconds=seconds))
        record, scores = make_record(planned, "0" * 32, outcome, Conditions(), target)
        return SimpleNamespace(
            **{"record": record, "result": record.flat(), "reported": result, "error": error},
            **{"lines": outcome.lines, "files": outcome.files, "scores": scores},
        )


def _sent(request):
    return json.loads(json.dumps(request))


def told(done, name):
    """What the lines of a cell say under one name."""
    return [line[name] for line in done.lines if name in line]


def record_of(planned, name="0" * 32, **values):
    """Return a record; each value goes into the group that has a field of its name."""
    status = {"status": CellStatus(values.pop("status", "ok"))}
    status |= {key: values.pop(key) for key in ("reason", "error_type") if key in values}
    groups = {"measures": Measures, "sizes": Sizes, "process": Process}
    made = {
        group: kind(**{key: values.pop(key) for key in [*values] if key in kind.__slots__})
        for group, kind in groups.items()
    }
    return Record(id=name, cell=planned, status=Status(**status), **made, **values)
