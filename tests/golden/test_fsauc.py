"""Retrace the FSAUC of the C code published with the SHT-AUC paper.

It fixes kappa = 1, and its stages follow from the planned passes: each epoch is a run.
"""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.registry import get_solver


@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("name", ["fsauc", "fsauc_tight"])
def test_fsauc(reference, name, layout):
    index = json.loads((reference / "sht" / "index.json").read_text())
    file = f"small__{name}.npz"
    hyper = next(case["hyper"] for case in index["cases"] if case["file"] == file)
    run = np.load(reference / "sht" / file)
    small = np.load(reference / "sht" / "input_small.npz")
    data = Data.of(layout(small["X"]), small["y"])

    found = []
    for passes in run["epochs"].tolist():
        solver = get_solver(
            "fsauc", R=hyper["R"], eta=hyper["g"], kappa=1.0, passes=passes, shuffle=False
        )
        for state in solver.iterates(solver.problem(data, None), np.random.default_rng(0)):
            last = state.w
        found.append(last)

    np.testing.assert_allclose(found, run["W"], rtol=1e-10, atol=1e-12)
