"""The time of a run: what starts, what is stopped and stays missing, and that the rest goes on."""

from dataclasses import dataclass, field, replace
from io import BytesIO

import numpy as np
import pytest

from aucbench.bench.answers import Answer, Name, Resolver
from aucbench.bench.evaluation.targets import KeptTarget
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Conditions
from aucbench.bench.results.store import Store
from aucbench.bench.runner import Runner
from aucbench.bench.until import Until
from aucbench.data.packed import pack_arrays
from aucbench.processes.records import Ending, Job, Limits, Outcome
from aucbench.registry.specs import Spec

PLAN = Plan.of({"data": ("d", "e"), "solvers": ("a", "b"), "splits": 3})
Y = np.tile(np.array([-1, 1], np.int8), 10)
TARGET = KeptTarget(pack_arrays({"y": Y}), Y.size)
CELL = next(PLAN.cells())


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self):
        return self.now


@dataclass
class Takes:
    """An engine whose cells take so many seconds of a clock, by solver, and know their limits."""

    clock: Clock
    seconds: dict
    ran: list = field(default_factory=list)

    def run(self, jobs):
        for key, job in jobs:
            cell = job.request["cell"]
            solver, dataset = cell["solver"]["name"], job.steps[0].request["dataset"]["name"]
            self.ran.append((solver, dataset, cell["split"]))
            wanted = self.seconds[solver]
            took = min(wanted, job.limits.timeout)
            self.clock.now += took
            file = BytesIO()
            np.save(file, np.zeros(len(TARGET.held(replace(CELL, split=cell["split"]))[0])))
            result = {"status": "ok", "fit_seconds": 0.1}
            ok = Outcome(Ending.OK, result=result, files={"scores.npy": file.getvalue()})
            late = Outcome(Ending.TIMEOUT, "did not end")
            yield key, replace(ok if took == wanted else late, wall_seconds=took)


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


def ran(resolver, store, seconds, limit, *, timeout=60.0):
    clock = Clock()
    engine, until = Takes(clock, seconds), Until(limit, clock=clock)
    known = (resolver, store, engine, Conditions(timeout=timeout))
    found = [*Runner(PLAN, *known, until=until).records()]
    return found, engine.ran, until


def test_a_run_without_enough_time_keeps_whole_data_sets_and_goes_on(resolver, store):
    first, ran_first, until = ran(resolver, store, {"a": 1.0, "b": 1.0}, 6.5)
    assert [(r.cell.dataset.name, r.status.status) for r in first] == [("d", "ok")] * 6
    assert until.left_out
    again, ran_again, until = ran(resolver, store, {"a": 1.0, "b": 1.0}, 100.0)
    assert len(again) == len(PLAN)
    assert not until.left_out
    assert not {*ran_first[:6]} & {*ran_again}


def test_a_cell_that_runs_when_the_time_is_over_is_stopped_and_no_failure(resolver, store):
    found, cells, until = ran(resolver, store, {"a": 1.0, "b": 9.0}, 6.0)
    assert [str(r.cell.solver) for r in found] == ["a"]
    assert cells == [("a", "d", 0), ("b", "d", 0)]
    assert until.left_out
    assert len([*store.records()]) == 1


def test_a_cell_does_not_start_where_a_like_one_took_longer_than_what_is_left(resolver, store):
    found, cells, until = ran(resolver, store, {"a": 1.0, "b": 4.0}, 8.0)
    assert cells == [("a", "d", 0), ("b", "d", 0), ("a", "d", 1), ("a", "d", 2), ("a", "e", 0)]
    assert len(found) == 5
    assert until.left_out


def test_a_limit_of_the_plan_that_comes_first_is_a_timeout(resolver, store):
    found, _, until = ran(resolver, store, {"a": 1.0, "b": 5.0}, 100.0, timeout=2.0)
    assert {r.status.status for r in found if str(r.cell.solver) == "b"} == {"timeout"}
    assert len(found) == len(PLAN)
    assert not until.left_out


def test_steps_end_too_and_smaller_limits_stay():
    until = Until(10.0, clock=Clock())
    step = Job("m:f", {}, Limits(timeout=3600.0), key="rows")
    job = until.limited(CELL, Job("m:f", {}, Limits(timeout=3.0, memory=5), (step,)))
    assert job.limits == Limits(timeout=3.0, memory=5)
    assert job.steps[0].limits.timeout == 10.0
    assert until.limited(CELL, Job("m:f", {})).limits.timeout == 10.0
