"""Runs of the C code that was published with the SHT-AUC paper, on one small data set."""

import json
from itertools import islice

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench.data import Data


class Recorded:
    """The rows, in one layout, and the runs by their names."""

    def __init__(self, folder, layout):
        index = json.loads((folder / "index.json").read_text())
        self._folder, self._cases = folder, {case["file"]: case for case in index["cases"]}
        small = np.load(folder / "input_small.npz")
        self.X, self.y = small["X"], small["y"]
        self.data = Data.of(layout(self.X), self.y)

    def __call__(self, name):
        """Hyperparameters, and the arrays of a run."""
        file = f"small__{name}.npz"
        return self._cases[file]["hyper"], np.load(self._folder / file)


@pytest.fixture(scope="module", params=[np.asarray, csr_array], ids=["dense", "csr"])
def recorded(request, reference):
    return Recorded(reference / "sht", request.param)


@pytest.fixture
def after():
    """Return a function to the weights after the given numbers of steps."""

    def weights(states, steps):
        each = [state.w.copy() for state in islice(states, int(max(steps)))]
        return np.array([each[t - 1] for t in steps])

    return weights
