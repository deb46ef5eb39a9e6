"""A supervisor that is used again and again, as in a long run: both of them pass the same tests."""

import pytest
from supervise.asking import alive, job, outcome_of, strays, supervising
from supervisors import asks_both, kind, promise

__all__ = ["kind", "promise"]
OF_LINUX = ("test_parts", "test_scratch")  # about parts of that supervisor


# What the portable one is asked at night only, since each failure takes it a second.
LONG = ("test_each_failure_has_its_ending", "test_neighbours_of_the_tortured_are_unaffected")


def pytest_generate_tests(metafunc):
    asks_both(metafunc, at_night=metafunc.function.__name__ in LONG, but=OF_LINUX)


@pytest.fixture(scope="module")
def supervisor(kind):
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
