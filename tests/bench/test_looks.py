"""Plans with looks: what they need, their order, and runs that stop, go on, or were killed."""

from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import islice

import numpy as np
import pytest

from aucbench.bench.answers import Lookup, Lookups, Name
from aucbench.bench.evaluation.targets import KeptTarget
from aucbench.bench.looks import Watch, watch_of
from aucbench.bench.overview import folder_status
from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.fields import Choice, choices
from aucbench.bench.plan.looks import in_order, looking, looks_of, require_planned_before, stages
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plan, write_plan
from aucbench.bench.results.conditions import Conditions
from aucbench.bench.results.store import Store
from aucbench.bench.runner import Runner, records_until_decided
from aucbench.data.packed import pack_arrays, unpack_numbers
from aucbench.errors import DataError
from aucbench.processes.records import Ending, Outcome
from aucbench.registry.specs import Spec

SETS = tuple(f"d{number}" for number in range(12))
PLAN = Plan(SETS, choices(("a", "b")), holdout=0.5, looks=4)
Y = np.tile(np.array([-1, 1], np.int8), 10)


CRASH = Outcome(Ending.CRASH, "killed")


def ended(scores):
    file = BytesIO()
    np.save(file, scores)
    result = {"status": "ok", "fit_seconds": 0.1}
    return Outcome(Ending.OK, result=result, files={"scores.npy": file.getvalue()}, wall_seconds=1)


@dataclass
class Answers:
    """An engine: the solvers `good` sort all rows rightly, `broken` ones crash, others are even."""

    good: str = "a"
    broken: str = ""
    ran: list = field(default_factory=list)

    def run(self, jobs):
        for key, job in jobs:
            read, split = job.steps
            held = Y[unpack_numbers(split.request["held"], Y.size)]
            solver = job.request["cell"]["solver"]
            self.ran.append(read.request["dataset"])
            yield key, CRASH if solver in self.broken else ended(held * (solver in self.good) * 1.0)


@pytest.fixture
def lookups():
    target = KeptTarget(pack_arrays({"y": Y}), Y.size)
    parts = [Name("solvers", Spec(name)) for name in "abc"] + [Name("features", "auto")]
    known = {name: Lookup(f"hash of {name.spec}") for name in parts}
    return Lookups(
        known | {Name("datasets", d): Lookup(f"hash of {d}", target=target) for d in SETS}
    )


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results", create=True) as opened:
        yield opened


def run(lookups, store, engine, plan=PLAN):
    known = (lookups, store, engine, Conditions(timeout=1.0))
    return records_until_decided(plan, lambda part: Runner(part, *known))


def test_the_order_is_by_chance_and_by_the_seed():
    first, again, other = (in_order(replace(PLAN, seeds=(seed,))) for seed in (0, 0, 1))

    assert first == again
    assert sorted(first) == sorted(SETS) == sorted(other)
    assert first != [*SETS]
    assert first != other
    assert [*dict.fromkeys(cell.dataset for cell in PLAN.cells())] == first
    assert {*PLAN.cells()} == {*replace(PLAN, looks=None).cells()}  # no part of their ids


def test_stages_are_the_parts_between_looks():
    parts = [*stages(PLAN)]

    assert [look.number for look, _ in parts] == [1, 2, 3, 4]
    assert [cell for _, part in parts for cell in part.cells()] == [*PLAN.cells()]
    assert [*stages(replace(PLAN, looks=None))] == [(None, replace(PLAN, looks=None))]


def test_a_plan_with_looks_is_written_and_read():
    plan = replace(PLAN, solvers=choices(("a", "b", "c[k=1]")), reference="c[k=1]")
    assert parse_plan(write_plan(plan)) == plan
    assert "looks = 4" in write_plan(plan, places=False)


@pytest.mark.parametrize(
    ("changed", "place", "sentence"),
    [
        ({"solvers": choices(("a", "b", "c"))}, "looks", "one reference; here are 3: name two"),
        ({"solvers": choices("a")}, "looks", "here are 1"),
        ({"features": ("none", "unit")}, "looks", "here are 4"),
        ({"datasets": SETS[:5]}, "looks", "at least 6 data sets, got 5"),
        ({"looks": 1}, "looks", "2 to 10 looks"),
        ({"looks": "4"}, "looks", "whole number"),
        ({"families": {"f": SETS[:2]}}, "looks", "leave looks or families out"),
        ({"reference": "z"}, "reference", "unknown solver in this comparison 'z'"),
        ({"reference": 3}, "reference", "holds 3, wanted a name"),
        ({"reference": "a", "features": ("none", "unit")}, "reference", "take one feature map"),
        ({"looks": None, "reference": "a"}, "reference", "add looks"),
    ],
)
def test_looks_that_make_no_sense_are_one_sentence(changed, place, sentence):
    with pytest.raises(PlanError, match=sentence) as caught:
        replace(PLAN, **changed)
    assert caught.value.place == (place,)


def test_a_reference_may_be_named_without_its_tuning():
    plan = replace(PLAN, solvers=(Choice("a", True), Choice("b"), Choice("c")), reference="a")
    assert plan.reference == "a (tuned)"
    assert replace(plan, features=("none",)) == replace(plan, features=("none",), reference="a")


def test_a_pair_of_feature_maps_is_a_pair():
    assert len(looks_of(replace(PLAN, solvers=choices("a"), features=("none", "unit")))) == 4


def test_a_run_stops_at_the_look_that_decides(lookups, store):
    engine = Answers()
    records = [*run(lookups, store, engine)]
    done = in_order(PLAN)[:9]

    assert len(records) == 2 * 9
    assert {*engine.ran} == {*done}
    again = Answers()
    assert len([*run(lookups, store, again)]) == len(records)
    assert again.ran == []  # it does not go on where it has stopped


def test_a_run_without_a_difference_goes_to_its_end(lookups, store):
    assert len([*run(lookups, store, Answers(""))]) == len(PLAN)


def test_a_run_that_was_killed_goes_on_to_the_same_look(lookups, store):
    first = [*islice(run(lookups, store, Answers()), 7)]  # in the middle of the second part
    engine = Answers()
    records = [*run(lookups, store, engine)]

    assert len(records) == 18
    assert len(engine.ran) == 18 - len(first)


def test_a_failed_cell_counts_as_lost(lookups, store):
    assert len([*run(lookups, store, Answers("", broken="b"))]) == 18


def test_each_other_solver_must_differ_from_the_reference(lookups, store):
    plan = replace(PLAN, solvers=choices(("a", "b", "c")), reference="a")
    engine = Answers("ab")

    assert len([*run(lookups, store, engine, plan)]) == len(plan)
    other = Answers("c")
    some = replace(plan, seeds=(9,), reference="c")
    assert len([*run(lookups, store, other, some)]) < len(some)


def test_status_counts_what_is_not_run(lookups, store):
    [*run(lookups, store, Answers())]
    wanted = {cell: lookups.id(cell) for cell in PLAN.cells()}

    stopped = folder_status(store, [PLAN], wanted)
    assert (stopped.missing, stopped.spared, stopped.stop) == (0, 6, "stopped at look 3 of 4")
    going_on = folder_status(store, [PLAN, replace(PLAN, looks=None)], wanted)
    assert (going_on.missing, going_on.spared, going_on.stop) == (6, 0, "")


def test_records_of_other_cells_are_no_part_of_a_look(lookups, store):
    [*run(lookups, store, Answers())]
    watch = Watch(replace(PLAN, holdout=0.4))
    for record in store.records():
        watch.add(record)
    assert watch.passed() == ()


def test_looks_are_planned_before_the_first_result():
    plain = replace(PLAN, looks=None)

    with pytest.raises(DataError, match="planned before the first result"):
        require_planned_before(PLAN, [plain])
    require_planned_before(PLAN, [])
    require_planned_before(plain, [PLAN])  # it goes on
    require_planned_before(replace(PLAN, timeout=5.0), [PLAN])
    for other in (replace(PLAN, holdout=0.4), replace(PLAN, looks=5)):
        with pytest.raises(DataError, match="give each a folder of its own"):
            require_planned_before(other, [PLAN])


def test_a_folder_has_the_looks_of_its_one_plan():
    plain = replace(PLAN, looks=None)
    assert looking([plain]) is None
    assert looking([plain, PLAN]) == PLAN
    assert watch_of([plain]) is None
