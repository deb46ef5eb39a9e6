"""A supervisor that is used again and again, as in a long run: both starts pass the same tests.

One of them does so at night, but for tests with a mark.
"""

import pytest
from nights import first
from supervise.asking import call_all, job, supervising

from aucbench.processes.starting import CHOICE, STARTS


def pytest_generate_tests(metafunc):
    mark = metafunc.definition.get_closest_marker("starts")
    starts = mark.args if mark else first(STARTS)
    metafunc.parametrize("start", starts, indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def start(request):
    """How processes start, also those of other programs that a test starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CHOICE, request.param)
        yield request.param


@pytest.fixture(scope="module")
def supervisor(start):
    with supervising() as made:
        yield made


@pytest.fixture
def ended(supervisor):
    """ended(name, ...) -> outcome; nothing that it started may be alive afterwards."""

    def run(name, request=None, **limits):
        [outcome] = call_all(supervisor, [job(name, request, **limits)])
        return outcome

    return run
