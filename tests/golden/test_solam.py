"""Retrace the SOLAM of the C code published with the SHT-AUC paper, row by row.

It starts at w = R/sqrt(d), a = b = R, alpha = 2R and clips with kappa = 1, but a and b from
above only (which shows in the first rows): here rows come one by one, without a bound of the
solver's own, and the test clips.
"""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.registry import get_solver


@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("name", ["solam", "solam_tight"])
def test_solam(reference, name, layout):
    index = json.loads((reference / "sht" / "index.json").read_text())
    file = f"small__{name}.npz"
    hyper = next(case["hyper"] for case in index["cases"] if case["file"] == file)
    run = np.load(reference / "sht" / file)
    small = np.load(reference / "sht" / "input_small.npz")
    data = Data.of(layout(small["X"]), small["y"])
    R = hyper["R"]
    solver = get_solver("solam", xi=hyper["xi"], R=R, kappa=1e9, shuffle=False)

    memory = solver.start(np.full(data.d, R / np.sqrt(data.d)), np.random.default_rng(0))
    memory.numbers[:3] = R, R, 2 * R
    found = []
    for t in range(max(run["epochs"]) * data.n):
        solver.update(memory, data.chunk, np.array([t % data.n], dtype=np.int32))
        memory.numbers[:3] = np.clip(memory.numbers[:3], [-np.inf, -np.inf, -2 * R], [R, R, 2 * R])
        if (t + 1) / data.n in run["epochs"]:
            found.append(solver.weights(memory))

    np.testing.assert_allclose(found, run["W"], rtol=1e-10, atol=1e-12)
