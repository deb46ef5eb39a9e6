"""A streaming solver that learns chunk after chunk, for `partial_fit`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Chunk
from aucbench.data.arrays import Rows, Vector
from aucbench.errors import DataError, UnsupportedError
from aucbench.features.chain import mapped
from aucbench.protocols import FeatureMap, NoMap, Solver, Streaming
from aucbench.registry import described, get_solver


@dataclass(slots=True)
class Online:
    """A streaming solver that learns: its specification, its feature map, and its memory.

    Of three or more classes it has a memory for each, which learns the class against the rest.
    """

    spec: str | Solver
    features: FeatureMap
    solver: Streaming
    memories: tuple[Any, ...]

    def learn(self, rows: Rows, sides: Sequence[NDArray[np.int8]]) -> Vector:
        """Take the rows as they come, and return a copy of the weights, (d,) or (K, d).

        `sides` are the labels -1 and 1 for each memory.
        """
        if not isinstance(self.features, NoMap):
            rows = mapped(self.features, rows)
        pairs = zip(self.memories, sides, strict=True)
        each = [self._updated(memory, Chunk(rows, y)) for memory, y in pairs]
        return each[0] if len(each) == 1 else np.array(each)

    def _updated(self, memory: Any, chunk: Chunk) -> Vector:
        """Let a memory take the rows, and return its weights."""
        self.solver.update(memory, chunk, np.arange(chunk.n, dtype=np.int32))
        w = np.array(self.solver.weights(memory), dtype=np.float64)
        if not np.isfinite(w).all():
            raise DataError(
                "the weights are not finite after this chunk; scale the features or take smaller "
                "steps, and begin anew"
            )
        return w

    @property
    def keeps_rows(self) -> bool:
        """Whether the memory has rows in it, as a buffer does."""
        return _has_rows(self.memories)


def require_streaming(spec: str | Solver) -> Streaming:
    """Return the solver.

    Raises
    ------
    UnsupportedError
        When it needs all rows at once.
    """
    solver = get_solver(spec)
    if isinstance(solver, Streaming):
        return solver
    able = (known.name for known in described("solvers") if known.streaming)
    raise UnsupportedError(
        f"{spec!r} needs all rows at once, so that only fit is possible; solvers "
        f"that learn from chunks are {', '.join(able) or 'not installed'}"
    )


def _has_rows(memory: Any) -> bool:
    if isinstance(memory, Rows):
        return True
    if isinstance(memory, list | tuple):
        return any(map(_has_rows, memory))
    if not is_dataclass(memory):
        return False
    return any(_has_rows(getattr(memory, f.name)) for f in fields(memory))
