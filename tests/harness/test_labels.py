"""Solvers that look for the labels of their test rows where these are. None finds one.

Where the kernel has no Landlock, only what no process is told can be kept from it.
"""

import numpy as np
import pytest
from harness.shell import installed
from plugin_site import KEPT_ROWS, Site

from aucbench.processes.linux import landlock
from aucbench.processes.portable.client import FENCE
from aucbench.processes.supervisor import LINUX

ROWS, COLUMNS = 600, 8
# Each solver looks in one place, and scores by labels if it finds any.
THIEVES = (
    KEPT_ROWS
    + '''
import gc
import os
import re
from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar

import numpy as np

from aucbench.hookspecs import hookimpl
from aucbench.protocols import Needs, Problem, State

HOME = next(p for p in Path.cwd().parents if (p / "site").is_dir())  # of all files of the test


@dataclass(frozen=True)
class Honest:
    """Sums of features, which say nothing."""

    space: ClassVar = {}
    needs: ClassVar = Needs()

    def problem(self, data, rng):
        return Problem(None, train=data)

    def iterates(self, problem, rng):
        data = problem.data
        rows = kept_rows()
        learnt = rows.array("learnt")
        held = np.setdiff1d(np.arange(ROWS), learnt)
        y = np.zeros(ROWS)
        y[learnt] = data.y
        labels = next((np.sign(v - 0.5)[held] for v in self.vectors(y) if len(v) == 600), ())
        test = rows.array("test/values").reshape(-1, data.d)
        yield State(1, None, data.n, model=Knows({r.tobytes(): s for r, s in zip(test, labels)}))

    def vectors(self, y):
        """Labels of all rows; `y` has the known ones, and 0 for the others."""
        return ()


class Knows:
    """Knows the labels of some rows by their features."""

    def __init__(self, labels):
        self.labels = labels

    def scores(self, rows):
        X = np.ascontiguousarray(rows.matrix)
        return np.array([self.labels.get(row.tobytes(), row.sum()) for row in X])


class File(Honest):
    """Reads the file of the user, also through the folders of the processes above."""

    def vectors(self, y):
        for folder in (HOME / "work", *(Path(f"/proc/{pid}/cwd") for pid in above())):
            for file in listed(folder):
                if file.suffix == ".csv" and (content := bytes_of(file)):
                    lines = content.decode().split()[1:]
                    yield np.array([float(line.rpartition(",")[2]) for line in lines])


class Memory(Honest):
    """Searches the memory of the processes above for what fits the labels that it knows."""

    def vectors(self, y):
        known = b"".join(b"." if not v else re.escape(bytes([int(v) % 256])) for v in y)
        pattern = re.compile(known, re.DOTALL)
        for pid in above():
            for chunk in chunks(pid):
                for match in pattern.finditer(chunk):
                    yield np.frombuffer(match.group(), np.int8)


class Descriptors(Honest):
    """Reads what the processes above have open."""

    def vectors(self, y):
        for pid in above():
            for file in listed(Path(f"/proc/{pid}/fd")):
                if os.path.isfile(file):  # which is False where it may not look
                    yield from arrays(file)


class Targets(Honest):
    """Reads targets and all else in results folders and in temporary ones."""

    def vectors(self, y):
        for name in ("work", "tmp"):
            for file in (HOME / name).rglob("*.npz"):
                yield from arrays(file)


class Told(Honest):
    """Looks for the path of the file, and for the name of the cache, in what it was told."""

    def vectors(self, y):
        texts = {t for thing in gc.get_objects() for t in held(thing) if isinstance(t, str)}
        if any(t.endswith(".csv") and "mine" in t for t in texts) or "AUCBENCH_CACHE" in os.environ:
            yield from File().vectors(y)


class Messages(Honest):
    """Leaves its labels for the cells of other splits, and collects what they have left."""

    def vectors(self, y):
        places = (HOME, HOME / "work", HOME / "tmp", HOME / "site", Path.home(), Path.cwd())
        seen = y.copy()
        for place in places:
            for file in place.glob("message-*.npy"):
                for left in arrays(file):
                    seen = np.where(seen == 0, left, seen)
            try:
                np.save(place / f"message-{os.getpid()}.npy", y)
            except OSError:
                continue
        if seen.all():
            yield seen


def above():
    pid = os.getppid()
    while pid > 1:
        yield pid
        pid = int(bytes_of(f"/proc/{pid}/stat").rpartition(b")")[2].split()[1])


def listed(folder):
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def bytes_of(file):
    try:
        return Path(file).read_bytes()
    except OSError:
        return b""


def arrays(file):
    try:
        found = np.load(BytesIO(bytes_of(file)), allow_pickle=False)
        return [found] if isinstance(found, np.ndarray) else [found[name] for name in found.files]
    except (ValueError, EOFError, OSError):
        return []


def chunks(pid):
    for line in bytes_of(f"/proc/{pid}/maps").decode().splitlines():
        first, last = (int(end, 16) for end in line.split()[0].split("-"))
        try:
            with open(f"/proc/{pid}/mem", "rb", 0) as memory:
                memory.seek(first)
                yield memory.read(last - first) if "rw" in line else b""
        except (OSError, OverflowError):
            continue


def held(thing):
    if isinstance(thing, dict):
        return [*thing.values()]
    return thing if isinstance(thing, list | tuple) else ()


@hookimpl
def aucbench_solvers():
    kinds = (Honest, File, Memory, Descriptors, Targets, Told, Messages)
    return {kind.__name__.lower(): kind for kind in kinds}
'''.replace("(ROWS", f"({ROWS}").replace("== ROWS", f"== {ROWS}")
)
ALL = "honest,file,memory,descriptors,targets,told,messages"
NEEDS_LANDLOCK = pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")


@pytest.fixture(scope="module")
def thieves(tmp_path_factory, kind):
    """A shell whose files lie below one folder, beside results of the same data set."""
    home = tmp_path_factory.mktemp("home")
    shell = installed(home)
    Site(home / "site").add("thieves", also=ALL.split(","), thieves=THIEVES)
    (home / "tmp").mkdir()
    for name in ("AUCBENCH_DATA", "AUCBENCH_OPEN"):
        shell.env.pop(name, None)
    shell.env |= {"TMPDIR": str(home / "tmp"), "HOME": str(home)}
    shell.env["AUCBENCH_CACHE"] = str(home / "cache")
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(ROWS, COLUMNS)), rng.permutation(ROWS)[:, None] % 2
    head = ",".join([*(f"x{j}" for j in range(COLUMNS)), "y"])
    np.savetxt(shell.folder / "mine.csv", np.hstack(rows), "%.6f", ",", header=head, comments="")
    compared(shell, "constant", "before")
    assert [*(shell.folder / "before" / "targets").glob("*.npz")]
    return shell


def compared(shell, solvers, out):
    return [*shell.compare("mine.csv", solvers, out).values()]


def aucs(records):
    return {str(record.cell.solver): record.measures.auc for record in records}


def levels(records):
    return {record.conditions.fence for record in records}


@pytest.mark.linux("it closes no files")
@NEEDS_LANDLOCK
def test_no_solver_finds_labels_of_its_test_rows(thieves):
    found = compared(thieves, ALL, "closed")

    assert levels(found) == {f"landlock {landlock.version()}"}
    assert all(record.ok for record in found), [(r.why, r.process.log) for r in found]
    assert all(record.measures.auc < 0.7 for record in found), aucs(found)


@pytest.mark.nightly
def test_what_is_open_is_found_and_the_record_says_so(thieves, monkeypatch, kind):
    """The test above can fail; and what a process is not told is hidden on any kernel."""
    monkeypatch.setitem(thieves.env, "AUCBENCH_OPEN", "/")
    found = compared(thieves, ALL, "open")

    assert levels(found) == {"none: AUCBENCH_OPEN opens all" if kind == LINUX else FENCE}
    assert all(record.ok for record in found), [record.why for record in found]
    known = {record.cell.solver.name for record in found if record.measures.auc == 1}
    assert known >= {"file", "memory", "targets", "messages"}
    assert not known & {"honest", "told"}
