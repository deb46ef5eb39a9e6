"""Solvers that misbehave, or tell what they saw, as a plugin; and cells without a supervisor."""

import json
import os
from time import perf_counter
from types import SimpleNamespace

from in_process import Notes

from aucbench.bench.cell import TARGET_FILE, Cell
from aucbench.bench.evaluation.targets import KeptTarget
from aucbench.bench.evaluation.verdict import Measures, Status
from aucbench.bench.requests import cell_job, data_job
from aucbench.bench.results.ending import make_record
from aucbench.bench.results.record import Conditions, Process, Record, Sizes
from aucbench.bench.worker import jobs
from aucbench.bench.worker.rows import Block, write_block
from aucbench.datasets.reading import ReadOptions
from aucbench.processes.records import Ending, Outcome
from aucbench.records import CellStatus
from aucbench.registry.specs import parse_chain, parse_spec

SOURCE = '''
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
class Informs(Means):
    def iterates(self, problem, w0, rng, budget):
        for t, state in enumerate(super().iterates(problem, w0, rng, budget), 1):
            state.info = {"radius": np.float32(0.5), "moves": t}
            yield state


@dataclass(frozen=True)
class Bare(Means):
    space: ClassVar = {}


@dataclass(frozen=True)
class Odd(Means):
    space: ClassVar = {"c": "12"}


@hookimpl
def aucbench_solvers():
    return {
        "means": Means, "path": Path, "spy": Spy, "writes": Writes, "infeasible": Infeasible,
        "nans": Nans, "huge": Huge, "shape": Shape, "exits": Exits, "dies": Dies,
        "fickle": Fickle, "holds": Holds, "informs": Informs, "bare": Bare, "odd": Odd,
    }
'''

DATA = "linear[n=120,seed=2]"


def cell(solver="means", dataset=DATA, **given):
    """Return a cell that takes milliseconds."""
    plain = {
        "tune": False,
        "features": "maxabs",
        "objective": None,
        "projector": None,
        "reading": ReadOptions(),
        "splits": 3,
        "repeat": 0,
        "split": 0,
        "seed": 0,
        "passes": 4.0,
        "seconds": None,
        "gap_tol": 1e-6,
        "tune_evals": 16,
        "inner_splits": 3,
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
        outcome = notes.with_all(
            Outcome(ending, result=result, wall_seconds=perf_counter() - begin)
        )
        record, scores = make_record(
            planned, "0" * 32, outcome, Conditions(), self.target(planned)[1]
        )
        return SimpleNamespace(
            record=record,
            result=record.flat(),
            reported=result,
            error=error,
            lines=outcome.lines,
            files=outcome.files,
            scores=scores,
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
