"""A command line with the torture plugins installed for it, new for each test."""

import pytest
from harness.shell import installed
from supervisors import asks_both, kind, promise

__all__ = ["kind", "promise"]


def pytest_generate_tests(metafunc):
    asks_both(metafunc, at_night=True)


@pytest.fixture
def shell(tmp_path, kind):
    return installed(tmp_path)
