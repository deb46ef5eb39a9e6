"""A command line with the torture plugins installed for it, new for each test."""

import sys
from contextlib import closing

import pytest
from harness.shell import Shell
from nights import first

from aucbench.processes.starting import CHOICE, SPAWN, STARTS


@pytest.fixture(scope="module", params=first(STARTS if sys.platform == "linux" else [SPAWN]))
def start(request):
    """How processes start, also those of commands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CHOICE, request.param)
        yield request.param


@pytest.fixture
def shell(tmp_path, start):
    with closing(Shell(tmp_path)) as made:
        yield made
