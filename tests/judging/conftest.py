"""A small run of ours, whose values are written as others would write them."""

import pytest
from judged_results import said_of
from toys import cells_in_process

from aucbench import compare


@pytest.fixture(scope="session")
def results():
    """Three solvers on six data sets, two folds of each."""
    sets = [f"digits-{digit}" for digit in range(6)]
    with cells_in_process():
        return compare("logistic,svm-or,constant", sets, splits=2, passes=2, quiet=True)


@pytest.fixture(scope="session")
def frame(results):
    """A row for each fold, with the columns that tables of others have too."""
    return results.to_frame()[["solver", "dataset", "split", "auc"]]


@pytest.fixture(scope="session")
def own(results):
    """What our own findings say: the words, who may be the best, and the means."""
    return said_of(results.findings)
