"""A step is done once, whoever asks; its failure is told to all and not repeated."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from supervise.asking import job, strays, supervising, until

from aucbench.processes.records import CancelledError


@pytest.fixture
def count(tmp_path):
    return tmp_path / "count"


def step(count, key="data", n=5, *, then=None, seconds=0.0, **more):
    request = {"count": str(count), "n": n, "then": then, "seconds": seconds}
    return job("prepares", request, key=key, **more)


def outcomes_of(supervisor, jobs):
    with ThreadPoolExecutor(len(jobs)) as pool:
        return [*pool.map(supervisor.call, jobs)]


def test_a_step_is_done_once_by_jobs_that_start_together(supervisor, count):
    steps = (step(count, seconds=0.3),)
    asked = job("uses", {"key": "data"}, steps)
    found = outcomes_of(supervisor, [asked] * 4)

    assert [outcome.result for outcome in found] == [{"sum": 10, "earlier": []}] * 4
    assert supervisor.call(asked).result["sum"] == 10
    assert count.read_text() == "x"
    assert max(outcome.wall_seconds for outcome in found) < 0.3  # steps are none of their time


def test_later_steps_see_earlier_ones_and_a_step_may_be_a_job_itself(supervisor, count):
    first, second = step(count, "a", 3), step(count, "b", 4)
    assert supervisor.call(first).ending == "ok"
    result = supervisor.call(job("uses", {"key": "b"}, (first, second))).result

    assert result == {"sum": 6, "earlier": ["a"]}
    assert count.read_text() == "xx"


def test_another_request_under_the_same_key_is_another_step(supervisor, count):
    steps = [(step(count, n=n),) for n in (3, 4)]
    found = outcomes_of(supervisor, [job("uses", {"key": "data"}, each) for each in steps])

    assert [outcome.result["sum"] for outcome in found] == [3, 6]
    assert count.read_text() == "xx"


def test_what_no_job_needs_any_more_is_removed(supervisor, count):
    first, second = (job("names_its_steps", {}, (step(count, n=n),)) for n in (3, 4))
    folder = Path(supervisor.call(first).result["data"])
    assert Path(supervisor.call(first).result["data"]) == folder  # the next job may need it
    supervisor.call(job("echo"))
    assert folder.exists()
    other = Path(supervisor.call(second).result["data"])

    until(lambda: not folder.exists())  # in a thread
    assert other.exists()
    assert Path(supervisor.call(first).result["data"]) != folder
    assert count.read_text() == "xxx"


@pytest.mark.parametrize("then", ["fail", "refuse"])
def test_a_failing_step_is_named_and_not_repeated(supervisor, count, then):
    failing = step(count, "b", then=then)
    steps = (step(count, "a"), failing)
    first, second = outcomes_of(supervisor, [job("uses", {"key": "b"}, steps)] * 2)

    assert (first.ending, first.reason, first.step) == ("error", "no such data", "b")
    assert first.error_type == ("DataError" if then == "refuse" else "ValueError")
    assert first.refusal is (then == "refuse")
    assert first.log.startswith("about to fail")
    assert (first.result, first.lines) == (None, ())
    assert first == second
    assert count.read_text() == "xx"  # one for each step


def test_a_failing_step_is_tried_again_by_the_next_supervisor(count):
    for _ in range(2):
        with supervising(preload=()) as supervisor:
            outcome = supervisor.call(job("echo", {}, (step(count, "b", then="fail"),)))
            assert outcome.step == "b"
    assert count.read_text() == "xx"


def test_a_step_has_limits_of_its_own(supervisor, count):
    slow = step(count, "slow", then="hang once", timeout=0.5)
    for _ in range(2):  # a step that was too slow will be so again
        outcome = supervisor.call(job("echo", {}, (slow,)))
        assert (outcome.ending, outcome.step) == ("timeout", "slow")
        assert outcome.reason.startswith("did not end within 0.5 s")
    assert count.read_text() == "x"
    assert not strays(supervisor)


def test_a_step_that_was_given_up_is_done_by_the_next_job(supervisor, count):
    asked = job("echo", {"x": 1}, (step(count, then="hang once"),))
    cancelled = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        given_up = pool.submit(supervisor.call, asked, cancelled=cancelled)
        until(lambda: count.exists() and len(strays(supervisor)) >= 1)
        waits = pool.submit(supervisor.call, asked)
        cancelled.set()
        with pytest.raises(CancelledError):
            given_up.result()
        assert waits.result().result == {"asked": {"x": 1}}
    assert count.read_text() == "xx"
    assert not strays(supervisor)


def test_a_job_that_waits_for_the_step_of_another_one_can_be_given_up(supervisor, count):
    asked = job("echo", {}, (step(count, seconds=1.5),))
    cancelled = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        does_it = pool.submit(supervisor.call, asked)
        until(count.exists)
        waits = pool.submit(supervisor.call, asked, cancelled=cancelled)
        cancelled.set()
        with pytest.raises(CancelledError):
            waits.result()
        assert not does_it.done()
        assert does_it.result().ending == "ok"


def test_a_trusted_step_is_done_once_in_the_process_of_a_job_that_needs_it(supervisor, count):
    steps = (step(count, seconds=0.3, trusted=True),)
    found = outcomes_of(supervisor, [job("names_its_steps", {}, steps)] * 3)
    used = supervisor.call(job("uses", {"key": "data"}, steps))

    [folder] = {Path(outcome.result["data"]) for outcome in found}
    assert int((folder / "pid").read_text()) in [outcome.lines[0]["pid"] for outcome in found]
    assert used.result == {"sum": 10, "earlier": ["data"]}
    assert max(outcome.wall_seconds for outcome in found) < 0.3
    assert count.read_text() == "x"


def test_a_trusted_step_that_fails_or_crashes_is_named_and_tried_again(supervisor, count):
    failing = job("echo", {}, (step(count, "a", then="fail", trusted=True),))
    crashing = job("echo", {}, (step(count, "b", then="crash once", trusted=True),))
    failed = supervisor.call(failing)
    count.unlink()
    crashed, after = (supervisor.call(crashing) for _ in range(2))

    assert (failed.ending, failed.step, failed.error_type) == ("error", "a", "ValueError")
    assert (crashed.ending, crashed.step) == ("crash", "b")
    assert (after.ending, after.step, count.read_text()) == ("ok", None, "xx")
