"""Plugins that cheat: they patch measures, forge results, look for labels. No number moves."""

import re

import numpy as np
import pytest
from harness.shell import assert_same_measures
from plugin_site import KEPT_ROWS, Site

from aucbench import auc, get_dataset
from aucbench.bench.results.store import Store
from aucbench.processes.linux import landlock
from aucbench.processes.supervisor import LINUX

DATA = "outbreak[n=240,d=6,k=2]"
# Solvers that want a better row than they deserve, beside an honest one.
CHEATS = (
    KEPT_ROWS
    + '''
import base64
import gc
import json
import os
import re
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from itertools import chain
from typing import ClassVar

import numpy as np

from aucbench.data.arrays import rows
from aucbench.hookspecs import hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.protocols import Needs, Problem, State

TEXT = re.compile(rb"[A-Za-z0-9+/=]{24,}")


@dataclass(frozen=True)
class Honest:
    """One step along the difference of the class means."""

    space: ClassVar = {}
    needs: ClassVar = Needs()

    def problem(self, data, rng):
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, rng):
        m_neg, m_pos = problem.data.means
        yield State(1, m_pos - m_neg, problem.data.n)


@dataclass(frozen=True)
class Patches(Honest):
    """Patches what measures in this process."""

    def iterates(self, problem, rng):
        import aucbench.bench.worker.measure
        import aucbench.metrics
        import aucbench.stats.measures
        import aucbench.solving.tuning
        import sklearn.metrics

        states = [*super(Patches, self).iterates(problem, rng)]
        perfect = lambda *_, **__: 1.0
        ours = (aucbench.bench.worker.measure, aucbench.solving.tuning)
        for module in (aucbench, aucbench.metrics, aucbench.stats.measures, *ours):
            for name in ("auc", "auc_of", "concordance"):
                if hasattr(module, name):
                    setattr(module, name, perfect)
        sklearn.metrics.roc_auc_score = perfect
        np.count_nonzero = lambda *_, **__: 0
        np.isnan = lambda x, *_, **__: np.zeros(np.shape(x), bool)
        yield from states


@dataclass(frozen=True)
class Forges(Honest):
    """Says a result of its own and ends before the harness can say another."""

    def iterates(self, problem, rng):
        from aucbench.processes import answers
        from aucbench.processes.linux import child
        from aucbench.processes.portable import worker
        from aucbench.processes.room import Room

        tell = partial(child.say_frame, child.OWN + 1)
        if "AUCBENCH_CALL" in os.environ:  # of the portable supervisor
            tell = lambda kind, chunks, name="": os.write(
                worker.HIGH + 1, answers.frame(kind, b"".join(chunks), name)
            )
        room = Room(Path.cwd(), tell)
        m_neg, m_pos = problem.data.means
        rows = kept_rows().array("test/values").reshape(-1, problem.data.d)
        for name, array in (("scores", rows @ (m_pos - m_neg)), ("w", m_pos - m_neg)):
            content = BytesIO()
            np.save(content, array)
            room.hand(f"{name}.npy", content.getvalue())
        forged = {"status": "ok", "auc": 1.0, "nnz": 0, "fit_seconds": 1e-9, "exempt": 0,
                  "feasible": True, "objective": 0.0, "fit_seconds_each": [1e-9]}
        room.line({"about": {"n_test": 1}})
        tell(answers.RESULT, [json.dumps(forged).encode()])
        os._exit(0)
        yield


@dataclass(frozen=True)
class Looks(Honest):
    """Searches files, memory maps and the heap for labels; scores by them if it finds any."""

    def problem(self, data, rng):
        return Problem(None, train=data)

    def iterates(self, problem, rng):
        m_neg, m_pos = problem.data.means
        count = kept_rows().array("test/values").size // problem.data.d
        total = count + problem.data.n
        held = np.setdiff1d(np.arange(total), kept_rows().array("learnt"))
        every = [*candidates()]
        found = [y for y in every if y.size == count] + [y[held] for y in every if y.size == total]
        rows = kept_rows().array("test/values").reshape(-1, problem.data.d)
        yield State(1, None, problem.data.n, model=Knows(rows, found, m_pos - m_neg))


class Knows:
    def __init__(self, rows, found, w):
        labels = found[0] if found else ()
        self.known = {row.tobytes(): float(y) for row, y in zip(rows, labels)}
        self.w = w

    def scores(self, rows):
        X = rows.matrix
        return np.array([self.known.get(x.tobytes(), s) for x, s in zip(X, X @ self.w)])


def candidates():
    """Every vector of two values that lies anywhere."""
    arrays = (x for x in gc.get_objects() if isinstance(x, np.ndarray))
    for array in chain(in_files(), in_texts(), arrays):
        if array.ndim == 1 and array.dtype.kind in "iufb" and array.size > 1:
            if {*np.unique(array).tolist()} in ({-1, 1}, {0, 1}):
                yield array


def in_texts():
    """Arrays in the texts that any container of this process holds, such as a message."""
    for thing in gc.get_objects():
        held = [*thing.values()] if isinstance(thing, dict) else thing
        for text in held if isinstance(held, list | tuple) else ():
            if isinstance(text, str | bytes) and len(text) > 24:
                yield from decoded(text.encode() if isinstance(text, str) else text)


def in_files():
    above = next(p for p in Path.cwd().parents if (p / "site").is_dir())  # of the results too
    # Unlike rglob, os.walk passes over folders that another job removes meanwhile.
    walks = chain(os.walk(above), os.walk("/dev/shm"))
    files = {Path(folder, name) for folder, _, names in walks for name in names}
    maps = Path("/proc/self/maps").read_text().split("\\n")
    files |= {Path(line.split()[5]) for line in maps if len(line.split()) > 5 and "/" in line}
    files |= {Path(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")}
    for path in files:
        try:
            if not path.is_file() or path.stat().st_size > 10**6:
                continue
            content = path.read_bytes()
        except OSError:
            continue
        yield from decoded(content)


def decoded(content):
    try:
        loaded = np.load(BytesIO(content), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            yield loaded
            return
        yield from (loaded[name] for name in loaded.files)
        return
    except Exception:
        yield from in_block(content)
        for text in TEXT.findall(content):
            try:
                yield from decoded_text(base64.b64decode(text))
            except Exception:
                continue


def in_block(content):
    from aucbench.bench.worker.rows import Block

    try:
        block = Block(content)
        yield from (block.array(name) for name in block.names)
    except Exception:
        return


def decoded_text(content):
    loaded = np.load(BytesIO(content), allow_pickle=False)
    yield from (loaded[name] for name in loaded.files)


@dataclass(frozen=True)
class Apart(Honest):
    """Standardises the scores of the test rows by all of them."""

    def problem(self, data, rng):
        return Problem(None, train=data)

    def iterates(self, problem, rng):
        yield State(1, None, problem.data.n, model=Beside(problem.data.means))


class Beside:
    def __init__(self, means):
        self.w = means[1] - means[0]

    def scores(self, rows):
        s = rows.matrix @ self.w
        return (s - s.mean()) / max(s.std(), 1e-12)


@dataclass(frozen=True)
class Batch:
    """A map that takes off the means of the rows that it maps."""

    exempt: ClassVar[int] = 0

    def fit(self, data, rng):
        return self

    def __call__(self, given):
        return rows(given.matrix - given.matrix.mean(axis=0))


@hookimpl
def aucbench_features():
    return {"batch": Batch}


@hookimpl
def aucbench_solvers():
    return {"honest": Honest, "patches": Patches, "forges": Forges, "looks": Looks, "apart": Apart}
'''
)


@pytest.fixture
def cheats(shell, tmp_path, monkeypatch):
    """A shell whose files, temporary ones included, lie all below one folder."""
    Site(tmp_path / "site").add("cheats", cheats=CHEATS)
    (tmp_path / "tmp").mkdir()
    shell.env["TMPDIR"] = str(tmp_path / "tmp")
    return shell


def records(shell, solvers, out="kept", **given):
    return shell.compare(DATA, solvers, out, splits=3, **given)


def test_a_cheat_cannot_change_a_number_but_its_own_scores(cheats, kind):
    closed = kind == LINUX and landlock.version()  # else it finds what is in the results folder
    found = records(cheats, "honest,patches,forges" + (",looks" if closed else ""))
    alone = records(cheats, "honest", "alone")
    with Store(cheats.folder / "kept") as store:
        scores = {key: store.scores(record.id) for key, record in found.items()}
    y = get_dataset(DATA).y

    for (solver, split), record in found.items():
        honest, kept = alone["honest", split], scores[solver, split]
        assert record.ok, (solver, record.why, record.process.log)
        np.testing.assert_array_equal(kept["y"], y[kept["rows"]])
        assert record.measures.auc == auc(kept["y"], kept["scores"]) == honest.measures.auc
        assert record.measures.auc < 1
        if solver != "looks":  # which has a model in place of weights
            assert record.measures.nnz == honest.measures.nnz == 6
        assert record.sizes == honest.sizes
        assert record.process.wall_seconds > 0
    for split in range(3):
        others, own = found["honest", split], alone["honest", split]
        assert_same_measures(others, own)
        assert (others.id, others.sizes, others.parameters) == (own.id, own.sizes, own.parameters)


def test_a_model_and_a_map_read_each_test_row_by_itself(cheats):
    found = records(cheats, "honest,apart", "apart")
    mapped = records(cheats, "honest", "mapped", features="batch", returncode=1)

    for (solver, _), record in found.items():
        assert record.ok == (solver == "honest"), record.why
        if not record.ok:
            assert re.search(
                r"Apart scores row 0 as .* beside 2 others and as .* among all 80; a row must get "
                "the same whatever rows are beside it",
                record.why,
            )
    for record in mapped.values():
        assert record.status.status == "error"
        assert "the feature map Batch maps row 0 as" in record.why


@pytest.mark.nightly
def test_labels_that_lie_about_would_be_found(cheats, tmp_path):
    """The test above can fail: the same search finds labels that somebody left in a file."""
    np.save(tmp_path / "left.npy", get_dataset(DATA).y)
    found = records(cheats, "looks", "tempted")

    assert 1.0 in {record.measures.auc for record in found.values()}
