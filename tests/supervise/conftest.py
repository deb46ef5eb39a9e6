"""A supervisor that is used again and again, as in a long run: both of them pass the same tests."""

import pytest
from supervise.asking import alive, job, outcome_of, strays, supervising

from aucbench.processes.opening import CHOICE
from aucbench.processes.supervisor import KINDS, LINUX

OF_LINUX = ("test_parts", "test_scratch")  # files about parts of that supervisor


def pytest_generate_tests(metafunc):
    kinds = [LINUX] if metafunc.module.__name__.endswith(OF_LINUX) else KINDS
    metafunc.parametrize("kind", kinds, indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def kind(request):
    """The supervisor that is opened, also in other processes that a test starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CHOICE, request.param)
        yield request.param


@pytest.fixture(autouse=True)
def _promise(request, kind):
    """Skip what only the supervisor of Linux promises."""
    mark = request.node.get_closest_marker("linux")
    if mark is not None and kind != LINUX:
        (reason,) = mark.args
        pytest.skip(f"the portable supervisor does not promise it: {reason}")


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
