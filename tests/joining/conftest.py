"""A board, the run of a plugin of another package, its submission, and what forgers do to it."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from plugin_site import on_the_path

from aucbench.bench import merge, submit
from aucbench.bench.plan.fields import choices
from aucbench.bench.plan.plan import Plan
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


@pytest.fixture(scope="module")  # so that the tests of other folders do not see it
def site(tmp_path_factory):
    with on_the_path(tmp_path_factory.mktemp("site")) as opened:
        opened.add("toyshop", version="1.5", toys=TOY)
        yield opened


@pytest.fixture(scope="module")
def made(site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("folders")
    board = ran(folder / "board", plan("sht-auc"))
    mine = ran(folder / "mine", plan("toy", "broken"))
    submit(mine, "toy", folder / "sent", by="Ada")
    return Folders(board, mine, folder / "sent")


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
        for kind, ending in (("cells", "json"), ("scores", "npz")):
            (self.folder / kind / key[:2] / f"{key}.{ending}").unlink()


@pytest.fixture
def forger(folders):
    return Forger(folders.sent)


def better(arrays):
    """Scores that nobody has computed."""
    return {**arrays, "scores": np.sort(arrays["scores"])}


def joined(folders, **more):
    """The board with the submission."""
    return merge([folders.board, folders.sent], folders.board.parent / "joined", **more)
