"""A step is done once, whoever asks; its failure is told to all and not repeated."""

from dataclasses import replace

import pytest
from supervise.asking import HERE, alive, job, outcome_of, strays, supervising, until
from supervise.torture import SECRET

from aucbench.errors import ParameterError
from aucbench.processes import Limits, Step
from aucbench.processes.supervisor import LINUX

QUICK = Limits(timeout=20.0, grace=0.1)


@pytest.fixture
def count(tmp_path):
    return tmp_path / "count"


def step(name, count, key="data", n=5, limits=QUICK):
    return Step(key, f"{HERE}:{name}", {"count": str(count), "n": n}, limits)


def outcomes_of(supervisor, jobs):
    tickets = [supervisor.submit(one) for one in jobs]
    found = {}
    while more := supervisor.wait():
        found |= dict(more)
    return [found[ticket] for ticket in tickets]


def test_a_step_is_done_once_by_jobs_that_start_together(supervisor, count):
    steps = (step("prepares", count),)
    found = outcomes_of(supervisor, [job("uses", {"key": "data"}, steps) for _ in range(6)])

    assert [o.result for o in found] == [{"sum": 10, "earlier": []}] * 6
    assert count.read_text() == "x"
    assert outcome_of(supervisor, job("uses", {"key": "data"}, steps)).result["sum"] == 10
    assert count.read_text() == "x"


def test_later_steps_see_earlier_ones(supervisor, count):
    steps = (step("prepares", count, "a", 3), step("prepares", count, "b", 4))
    result = outcome_of(supervisor, job("uses", {"key": "b"}, steps)).result

    assert result == {"sum": 6, "earlier": ["a"]}


def test_another_request_under_the_same_key_is_another_step(supervisor, count):
    for n, total in ((3, 3), (4, 6), (3, 3)):
        steps = (step("prepares", count, n=n),)
        assert outcome_of(supervisor, job("uses", {"key": "data"}, steps)).result["sum"] == total
    assert count.read_text() == "xx"


@pytest.mark.linux("a step keeps a file, of which a change is found out, not prevented")
def test_no_job_can_change_what_a_step_has_kept(supervisor, count):
    steps = (step("prepares", count, "a"), step("prepares", count, "b", n=7))
    changed = outcome_of(supervisor, job("changes_what_is_shared", {}, steps))

    assert (changed.ending, changed.result) == ("ok", {"done": []})
    for key, total in (("a", 10), ("b", 21)):
        assert outcome_of(supervisor, job("uses", {"key": key}, steps)).result["sum"] == total
    assert count.read_text() == "xx"


def test_a_change_of_what_is_too_large_for_the_memory_is_found_out(count):
    """Then it is on a disk, where the kernel cannot refuse it."""
    steps = (step("prepares", count), step("prepares", count, "other"))
    with supervising(preload=("supervise.little_memory",)) as supervisor:
        assert outcome_of(supervisor, job("uses", {"key": "data"}, steps)).result["sum"] == 10
        cheat = outcome_of(supervisor, job("changes_what_is_shared", {}, steps))
        after = outcome_of(supervisor, job("uses", {"key": "data"}, steps))

    assert (cheat.ending, cheat.result) == ("error", None)
    assert "was changed while it ran, by its process or by another one; its result" in cheat.reason
    assert after.result == {"sum": 10, "earlier": []}
    assert count.read_text() == "xxxx"  # both were done again


def test_a_failing_step_is_told_with_its_key_and_not_repeated(supervisor, count):
    steps = (step("prepares", count, "a"), step("prepares_and_fails", count, "b"))
    first, second = outcomes_of(supervisor, [job("uses", {"key": "b"}, steps) for _ in range(2)])

    assert (first.ending, first.reason, first.step) == ("error", "no such data", "b")
    assert (first.error_type, first.refusal) == ("ValueError", False)
    assert first.log.startswith("about to fail")
    assert (first.result, first.lines) == (None, ())
    assert first == second
    assert count.read_text() == "xx"  # one for each step


def test_a_step_that_refuses_says_so_to_every_job(supervisor, count):
    steps = (step("prepares_and_refuses", count, "b"),)
    for outcome in outcomes_of(supervisor, [job("uses", {"key": "b"}, steps) for _ in range(2)]):
        assert (outcome.error_type, outcome.reason) == ("DataError", "no such data")
        assert (outcome.refusal, outcome.step) == (True, "b")


def test_a_failing_step_is_tried_again_by_the_next_supervisor(count):
    one = job("uses", {"key": "b"}, (step("prepares_and_fails", count, "b"),))
    for _ in range(2):
        with supervising(preload=()) as supervisor:
            assert outcome_of(supervisor, one).step == "b"
    assert count.read_text() == "xx"


def test_a_step_has_limits_of_its_own(supervisor, count):
    short = Limits(timeout=1.0, grace=0.1)
    one = job("echo", {}, (step("prepares_and_hangs_once", count, "slow", limits=short),))
    for _ in range(2):  # a step that was too slow will be so again
        outcome = outcome_of(supervisor, one)
        assert (outcome.ending, outcome.step) == ("timeout", "slow")
        assert outcome.reason == "did not end within 1 s"
    assert count.read_text() == "x"
    assert not strays(supervisor.token)


def test_the_time_of_a_job_begins_after_its_steps(supervisor, count):
    steps = (step("prepares_slowly", count),)
    outcome = outcome_of(supervisor, job("uses", {"key": "data"}, steps, timeout=20.0))

    assert outcome.ending == "ok"
    assert outcome.wall_seconds < 1.0


def test_a_step_that_was_killed_is_done_by_the_next(supervisor, count, kind):
    one = job("echo", {"x": 1}, (step("prepares_and_hangs_once", count),))
    ticket, orphans = supervisor.submit(one), 2 if kind == LINUX else 1
    until(lambda: count.exists() and len(strays(supervisor.token)) == orphans)
    waiting = supervisor.submit(one)  # for the lock
    pids = {process.pid for process in strays(supervisor.token)}
    supervisor.kill(ticket)

    ((ended, outcome),) = supervisor.wait()
    assert (ended, outcome.result) == (waiting, {"asked": {"x": 1}})
    assert count.read_text() == "xx"
    until(lambda: not alive(pids))


def test_a_step_may_keep_nothing(supervisor):
    steps = (Step("gone", f"{HERE}:leaked", {}, QUICK),)
    assert outcome_of(supervisor, job("echo", {"x": 1}, steps)).result == {"asked": {"x": 1}}


def test_a_step_that_is_forgotten_is_done_again(supervisor, count):
    one = step("prepares", count)
    for _ in range(2):
        assert outcome_of(supervisor, job("uses", {"key": "data"}, (one,))).ending == "ok"
        supervisor.forget(one)
    assert count.read_text() == "xx"


HANDS = "prepares_and_hands_over"


@pytest.fixture
def fresh():
    """A supervisor that has done no step yet."""
    with supervising(preload=()) as made:
        yield made


def receiver(supervisor, steps, *handed):
    asked = job("receives", {"below": str(supervisor._folder)}, steps)
    return replace(asked, handed=handed)


def test_what_a_step_hands_over_goes_to_the_job_that_asked_for_it_only(count, fresh):
    steps = (step(HANDS, count, "a"), step(HANDS, count, "b", n=4))
    first, *others = (outcome_of(fresh, receiver(fresh, steps, "b")) for _ in range(3))

    assert first.result == {"handed": {"b/y": SECRET}, "traces": []}
    for other in others:  # the steps had been done
        assert other.result == {"handed": {}, "traces": []}
    assert count.read_text() == "xx"


def test_jobs_that_start_together_hand_over_once(count, fresh):
    found = outcomes_of(fresh, [receiver(fresh, (step(HANDS, count),), "data") for _ in range(4)])

    assert sorted(len(outcome.result["handed"]) for outcome in found) == [0, 0, 0, 1]


def test_what_no_job_asks_for_is_gone_before_the_job_starts(count, fresh):
    found = outcome_of(fresh, receiver(fresh, (step(HANDS, count),)))

    assert found.result == {"handed": {}, "traces": []}


def test_a_job_is_handed_what_its_steps_leave(supervisor, count):
    with pytest.raises(ParameterError, match="cannot hand over 'other'"):
        receiver(supervisor, (step(HANDS, count, "data"),), "other")
