"""A supervisor that is used again and again, as in a long run."""

import pytest
from supervise.asking import alive, job, outcome_of, strays, supervising


@pytest.fixture(scope="module")
def supervisor():
    with supervising() as made:
        yield made


@pytest.fixture
def ended(supervisor):
    """ended(name, ...) -> outcome; nothing that it started may be alive afterwards."""

    def run(name, request=None, **limits):
        outcome = outcome_of(supervisor, job(name, request, **limits))
        assert not strays(supervisor.token)
        assert not alive(line["pid"] for line in outcome.lines if "pid" in line)
        return outcome

    return run
