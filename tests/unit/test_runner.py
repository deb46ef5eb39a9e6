"""The runner with an engine that answers at once: what is run, what is not, and when."""

from dataclasses import dataclass, field, replace
from threading import Timer

import pytest

from aucbench.bench.lookup import Meaning, Meanings
from aucbench.bench.plan.plan import Plan, choices
from aucbench.bench.results.conditions import Conditions
from aucbench.bench.runner import Runner
from aucbench.hookspecs import hookimpl
from aucbench.infra.store import Store
from aucbench.infra.supervise.records import Ending, Outcome

PLAN = Plan(("d",), choices(("a", "b")), splits=2)
OK = Outcome(Ending.OK, result={"status": "ok", "auc": 0.5, "fit_seconds": 0.1})
TIMEOUT = Outcome(Ending.TIMEOUT, "did not end within 1 s")


@dataclass
class Answers:
    """An engine; `outcome` by the solver of the cell."""

    outcome: dict = field(default_factory=dict)
    ran: list = field(default_factory=list)

    def run(self, jobs):
        for key, job in jobs:
            solver = job.request["cell"]["solver"]
            self.ran.append((solver, job.request["cell"]["split"]))
            yield key, self.outcome.get(solver, OK)


@pytest.fixture
def meanings():
    names = [("data", "d"), ("solvers", "a"), ("solvers", "b"), ("features", "maxabs")]
    known = {key: Meaning(f"hash of {key[1]}") for key in names}
    return Meanings(known)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results", create=True) as opened:
        yield opened


def records(meanings, store, engine, *, timeout=1.0, **options):
    runner = Runner(PLAN, meanings, store, engine, Conditions(timeout=timeout), **options)
    return [(r["solver"], r["split"], r["status"]) for r in runner.records()]


def test_every_cell_is_run_once_and_then_never_again(meanings, store):
    engine = Answers()
    first = records(meanings, store, engine)
    again = records(meanings, store, engine)

    assert first == [("a", 0, "ok"), ("b", 0, "ok"), ("a", 1, "ok"), ("b", 1, "ok")]
    assert again == first
    assert len(engine.ran) == 4


def test_statuses_that_are_retried_are_run_once_more(meanings, store):
    error = Outcome(Ending.ERROR, "ValueError: boom")
    records(meanings, store, Answers({"a": error}))
    engine = Answers()

    found = records(meanings, store, engine, retry=("error",))

    assert engine.ran == [("a", 0), ("a", 1)]
    assert sorted(found) == [("a", 0, "ok"), ("a", 1, "ok"), ("b", 0, "ok"), ("b", 1, "ok")]


def test_a_retry_that_fails_again_ends(meanings, store):
    engine = Answers({"a": Outcome(Ending.CRASH, "killed")})
    records(meanings, store, engine)

    found = records(meanings, store, engine, retry=("crash",))

    assert len(engine.ran) == 6
    assert [status for solver, _, status in found if solver == "a"] == ["crash", "crash"]


@pytest.mark.parametrize(("timeout", "runs"), [(1.0, 0), (0.5, 0), (2.0, 2), (None, 2)])
def test_a_time_out_counts_until_the_limit_is_raised(meanings, store, timeout, runs):
    records(meanings, store, Answers({"a": TIMEOUT}), timeout=1.0)
    engine = Answers()

    records(meanings, store, engine, timeout=timeout)

    assert len(engine.ran) == runs


def test_what_is_broken_ends_without_being_run(meanings, store):
    crash = Outcome(Ending.CRASH, "killed by SIGSEGV")
    broken = replace(meanings.known["solvers", "b"], failure=crash)
    engine = Answers()

    found = records(Meanings({**meanings.known, ("solvers", "b"): broken}), store, engine)

    assert engine.ran == [("a", 0), ("a", 1)]
    assert sorted(found) == [("a", 0, "ok"), ("a", 1, "ok"), ("b", 0, "crash"), ("b", 1, "crash")]


def test_a_cell_that_another_run_holds_is_waited_for(meanings, store):
    cell = next(PLAN.cells())
    engine = Answers()
    with Store(store.folder) as other:
        assert other.claim(meanings.id(cell))
        Timer(0.5, other.release, [meanings.id(cell)]).start()
        found = records(meanings, store, engine)

    assert found[-1] == ("a", 0, "ok")
    assert len(found) == len(engine.ran) == 4


def test_listeners_hear_of_cells_after_they_are_stored(meanings, store):
    heard = []

    class Listener:
        @hookimpl
        def aucbench_cell_started(self, cell):
            heard.append(("started", cell["solver"]))

        @hookimpl
        def aucbench_cell_finished(self, record):
            assert store.has(record["id"])
            heard.append(("finished", record["solver"]))

    records(meanings, store, Answers(), listeners=(Listener(),))

    assert heard == [(what, s) for s in "abab" for what in ("started", "finished")]


def test_a_change_of_a_plugin_makes_its_cells_new(meanings, store):
    records(meanings, store, Answers())
    changed = replace(meanings.known["solvers", "a"], fingerprint="another hash")
    engine = Answers()

    records(Meanings({**meanings.known, ("solvers", "a"): changed}), store, engine)

    assert engine.ran == [("a", 0), ("a", 1)]
