"""Things that a call does in turn: a process that ends costs the one that it was in."""

from contextlib import closing
from functools import partial

import pytest
from supervise.asking import HERE, job

from aucbench.bench.in_turn import MOST_ENDS, UNRETURNED, ended, in_turn
from aucbench.processes import Supervisor
from aucbench.processes.isolated import Process


@pytest.fixture(scope="module")
def process():
    with closing(Process(partial(Supervisor, preload=(HERE,)))) as made:
        yield made


def ask(things):
    """The function that makes the job for `in_turn`."""
    return lambda done: job(
        "bench.in_turn_jobs:do_in_turn", {"things": [t for t in things if t[0] not in done]}
    )


def told(pieces):
    return [(p.key, p.found, p.ended and p.ended.ending.value) for p in pieces]


def test_a_process_that_ends_costs_the_thing_that_it_was_in(process):
    lost = []
    found = told(in_turn(process, ask([("a", "after"), ("b", "inside"), ("c", "")]), lost))
    ends = [("a", "A", None), ("a", "A", "crash"), ("b", None, "crash"), ("c", "C", None)]
    assert found == ends
    assert [outcome.ending for outcome in lost] == ["crash", "crash"]
    assert ended(lost[1]).startswith("it ended its process (crash: ")
    assert ended(process.run(job("echo"))) == UNRETURNED


def test_after_some_ends_no_other_process_is_started(process):
    lost = []
    things = [(name, "inside") for name in "abcde"]
    found = told(in_turn(process, ask(things), lost))
    assert found == [(name, None, "crash") for name in "abcde"[:MOST_ENDS]]
    assert len(lost) == MOST_ENDS
    assert told(in_turn(process, ask(things), lost)) == []


def test_what_ends_before_the_first_thing_is_not_asked_again(process):
    lost = []
    [piece] = in_turn(process, lambda done: job("no_such_function"), lost)
    assert (piece.key, piece.found, piece.ended, len(lost)) == (None, None, lost[0], 1)
