"""The runner with an engine that answers at once: what is run, what is not, and when."""

from dataclasses import dataclass, field, replace
from io import BytesIO

import numpy as np
import pytest

from aucbench.bench import runner
from aucbench.bench.answers import Answer, Name, Resolver
from aucbench.bench.evaluation.targets import KeptTarget
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Conditions
from aucbench.bench.results.store import Store
from aucbench.bench.runner import Runner
from aucbench.data.packed import pack_arrays
from aucbench.errors import DataError
from aucbench.processes.records import Ending, Outcome
from aucbench.progress import Progress
from aucbench.registry.specs import Spec
from aucbench.store.folder import Home

PLAN = Plan.of({"data": ("d",), "solvers": ("a", "b"), "splits": 2})
Y = np.tile(np.array([-1, 1], np.int8), 10)
TARGET = KeptTarget(pack_arrays({"y": Y}), Y.size)


def saved(array):
    file = BytesIO()
    np.save(file, array)
    return file.getvalue()


OK = Outcome(
    Ending.OK,
    result={"status": "ok", "fit_seconds": 0.1},
    files={"scores.npy": saved(np.zeros(10))},
    wall_seconds=0.2,
)
TIMEOUT = Outcome(Ending.TIMEOUT, "did not end within 1 s")


@dataclass
class Answers:
    """An engine; `outcome` by the solver of the cell."""

    outcome: dict = field(default_factory=dict)
    ran: list = field(default_factory=list)

    def run(self, jobs):
        for key, job in jobs:
            solver = job.request["cell"]["solver"]["name"]
            self.ran.append((solver, job.request["cell"]["split"]))
            yield key, self.outcome.get(solver, OK)


@pytest.fixture
def resolver():
    names = [Name("solvers", Spec("a")), Name("solvers", Spec("b")), Name("features", Spec("auto"))]
    known = {name: Answer(f"hash of {name.spec}") for name in names}
    return Resolver({**known, Name("datasets", Spec("d")): Answer("hash of d", target=TARGET)})


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results", create=True) as opened:
        yield opened


def records(resolver, store, engine, *, timeout=1.0, progress=None, retry=()):
    whole = Runner(PLAN, resolver, store, engine, Conditions(timeout=timeout), retry, progress)
    return [(str(r.cell.solver), r.cell.split, r.status.status.value) for r in whole.records()]


def test_every_cell_is_run_once_and_then_never_again(resolver, store):
    engine = Answers()
    first = records(resolver, store, engine)
    again = records(resolver, store, engine)

    assert first == [("a", 0, "ok"), ("b", 0, "ok"), ("a", 1, "ok"), ("b", 1, "ok")]
    assert again == first
    assert len(engine.ran) == 4


def test_a_read_only_folder_is_refused_only_if_a_cell_is_missing(resolver, store, monkeypatch):
    records(resolver, store, Answers())
    monkeypatch.setattr(runner, "require_entries", lambda _: None)  # a and b are not registered
    monkeypatch.setattr(runner, "resolve_names", lambda *_: resolver)
    monkeypatch.setattr(Home, "is_read_only", True)
    for name in ("put", "make"):
        monkeypatch.setattr(Home, name, refuse)
    found = [*runner.run(PLAN, store, Answers())]
    assert [record.status.status.value for record in found] == ["ok"] * 4
    with pytest.raises(DataError, match="Read-only file system"):
        next(runner.run(replace(PLAN, splits=3), store, Answers()))


def refuse(*_):
    raise DataError("Read-only file system")


def test_statuses_that_are_retried_are_run_once_more(resolver, store):
    error = Outcome(Ending.ERROR, "boom", error_type="ValueError")
    records(resolver, store, Answers({"a": error}))
    engine = Answers()

    found = records(resolver, store, engine, retry=("error",))

    assert engine.ran == [("a", 0), ("a", 1)]
    assert sorted(found) == [("a", 0, "ok"), ("a", 1, "ok"), ("b", 0, "ok"), ("b", 1, "ok")]


def test_a_retry_that_fails_again_ends(resolver, store):
    engine = Answers({"a": Outcome(Ending.CRASH, "killed")})
    records(resolver, store, engine)

    found = records(resolver, store, engine, retry=("crash",))

    assert len(engine.ran) == 6
    assert [status for solver, _, status in found if solver == "a"] == ["crash", "crash"]


@pytest.mark.parametrize(("timeout", "runs"), [(1.0, 0), (0.5, 0), (2.0, 2), (None, 2)])
def test_a_time_out_counts_until_the_limit_is_raised(resolver, store, timeout, runs):
    records(resolver, store, Answers({"a": TIMEOUT}), timeout=1.0)
    engine = Answers()

    records(resolver, store, engine, timeout=timeout)

    assert len(engine.ran) == runs


def test_what_is_broken_ends_without_being_run(resolver, store):
    crash = Outcome(Ending.CRASH, "killed by SIGSEGV")
    broken = replace(resolver.known[Name("solvers", Spec("b"))], failure=crash)
    engine = Answers()

    found = records(Resolver({**resolver.known, Name("solvers", Spec("b")): broken}), store, engine)

    assert engine.ran == [("a", 0), ("a", 1)]
    assert sorted(found) == [("a", 0, "ok"), ("a", 1, "ok"), ("b", 0, "crash"), ("b", 1, "crash")]


def test_what_is_missing_starts_before_what_is_stored_is_read(resolver, store, monkeypatch):
    ended = records(resolver, store, Answers())
    gone = next(store.records()).id
    (lost,) = (store.folder / "cells").rglob(f"{gone}.json")
    lost.unlink()
    seen = []
    read = store.read
    monkeypatch.setattr(store, "read", lambda key: seen.append(key) or read(key))

    class Eager(Answers):
        def run(self, jobs):
            seen.extend(handed := [*jobs])
            return super().run(handed)

    found = records(resolver, store, Eager())

    assert [key for key, _ in seen[:1]] == [gone]
    assert len(seen) == 4
    assert sorted(found) == sorted(ended)


def test_the_progress_sees_cells_after_they_are_stored(resolver, store):
    heard = []

    class Seen(Progress):
        def start(self, name):
            heard.append(("started", name[0]))

        def end(self, name, status):
            heard.append(("finished", name[0]))
            assert len([*store.records()]) == heard.count(("finished", "a")) + heard.count(
                ("finished", "b")
            )

    records(resolver, store, Answers(), progress=Seen(4))

    assert heard == [(what, s) for s in "abab" for what in ("started", "finished")]


def test_a_change_of_a_plugin_makes_its_cells_new(resolver, store):
    records(resolver, store, Answers())
    changed = replace(resolver.known[Name("solvers", Spec("a"))], fingerprint="another hash")
    engine = Answers()

    records(Resolver({**resolver.known, Name("solvers", Spec("a")): changed}), store, engine)

    assert engine.ran == [("a", 0), ("a", 1)]


def test_rows_that_cannot_be_dealt_skip_their_cells_without_a_job(resolver, store):
    few = KeptTarget(pack_arrays({"y": np.array([-1, 1, 1], np.int8)}), 3)
    engine = Answers()
    known = {**resolver.known, Name("datasets", Spec("d")): Answer("hash of d", target=few)}

    found = records(Resolver(known), store, engine)

    assert engine.ran == []
    assert {status for _, _, status in found} == {"skipped"}
    assert all(
        "there are 1 row(s) of the rarer class, and each fold needs one" in r.status.reason
        for r in store.records()
    )
