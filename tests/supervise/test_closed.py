"""What the process of a job cannot get: what others were asked."""

from supervise.asking import HERE, job, outcome_of, supervising

from aucbench.infra.supervise import Limits, Step

SECRET = "labels of training rows, which are test rows of another split; "
PATTERN = "labels of training r[o]ws"
TIMES = 2000  # so long that not all of what was thrown away is overwritten


def test_no_request_is_in_the_memory_of_another_job():
    told = {"secret": SECRET * TIMES, "pattern": PATTERN}
    step = Step("data", f"{HERE}:leaked", told, Limits(timeout=20.0))
    with supervising() as supervisor:
        first = outcome_of(supervisor, job("remembers", told, (step,)))
        other = outcome_of(supervisor, job("remembers", {"pattern": PATTERN}))

    assert first.result["found"] >= TIMES
    assert other.result["found"] == 0


def test_a_request_is_in_no_file_while_its_job_runs():
    with supervising() as supervisor:
        told = {"folder": str(supervisor._folder), "text": SECRET}
        found = outcome_of(supervisor, job("finds", told))

    assert found.result == {"files": []}
