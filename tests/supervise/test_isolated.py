"""Calls in processes of their own: in turn, several at once, and one that is left in the middle."""

import json
from contextlib import closing
from functools import partial
from time import monotonic

import pytest
from supervise.asking import HERE, job, strays

from aucbench.processes import Job, Limits, open_supervisor
from aucbench.processes.isolated import MOST_ENDS, Process, ended, ends

LIMITS = Limits(timeout=20.0, grace=0.1)


@pytest.fixture(scope="module")
def process():
    with closing(Process(partial(open_supervisor, preload=(HERE,)))) as made:
        yield made


@pytest.fixture(params=["its room", "a file"])
def ask(request, tmp_path):
    """Return ask(things) -> a function that makes the job for `in_turn`."""
    written = {"lines": str(tmp_path / "lines")} if request.param == "a file" else {}

    def asked(things):
        def made(done):
            (tmp_path / "lines").unlink(missing_ok=True)
            left = [[key, then] for key, then in things if key not in done]
            return Job(f"{HERE}:does_in_turn", {"things": left, **written}, LIMITS)

        return made

    return asked


def told(pieces):
    return [(p.key, p.found, p.ended and p.ended.ending.value) for p in pieces]


def test_a_process_that_ends_costs_the_thing_that_it_was_in(process, ask):
    lost = []
    found = told(process.in_turn(ask([("a", ""), ("b", "inside"), ("c", "")]), lost))

    assert found == [("a", "A", None), ("b", None, "crash"), ("c", "C", None)]
    assert [outcome.ending for outcome in lost] == ["crash"]
    assert ended(lost[0]).startswith("it ended its process (crash: ")


def test_a_process_may_end_after_a_thing(process, ask):
    found = told(process.in_turn(ask([("a", "after"), ("b", "")]), []))

    assert found == [("a", "A", None), ("a", "A", "crash"), ("b", "B", None)]


def test_after_some_ends_no_other_process_is_started(process, ask):
    lost = []
    things = [(name, "inside") for name in "abcde"]
    found = told(process.in_turn(ask(things), lost))

    assert found == [(name, None, "crash") for name in "abcde"[:MOST_ENDS]]
    assert len(lost) == MOST_ENDS
    assert told(process.in_turn(ask(things), lost)) == []


def test_what_ends_before_the_first_thing_is_not_asked_again(process):
    lost = []
    [piece] = process.in_turn(lambda done: job("raises"), lost)

    assert (piece.key, piece.found, len(lost)) == (None, None, 1)
    assert piece.ended.words == f"{piece.ended.error_type}: {piece.ended.reason}"


def test_lines_of_a_file_come_while_it_runs(process, tmp_path):
    request = {"things": [["a", ""], ["b", "hang"]], "lines": str(tmp_path / "lines")}
    pieces = process.in_turn(lambda done: Job(f"{HERE}:does_in_turn", request, LIMITS), [])

    assert next(pieces)[:2] == ("a", "A")
    assert json.loads((tmp_path / "lines").read_text().splitlines()[0]) == {"begin": "a"}
    begin = monotonic()
    pieces.close()
    assert process.run(job("echo", {"x": 1})).result == {"asked": {"x": 1}}
    assert monotonic() - begin < LIMITS.timeout / 2


def test_jobs_end_in_any_order_and_are_returned_in_theirs(process):
    seen = []
    outcomes = process.run_all([job("echo", {"x": x}) for x in range(5)], most=2)

    assert [outcome.result["asked"]["x"] for outcome in outcomes] == [*range(5)]
    assert process.run_all([]) == []
    assert process.run(job("echo"), partial(seen.append, "meanwhile")).result is not None
    assert seen == ["meanwhile"]


def test_no_more_jobs_run_at_once_than_wanted():
    started = []

    def jobs():
        for x in range(4):
            started.append(x)
            yield x, job("echo", {"x": x})

    with open_supervisor(preload=(HERE,)) as supervisor:
        found = ends(supervisor, jobs(), 2)
        assert (next(found), started) == ([], [0, 1])
        keys = [key for some in found for key, _ in some]
        assert sorted(keys) == started == [0, 1, 2, 3]
        found = ends(supervisor, [(0, job("hang"))], 1)
        next(found)
        found.close()
        assert supervisor.wait(0.0) == []
        assert not strays(supervisor.token)
