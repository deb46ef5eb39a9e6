"""The runner with an engine that answers at once: what is run, what is not, when, and how long."""

from dataclasses import dataclass, field, replace
from io import BytesIO
from math import inf

import numpy as np
import pytest

from aucbench.bench import runner
from aucbench.bench.answers import Answer, Name, Resolver
from aucbench.bench.evaluation.targets import KeptTarget
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Conditions
from aucbench.bench.results.store import Store
from aucbench.bench.runner import Runner
from aucbench.bench.until import Until
from aucbench.data.packed import pack_arrays
from aucbench.errors import DataError
from aucbench.processes.records import Ending, Job, Limits, Outcome
from aucbench.registry.specs import Spec
from aucbench.store.folder import Home

PLAN = Plan.of({"data": ("d",), "solvers": ("a", "b"), "splits": 2})
LONG = replace(PLAN, data=(Spec("d"), Spec("e")), splits=3)
CELL = next(LONG.cells())
Y = np.tile(np.array([-1, 1], np.int8), 10)
TARGET = KeptTarget(pack_arrays({"y": Y}), Y.size)
TIMEOUT = Outcome(Ending.TIMEOUT, "did not end within 1 s")


@dataclass
class Answers:
    """An engine whose cells end at once, by their solver, after so many seconds of its clock."""

    outcome: dict = field(default_factory=dict)
    seconds: dict = field(default_factory=dict)
    ran: list = field(default_factory=list)
    now: float = 0.0

    def run(self, jobs):
        for key, job in jobs:
            cell = job.request["cell"]
            solver, dataset = cell["solver"]["name"], job.steps[0].request["dataset"]["name"]
            self.ran.append((solver, dataset, cell["split"]))
            wanted, file = self.seconds.get(solver, 0.2), BytesIO()
            took = min(wanted, job.limits.timeout or inf)
            self.now += took
            np.save(file, np.zeros(len(TARGET.held(replace(CELL, **division_of(cell)))[0])))
            result, files = {"status": "ok", "fit_seconds": 0.1}, {"scores.npy": file.getvalue()}
            ok = Outcome(Ending.OK, result=result, files=files)
            ended = self.outcome.get(solver, ok) if took == wanted else TIMEOUT
            yield key, replace(ended, wall_seconds=took)


def division_of(cell):
    return {"split": cell["split"], "splits": cell["splits"]}


@pytest.fixture
def resolver():
    names = [Name("solvers", Spec("a")), Name("solvers", Spec("b")), Name("features", Spec("auto"))]
    known = {name: Answer(f"hash of {name.spec}") for name in names}
    sets = {Name("datasets", Spec(d)): Answer(f"hash of {d}", target=TARGET) for d in "de"}
    return Resolver(known | sets)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results", create=True) as opened:
        yield opened


def records(
    resolver, store, engine, *, plan=PLAN, timeout=1.0, retry=(), progress=None, until=None
):
    whole = Runner(
        plan, resolver, store, engine, Conditions(timeout=timeout), retry, progress, until=until
    )
    return [(str(r.cell.solver), r.cell.split, r.status.status.value) for r in whole.records()]


def with_answer(resolver, kind, name, **changed):
    known = Name(kind, Spec(name))
    return Resolver({**resolver.known, known: replace(resolver.known[known], **changed)})


def test_every_cell_is_run_once_and_then_never_again(resolver, store):
    engine = Answers()
    first = records(resolver, store, engine)
    again = records(resolver, store, engine)
    assert first == [("a", 0, "ok"), ("b", 0, "ok"), ("a", 1, "ok"), ("b", 1, "ok")]
    assert again == first
    assert len(engine.ran) == 4


def test_a_read_only_folder_is_refused_only_if_a_cell_is_missing(resolver, store, monkeypatch):
    def refuse(*_):
        raise DataError("Read-only file system")

    records(resolver, store, Answers())
    monkeypatch.setattr(runner, "require_entries", lambda _: None)  # a and b are not registered
    monkeypatch.setattr(runner, "resolve_names", lambda *_: resolver)
    monkeypatch.setattr(Home, "is_read_only", True)
    for name in ("put", "make"):
        monkeypatch.setattr(Home, name, refuse)
    found = [*runner.run(PLAN, store, Answers())]
    assert [record.status.status.value for record in found] == ["ok"] * 4
    with pytest.raises(DataError, match="Read-only"):
        next(runner.run(replace(PLAN, splits=3), store, Answers()))


@pytest.mark.parametrize("second", ["ok", "crash"])
def test_statuses_that_are_retried_are_run_once_more(resolver, store, second):
    failed = {"a": Outcome(Ending.CRASH, "killed")}
    records(resolver, store, Answers(failed))
    engine = Answers({} if second == "ok" else failed)
    found = records(resolver, store, engine, retry=("crash",))
    assert engine.ran == [("a", "d", 0), ("a", "d", 1)]
    assert sorted(found) == [("a", 0, second), ("a", 1, second), ("b", 0, "ok"), ("b", 1, "ok")]


@pytest.mark.parametrize(("timeout", "runs"), [(1.0, 0), (0.5, 0), (2.0, 2), (None, 2)])
def test_a_time_out_counts_until_the_limit_is_raised(resolver, store, timeout, runs):
    records(resolver, store, Answers({"a": TIMEOUT}), timeout=1.0)
    engine = Answers()
    records(resolver, store, engine, timeout=timeout)
    assert len(engine.ran) == runs


def test_what_is_broken_ends_without_being_run(resolver, store):
    crash, engine = Outcome(Ending.CRASH, "killed by SIGSEGV"), Answers()
    found = records(with_answer(resolver, "solvers", "b", failure=crash), store, engine)
    assert engine.ran == [("a", "d", 0), ("a", "d", 1)]
    assert sorted(found) == [("a", 0, "ok"), ("a", 1, "ok"), ("b", 0, "crash"), ("b", 1, "crash")]


def test_a_change_of_a_plugin_makes_its_cells_new(resolver, store):
    records(resolver, store, Answers())
    engine = Answers()
    records(with_answer(resolver, "solvers", "a", fingerprint="another hash"), store, engine)
    assert engine.ran == [("a", "d", 0), ("a", "d", 1)]


def test_rows_that_cannot_be_dealt_skip_their_cells_without_a_job(resolver, store):
    few = KeptTarget(pack_arrays({"y": np.array([-1, 1, 1], np.int8)}), 3)
    engine = Answers()
    found = records(with_answer(resolver, "datasets", "d", target=few), store, engine)
    assert engine.ran == []
    assert {status for _, _, status in found} == {"skipped"}
    assert all("1 row(s) of the rarer class" in r.status.reason for r in store.records())


def in_time(resolver, store, seconds, limit, *, timeout=60.0):
    """Records of the long plan within a limit, what has run, and whether something is left out."""
    engine = Answers(seconds=seconds)
    until = Until(limit, clock=lambda: engine.now)
    found = records(resolver, store, engine, plan=LONG, timeout=timeout, until=until)
    return found, engine.ran, until.left_out


def test_a_run_without_enough_time_keeps_whole_data_sets_and_goes_on(resolver, store):
    each = {"a": 1.0, "b": 1.0}
    first, ran_first, left_out = in_time(resolver, store, each, 6.5)
    assert left_out
    assert first == [(solver, split, "ok") for split in range(3) for solver in "ab"]
    assert {dataset for _, dataset, _ in ran_first[:6]} == {"d"}
    again, ran_again, left_out = in_time(resolver, store, each, 100.0)
    assert (len(again), left_out) == (len(LONG), False)
    assert not {*ran_first[:6]} & {*ran_again}


def test_a_cell_that_runs_when_the_time_is_over_is_stopped_and_no_failure(resolver, store):
    found, ran, left_out = in_time(resolver, store, {"a": 1.0, "b": 9.0}, 6.0)
    assert [solver for solver, _, _ in found] == ["a"]
    assert ran == [("a", "d", 0), ("b", "d", 0)]
    assert left_out
    assert len([*store.records()]) == 1


def test_a_cell_does_not_start_where_a_like_one_took_longer_than_what_is_left(resolver, store):
    found, ran, left_out = in_time(resolver, store, {"a": 1.0, "b": 4.0}, 8.0)
    assert ran == [("a", "d", 0), ("b", "d", 0), ("a", "d", 1), ("a", "d", 2), ("a", "e", 0)]
    assert (len(found), left_out) == (5, True)


def test_steps_end_too_and_smaller_limits_stay():
    until = Until(10.0, clock=lambda: 0.0)
    step = Job("m:f", {}, Limits(timeout=3600.0), key="rows")
    job = until.limited(CELL, Job("m:f", {}, Limits(timeout=3.0, memory=5), (step,)))
    assert job.limits == Limits(timeout=3.0, memory=5)
    assert job.steps[0].limits.timeout == 10.0
    assert until.limited(CELL, Job("m:f", {})).limits.timeout == 10.0
