"""Source of plugins that do what a plugin must not do; each must cost one cell, not the run."""

SOLVERS = '''
"""Solvers that misbehave, beside one that does not."""
import ctypes
import faulthandler
import itertools
import os
import random
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
from aucbench.projectors import TopK
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


class Misshapen(Healthy):
    def iterates(self, problem, w, rng, budget):
        return State(np.append(w, 0.0))


class Infeasible(Healthy):
    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data), TopK(1))


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


class Exits(Healthy):
    def misbehave(self, problem, t):
        os._exit(0)


class Segfaults(Healthy):
    def misbehave(self, problem, t):
        ctypes.string_at(0)


class Allocates(Healthy):
    def misbehave(self, problem, t):
        self.__dict__["kept"] = np.ones(4 << 27)


class Prints(Healthy):
    def misbehave(self, problem, t):
        for _ in range(1024 if t == 1 else 0):
            os.write(1, bytes(2**20))


class Wanders(Healthy):
    def misbehave(self, problem, t):
        room = os.getcwd()
        os.chdir("/")
        if t == 1:
            shutil.rmtree(os.path.dirname(room))


class Deafens(Healthy):
    def misbehave(self, problem, t):
        faulthandler.disable()
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)


class Closes(Healthy):
    def misbehave(self, problem, t):
        os.closerange(0, 1000)


@dataclass(frozen=True)
class Removes(Healthy):
    folder: str = ""

    def misbehave(self, problem, t):
        shutil.rmtree(self.folder, ignore_errors=True)


class Writes(Healthy):
    def misbehave(self, problem, t):
        problem.data.rows.stored[0] = 7.0


class Reseeds(Healthy):
    def misbehave(self, problem, t):
        np.random.seed(t)
        random.seed(t)


@hookimpl
def aucbench_solvers():
    return {
        "healthy": Healthy, "raises": Raises, "nans": Nans, "misshapen": Misshapen,
        "infeasible": Infeasible, "holds-gil": HoldsGil, "ignores-term": IgnoresTerm,
        "orphans": Orphans, "exits": Exits, "segfaults": Segfaults, "allocates": Allocates,
        "prints": Prints, "writes": Writes, "reseeds": Reseeds,
        "wanders": Wanders, "deafens": Deafens, "closes": Closes, "removes": Removes,
    }
'''

BROKEN = "raise ImportError('no such luck')"
DEADLY = "import ctypes\nctypes.string_at(0)"

STATUS = {
    "healthy": "ok",
    "raises": "error",
    "nans": "invalid",
    "misshapen": "error",
    "infeasible": "invalid",
    "holds-gil": "timeout",
    "ignores-term": "timeout",
    "orphans": "ok",
    "exits": "crash",
    "segfaults": "crash",
    "allocates": "memout",
    "prints": "ok",
    "writes": "error",
    "reseeds": "ok",
    "wanders": "ok",
    "deafens": "ok",
    "closes": "ok",
    "broken": "error",
    "deadly": "crash",
}
