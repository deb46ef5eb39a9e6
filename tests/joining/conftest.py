"""A board, the run of a plugin of another package, its submission, and what forgers do to it."""

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from plugin_site import on_the_path

from aucbench.bench import merge, overview, submit
from aucbench.bench.joining import here
from aucbench.bench.plan.fields import choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import write_plan
from aucbench.bench.results.origins import hash_of_scores, keep_origin, origins_of
from aucbench.bench.results.store import SEALS, Store
from aucbench.data.npz import unpack
from aucbench.data.packed import pack_arrays

DATASETS = ("outbreak[n=120,d=6,k=2]", "linear[n=100]")
TOY = '''
from dataclasses import dataclass
from typing import ClassVar

from aucbench.hookspecs import hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.protocols import Needs, Problem, State


@dataclass(frozen=True)
class Toy:
    """A step along the difference of the class means."""

    step: float = 1.0
    space: ClassVar = {}
    needs: ClassVar = Needs()

    def problem(self, data, rng):
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, rng):
        m_neg, m_pos = problem.data.means
        yield State(1, self.step * (m_pos - m_neg), problem.data.n)


@dataclass(frozen=True)
class Broken(Toy):
    """Fails on some rows."""

    def iterates(self, problem, rng):
        if problem.data.d != 6:
            raise RuntimeError(f"no memory left on {__file__}")
        yield from super().iterates(problem, rng)


@hookimpl
def aucbench_solvers():
    return {"toy": Toy, "broken": Broken}
'''


def plan(*solvers, **more):
    return Plan(DATASETS, choices(solvers), **{"splits": 2, "passes": 5, **more})


def ran(folder, asked):
    """A results folder into which a plan was run."""
    from aucbench.bench import make_engine, run

    with Store(folder, create=True) as store:
        [*run(asked, store, make_engine())]
    return folder


@dataclass(frozen=True)
class Folders:
    board: Path  # of sht-auc
    mine: Path  # of toy and broken
    sent: Path  # the submission of toy


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """A folder that all processes of a session of tests share."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "joining"


@pytest.fixture(scope="module")  # so that the tests of other folders do not see it
def site(shared_folder):
    path = shared_folder / "site"
    with on_the_path(path) as opened:
        with alone_in(shared_folder):
            if not path.exists():
                path.mkdir()
                opened.add("toyshop", version="1.5", toys=TOY)
        yield opened


@pytest.fixture(scope="module")
def made(site, shared_folder):
    """The folders, which one process of the session makes."""
    made = Folders(*(shared_folder / name for name in ("board", "mine", "sent")))
    with alone_in(shared_folder):
        if not made.sent.exists():  # which is there as a whole
            ran(made.board, plan("sht-auc"))
            submit(ran(made.mine, plan("toy", "broken")), "toy", made.sent, by="Ada")
    return made


@contextmanager
def alone_in(folder):
    """Let one process of a session at a time make what all of them use."""
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "making.lock"):
        yield


@pytest.fixture(scope="module", autouse=True)
def known_names(site):
    """Names of a plan are looked up once: neither data nor plugins change in these tests.

    `run` looks up each time, and with it the tests of `run`.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((overview, "look_up"), (here, "look_up_data")):
            patch.setattr(module, name, once_for_each_plan(getattr(module, name)))
        yield


def once_for_each_plan(look_up):
    """The function, which remembers what it has found for a plan."""
    known = {}

    def found(asked, engine):
        text = write_plan(asked)
        if text not in known:
            known[text] = look_up(asked, engine)
        return known[text]

    return found


@pytest.fixture
def folders(made, tmp_path):
    """Copies that a test may change."""
    copied = {name: tmp_path / name for name in ("board", "mine", "sent")}
    for name, path in copied.items():
        shutil.copytree(getattr(made, name), path)
    return Folders(**copied)


class Forger:
    """Changes a folder as somebody would who knows how it is sealed."""

    def __init__(self, folder):
        self.folder, self.store = folder, Store(folder)
        self.keys = [*self.store.ids()]

    def records(self):
        return {key: self.store.read(key) for key in self.keys}

    def key(self, **cell):
        """The id of the first cell of these fields."""
        fits = (
            key
            for key, record in self.records().items()
            if all(getattr(record.cell, name) == value for name, value in cell.items())
        )
        return next(fits)

    def arrays(self, key):
        return self.store.blob(key, unpack)

    def write(self, key, *, arrays=None, record=None, **changes):
        """Write a cell with changes of groups of its fields, such as `measures={"auc": 1.0}`."""
        record = self.store.read(key) if record is None else record
        for name, fields in changes.items():
            old = getattr(record, name)
            new = replace(old, **fields) if hasattr(old, "__dataclass_fields__") else fields
            record = replace(record, **{name: new})
        arrays = self.arrays(key) if arrays is None else arrays
        self.store.write(record, arrays and pack_arrays(arrays))
        if arrays:
            self.name_scores(key, hash_of_scores(arrays))

    def name_scores(self, key, digest):
        """Let the origins name the scores of a cell."""
        for origin in origins_of(self.store):
            keep_origin(self.store, replace(origin, cells={**origin.cells, key: digest}))

    def text(self, change):
        """Change the text of the plan."""
        [path] = (self.folder / "plans").glob("*.toml")
        body = SEALS["plans"].taken_off(path.stem, path.read_bytes()).decode()
        changed = change(body)
        assert changed != body
        path.write_bytes(SEALS["plans"].put_on(path.stem, changed.encode()))

    def remove(self, key):
        (self.folder / "cells" / key[:2] / f"{key}.json").unlink()
        (self.folder / "scores" / key[:2] / f"{key}.npz").unlink(missing_ok=True)  # if it failed


@pytest.fixture
def forger(folders):
    return Forger(folders.sent)


def better(arrays):
    """Scores that nobody has computed."""
    return {**arrays, "scores": np.sort(arrays["scores"])}


def joined(folders, **more):
    """The board with the submission."""
    return merge([folders.board, folders.sent], folders.board.parent / "joined", **more)
