"""Tests that ask the same of both supervisors; a conftest imports the fixtures and `asks_both`."""

import pytest
from nights import NIGHTLY

from aucbench.processes.opening import CHOICE
from aucbench.processes.supervisor import KINDS, LINUX, PORTABLE


def asks_both(metafunc, *, at_night=False, but=()):
    """Run the tests of a file with each supervisor, or only with that of Linux; `but`: files."""
    if metafunc.module.__name__.endswith(tuple(but)):
        kinds = [LINUX]
    else:
        kinds = [LINUX, pytest.param(PORTABLE, marks=NIGHTLY)] if at_night else KINDS
    metafunc.parametrize("kind", kinds, indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def kind(request):
    """The supervisor that is opened, also in other processes that a test starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CHOICE, request.param)
        yield request.param


@pytest.fixture(autouse=True)
def promise(request, kind):
    """Skip what only the supervisor of Linux promises."""
    mark = request.node.get_closest_marker("linux")
    if mark is not None and kind != LINUX:
        (reason,) = mark.args
        pytest.skip(f"the portable supervisor does not promise it: {reason}")
