import pytest

from aucbench.processes.isolated import supervised


@pytest.fixture(scope="module", autouse=True)
def warm_process():
    """What decodes files starts once for a module of tests, if it is needed at all."""
    with supervised():
        yield
