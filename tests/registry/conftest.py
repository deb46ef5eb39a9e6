from functools import partial

import pytest

from aucbench.processes import Supervisor
from aucbench.processes.isolated import supervised
from aucbench.registry.isolated_imports import PRELOAD


@pytest.fixture(scope="module", autouse=True)
def one_importer():
    """One warm process for all plugins that a file of tests has imported elsewhere."""
    with supervised(partial(Supervisor, preload=PRELOAD)):
        yield
