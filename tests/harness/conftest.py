"""A command line with the torture plugins installed for it, new for each test."""

import pytest
from harness.shell import installed


@pytest.fixture
def shell(tmp_path):
    return installed(tmp_path)
