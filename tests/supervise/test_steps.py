"""A step is done once, whoever asks; its failure is told to all and not repeated."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from supervise.asking import call_all, job, strays, until

from aucbench.processes.records import CancelledError
from aucbench.processes.starting import FORK, SPAWN

once = pytest.mark.starts(FORK)  # a step that is not trusted starts as any job does


@pytest.fixture
def count(tmp_path):
    return tmp_path / "count"


def step(count, key="data", n=5, *, then=None, seconds=0.0, **more):
    request = {"count": str(count), "n": n, "then": then, "seconds": seconds}
    return job("prepare_rows", request, key=key, **more)


@pytest.mark.parametrize("trusted", [False, True])
def test_a_step_is_done_once_by_jobs_that_start_together(supervisor, count, trusted):
    """If it is trusted, in the process of one of these jobs."""
    asked = job("use_steps", {}, (step(count, seconds=0.2, trusted=trusted),))
    outcomes = [*call_all(supervisor, [asked] * 3), supervisor.call(asked)]

    [folder] = {Path(outcome.result["folders"]["data"]) for outcome in outcomes}
    assert {outcome.result["sums"]["data"] for outcome in outcomes} == {10}
    assert count.read_text() == "x"
    pids = {outcome.lines[0]["pid"] for outcome in outcomes}
    assert (int((folder / "pid").read_text()) in pids) is trusted


@once
def test_a_step_may_be_a_job_and_sees_earlier_ones_of_other_keys_or_requests(supervisor, count):
    first, second, other = step(count, "a", 3), step(count, "b", 4), step(count, "b", 5)
    assert supervisor.call(first).ending == "ok"
    jobs = [job("use_steps", {}, (first, last)) for last in (second, other)]
    found = [outcome.result for outcome in call_all(supervisor, jobs)]

    assert [each["sums"] for each in found] == [{"a": 3, "b": 6}, {"a": 3, "b": 10}]
    assert [each["earlier"] for each in found] == [{"a": [], "b": ["a"]}] * 2
    assert count.read_text() == "xxx"


@once
def test_what_no_job_needs_any_more_is_removed(supervisor, count):
    def folder_for(one):
        return Path(supervisor.call(one).result["folders"]["data"])

    first, second = (job("use_steps", {}, (step(count, n=n),)) for n in (3, 4))
    folder = folder_for(first)
    assert folder_for(first) == folder  # the next job may need it
    supervisor.call(job("echo"))
    assert folder.exists()
    other = folder_for(second)

    until(lambda: not folder.exists())  # in a thread
    assert other.exists()
    assert folder_for(first) != folder
    assert count.read_text() == "xxx"


@once
@pytest.mark.parametrize("then", ["fail", "refuse"])
def test_a_failing_step_is_named_and_not_repeated(supervisor, count, then):
    steps = (step(count, "a"), step(count, "b", then=then))
    first, second = call_all(supervisor, [job("use_steps", {}, steps)] * 2)

    assert (first.ending, first.reason, first.step) == ("error", "no such data", "b")
    assert first.error_type == ("DataError" if then == "refuse" else "ValueError")
    assert first.refusal is (then == "refuse")
    assert first.log.startswith("about to fail")
    assert (first.result, first.lines) == (None, ())
    assert first == second
    assert count.read_text() == "xx"  # one for each step


@once
def test_a_step_has_limits_of_its_own(supervisor, count):
    slow = step(count, "slow", then="hang once", timeout=0.5)
    for _ in range(2):  # a step that was too slow will be so again
        [outcome] = call_all(supervisor, [job("echo", {}, (slow,))])
        assert (outcome.ending, outcome.step) == ("timeout", "slow")
        assert outcome.reason.startswith("did not end within 0.5 s")
    assert count.read_text() == "x"


@once
def test_a_step_that_was_given_up_is_done_by_the_next_job_that_still_waits(supervisor, count):
    asked = job("echo", {"x": 1}, (step(count, then="hang once"),))
    first, second = threading.Event(), threading.Event()
    with ThreadPoolExecutor(3) as pool:
        does_it = pool.submit(supervisor.call, asked, cancelled=first)
        until(lambda: count.exists() and len(strays(supervisor)) >= 1)
        waits = pool.submit(supervisor.call, asked)
        given_up = pool.submit(supervisor.call, asked, cancelled=second)
        second.set()
        with pytest.raises(CancelledError):
            given_up.result()
        assert not does_it.done()
        first.set()
        with pytest.raises(CancelledError):
            does_it.result()
        assert waits.result().result == {"asked": {"x": 1}}
    assert count.read_text() == "xx"
    assert not strays(supervisor)


@pytest.mark.starts(FORK, SPAWN)
def test_a_trusted_step_that_fails_or_crashes_is_named_and_tried_again(supervisor, count):
    failing = job("echo", {}, (step(count, "a", then="fail", trusted=True),))
    crashing = job("echo", {}, (step(count, "b", then="crash once", trusted=True),))
    failed = supervisor.call(failing)
    count.unlink()
    crashed, after = (supervisor.call(crashing) for _ in range(2))

    assert (failed.ending, failed.step, failed.error_type) == ("error", "a", "ValueError")
    assert (crashed.ending, crashed.step) == ("crash", "b")
    assert (after.ending, after.step, count.read_text()) == ("ok", None, "xx")
