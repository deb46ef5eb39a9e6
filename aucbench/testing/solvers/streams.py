"""A solver that streams has the same memory wherever chunks end."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from aucbench.data import Chunk
from aucbench.data.arrays import Index
from aucbench.protocols import Streaming
from aucbench.testing.laws import Laws, not_asked, require
from aucbench.testing.samples import (
    csr,
    extent,
    features,
    labels,
    numbers_of,
    require_close,
    sample,
)

laws = Laws("solvers")


@laws("1e-10 of each number")
def chunks(solver: Any) -> None:
    """The memory is the same wherever chunks end, even with a single row or class in a chunk."""
    if not isinstance(solver, Streaming):
        not_asked("it does not stream")
    cuts = [0, 1, 20, 21, 60, extent().n]
    for layout in (csr,) if extent().sparse else (np.asarray, csr):  # the whole and parts alike
        whole, parts = (
            solver.start(np.zeros(extent().d), np.random.default_rng(5)) for _ in range(2)
        )
        solver.update(whole, sample(layout).chunk, _first(extent().n))
        for lo, hi in pairwise(cuts):
            chunk = Chunk.of(layout(features()[lo:hi]), labels()[lo:hi])
            solver.update(parts, chunk, _first(hi - lo))
        once, cut = solver.weights(whole), solver.weights(parts)
        require_close("weights after chunks", cut, once, rtol=1e-10, atol=1e-13)
        held = numbers_of(whole), numbers_of(parts)
        require(held[0], "the memory has no number; keep what was learnt in a dataclass")
        for one, other in zip(*held, strict=True):
            require_close("the memory after chunks", other, one, rtol=1e-10, atol=1e-10)


def _first(count: int) -> Index:
    return np.arange(count, dtype=np.int32)
