import pytest
from toys import cells_in_process


@pytest.fixture
def here():
    """Cells of one test run in this process, while others of its file ask of processes."""
    with cells_in_process():
        yield
