"""Light steps are done in one process, and in another one when they do not succeed there."""

import os
import signal

import pytest
from supervise.asking import HERE, job, outcome_of, strays, supervising, until
from supervise.torture import MB

from aucbench.processes import Limits, Step
from aucbench.processes.linux.light_steps import PATIENCE

WIDE = Limits(timeout=20.0, grace=0.1)


@pytest.fixture(scope="module")
def warm():
    """A supervisor whose warm process has imported the functions of the steps."""
    with supervising(preload=("numpy.random", HERE)) as made:
        yield made


@pytest.fixture
def count(tmp_path):
    return tmp_path / "count"


def light(count, n, then="nothing", limits=WIDE, name="prepares_and_tells"):
    asked = {"count": str(count), "n": n, "then": then}
    return Step("data", f"{HERE}:{name}", asked, limits, light=True)


def told(supervisor, step):
    """What a step has told of itself, to the job that needed it."""
    outcome = outcome_of(supervisor, job("found", {"key": step.key}, (step,)))
    assert outcome.ending == "ok", outcome.reason
    return outcome.result


def test_one_process_does_light_steps_that_find_what_they_would_find_alone(warm, count):
    first, second, again = (told(warm, light(count, n)) for n in (1, 2, 1))

    assert first["pid"] == second["pid"]
    assert first["cwd"] == second["cwd"] == "True"
    assert first == again
    assert count.read_text() == "xx"
    assert first["random"] != second["random"]  # each has the seed of its request
    warm.forget(light(count, 2))
    assert told(warm, light(count, 2)) == second
    alone = Step("alone", light(count, 2).call, light(count, 2).request, WIDE)
    assert told(warm, alone)["random"] == second["random"]
    assert not strays(warm.token)


def test_a_job_has_another_process_than_its_light_step(warm, count):
    step = light(count, 3)
    told_by_job = outcome_of(warm, job("which", {}, (step,))).result

    assert told_by_job["pid"] != told(warm, step)["pid"]


def test_a_light_step_that_imports_is_the_last_one_of_its_process(warm, count):
    before, importing, after = (
        told(warm, light(count, n, then)) for n, then in ((4, ""), (5, "import"), (6, ""))
    )
    assert before["pid"] == importing["pid"] != after["pid"]


@pytest.mark.parametrize("then", ["die once", "hang once"])
def test_a_light_step_that_does_not_end_well_is_done_by_a_process_of_its_own(warm, count, then):
    before = told(warm, light(count.with_name("other"), 7))
    found = told(warm, light(count, 7, then))

    assert count.read_text() == "xx"
    assert found["pid"] != before["pid"]
    assert not strays(warm.token)


def test_a_light_step_that_fails_is_reported_as_any_other(warm, count):
    outcomes = [
        outcome_of(warm, job("echo", {}, (light(count, 8, name="prepares_and_fails"),)))
        for _ in range(2)
    ]
    for outcome in outcomes:
        assert (outcome.ending, outcome.step) == ("error", "data")
        assert (outcome.reason, outcome.error_type) == ("no such data", "ValueError")
        assert outcome.log.startswith("about to fail")
    assert count.read_text() == "xx"  # once as a light step


@pytest.mark.parametrize("limits", [Limits(memory=500 * MB), Limits(timeout=PATIENCE / 2)])
def test_a_step_with_narrow_limits_has_a_process_of_its_own(warm, count, limits):
    first, second = (told(warm, light(count, n, limits=limits)) for n in (9, 10))

    assert first["pid"] != second["pid"]


def test_the_process_of_light_steps_is_killed_or_stopped_while_it_is_free(warm, count):
    pid = told(warm, light(count, 11))["pid"]
    os.kill(pid, signal.SIGKILL)
    told(warm, light(count, 12))  # by whatever process
    second = told(warm, light(count, 13))["pid"]
    os.kill(second, signal.SIGSTOP)

    assert told(warm, light(count, 14))["pid"] == second != pid
    assert count.read_text() == "xxxx"


def test_a_job_that_is_killed_during_its_light_step_is_not_started(warm, count):
    step = light(count, 15, "hang once")
    ticket = warm.submit(job("echo", {}, (step,)))
    until(count.exists)
    warm.kill(ticket)

    assert warm.wait(0.1) == []
    assert outcome_of(warm, job("echo", {"x": 1}, (step,))).result == {"asked": {"x": 1}}


def test_jobs_that_start_together_do_a_light_step_once(warm, count):
    tickets = [warm.submit(job("found", {"key": "data"}, (light(count, 16),))) for _ in range(4)]
    found = {}
    while more := warm.wait():
        found |= dict(more)

    assert len({found[ticket].result["pid"] for ticket in tickets}) == 1
    assert count.read_text() == "x"
