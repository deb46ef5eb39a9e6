"""Retrace the OPAUC of the C code published with the SHT-AUC paper, its dense form.

It steps as ours does: no step before the first row of the other class, further passes with
the same moments, rows in file order.
"""

import json
from itertools import islice

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.registry import get_solver


@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
def test_opauc(reference, layout):
    index = json.loads((reference / "sht" / "index.json").read_text())
    file = "small__opauc.npz"
    hyper = next(case["hyper"] for case in index["cases"] if case["file"] == file)
    run = np.load(reference / "sht" / file)
    small = np.load(reference / "sht" / "input_small.npz")
    data = Data.of(layout(small["X"]), small["y"])
    solver = get_solver("opauc", eta=hyper["eta"], lam=hyper["lam"], shuffle=False)

    states = solver.iterates(solver.problem(data, None), np.random.default_rng(0))
    w = [state.w.copy() for state in islice(states, max(run["epochs"]))]

    np.testing.assert_allclose([w[t - 1] for t in run["epochs"]], run["W"], rtol=1e-10)
