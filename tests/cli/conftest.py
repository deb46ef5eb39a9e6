"""A distribution of toy solvers that exists on sys.path only, found like any installed one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import said
from toys import Site, returned

TOYS = '''
"""Toy solvers."""
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from aucbench import hookspecs
from aucbench.contract import Solver, State
@dataclass(frozen=True)
class Means(Solver):
    """w = scale (m₊ − m₋).
    References
    ----------
    Nobody, "Nothing", 1900.
    """
    scale: float = 1.0
    width: float = float("inf")
    names: tuple = ()
    space: ClassVar = {"scale": (1.0, 2.0)}
    def iterates(self, problem, w0, rng, budget):
        m_neg, m_pos = problem.data.means
        return State(self.scale * (m_pos - m_neg))
@dataclass(frozen=True)
class Raises(Means):
    def iterates(self, problem, w0, rng, budget):
        raise ValueError("boom [bold]\\nsecond line")
@dataclass(frozen=True)
class Nans(Means):
    def iterates(self, problem, w0, rng, budget):
        return State(np.full(problem.data.d, np.nan))
@hookspecs.hookimpl
def aucbench_solvers():
    return {"means": Means, "raises": Raises, "nans": Nans}
'''


@pytest.fixture(scope="session")
def toy_folder(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("site"))
    site.module("toy_solvers", TOYS)
    site.module("toy_broken", "raise RuntimeError('no \\x1b[31m licence')")
    points = {**dict.fromkeys(returned(TOYS), "toy_solvers"), "toy-broken": "toy_broken"}
    site.metadata("toys", "1.0", points)
    return site.path


@pytest.fixture
def toys(toy_folder, monkeypatch):
    monkeypatch.syspath_prepend(toy_folder)
    return toy_folder


@pytest.fixture(scope="module")
def acme(request, tmp_path_factory):
    """The distribution acme 1.2, whose plugin has the source of the module of the test."""
    site = Site(tmp_path_factory.mktemp("site"))
    site.add("acme", "1.2", plugin=request.module.SOURCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site.path)
        yield site


@pytest.fixture(scope="module")
def folder(request, acme, tmp_path_factory):
    """Results of the command of the module of the test."""
    out = tmp_path_factory.mktemp("results") / "out"
    said(*request.module.RUN, "--out", out)
    return out


@pytest.fixture
def process(toy_folder):
    """Run the command line, or Python code, in a process of its own."""

    def run(*args, **variables):
        environment = os.environ | {"PYTHONPATH": str(toy_folder)} | variables
        script = Path(sys.executable).with_name("aucbench")
        command = [sys.executable, *args] if args[0] == "-c" else [sys.executable, script, *args]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    return run
