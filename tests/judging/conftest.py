"""A small run of ours, whose values are written as others would write them."""

import pytest
from result_folders import compared, verdict_of

__all__ = ["compared"]


@pytest.fixture(scope="session")
def frame(compared):
    """A row for each fold, with the columns that tables of others have too."""
    return compared.to_frame()[["solver", "dataset", "split", "auc"]]


@pytest.fixture(scope="session")
def own(compared):
    """What our own findings say: the words, who may be the best, and the means."""
    return verdict_of(compared.findings)
