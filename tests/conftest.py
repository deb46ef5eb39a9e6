"""Folders that may be absent, and examples that are the same in every run."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# Libraries read these when they are imported, so before anything else. Threads that wait for each
# other in a busy loop take minutes for seconds of work when something else needs a core. OpenMP
# keeps its threads; OpenBLAS has no such policy, and gets one thread, as in a worker.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A test that fails must fail again; `pytest --hypothesis-profile=explore` looks further.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None)
settings.load_profile("steady")


def folder(path: Path, what: str) -> Path:
    """Return the folder, or skip the test that asked for it."""
    if not path.is_dir():
        pytest.skip(f"no {what}: {path} is absent")
    return path


@pytest.fixture(scope="session")
def reference() -> Path:
    """Numbers recorded with other people's implementations."""
    return folder(ROOT.parent / "shared" / "reference", "reference outputs")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Real data sets: AUCBENCH_DATA, or shared/data next to the repository."""
    given = os.environ.get("AUCBENCH_DATA")
    return folder(Path(given) if given else ROOT.parent / "shared" / "data", "data sets")
