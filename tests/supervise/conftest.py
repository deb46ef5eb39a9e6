"""A supervisor that is used again and again, as in a long run: both starts pass the same tests."""

from pathlib import Path

import pytest
from nights import NIGHTLY
from supervise.asking import job, left_by, supervising

from aucbench.processes.starting import CHOICE, FORK, SPAWN

HERE = Path(__file__).parent
# A new interpreter takes half a second. So each change asks less of it: orphans, memory, signals.
LONG = ("test_each_failure_has_its_ending", "test_a_result_counts_whatever_else_was_done")
SPAWNED_TOO = (
    *("GIL held", "segfault", "segfault with orphan", "hang with orphan", "orphan", "orphans"),
    *("lost file", "shared memory, hang", "shared memory left"),
)


def pytest_generate_tests(metafunc):
    mark = metafunc.definition.get_closest_marker("starts")
    starts = mark.args if mark else (FORK, SPAWN)
    metafunc.parametrize("start", starts, indirect=True, scope="module")


def pytest_collection_modifyitems(items):
    for item in items:
        asked = item.callspec.params if item.path.parent == HERE else {}
        is_long = asked and item.originalname in LONG and asked["name"] not in SPAWNED_TOO
        if is_long and asked["start"] == SPAWN:
            item.add_marker(NIGHTLY)


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
        outcome = supervisor.call(job(name, request, **limits))
        assert not left_by(supervisor, outcome)
        return outcome

    return run
