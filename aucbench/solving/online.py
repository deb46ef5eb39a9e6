"""Solvers that learn from chunks of rows as they come, one fit for each class if there are many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.targets import Labels
from aucbench.errors import DataError, UnsupportedError
from aucbench.features.chain import mapped
from aucbench.protocols import FeatureMap, NoMap, Solver, Streaming
from aucbench.registry import described, get_preprocessing, get_solver


@dataclass(slots=True)
class Online:
    """A streaming solver that learns, with a memory for each fit.

    Attributes
    ----------
    spec : str or Solver
        The solver as it was asked for.
    solver : Streaming
    features : FeatureMap
        Learnt from the first chunk.
    memories : tuple of K memories
        One for two classes; for three or more, one for each class against the rest.
    """

    spec: str | Solver
    solver: Streaming
    features: FeatureMap
    memories: tuple[Any, ...]

    @staticmethod
    def start(
        spec: str | Solver, features: str | FeatureMap, rows: Rows, count: int, seed: int
    ) -> Online:
        """Return a solver whose `count` weight vectors are zeros, with the map of these rows.

        Raises
        ------
        UnsupportedError
            When the solver needs all rows at once.
        """
        streaming, phi = require_streaming(spec), get_preprocessing(features)
        if not isinstance(phi, NoMap):
            any_labels = Labels(np.ones(rows.n, np.int8))  # a class may be missing
            phi = phi.fit(Data(rows, any_labels), np.random.default_rng([seed, 0]))
        d = phi(rows.take(slice(0, 1))).d
        # The generator that `solve` hands over, in the fit of each class.
        rngs = [np.random.default_rng(seed).spawn(2)[1] for _ in range(count)]
        memories = tuple(streaming.start(np.zeros(d), rng) for rng in rngs)
        return Online(spec, streaming, phi, memories)

    def learn(self, rows: Rows, sides: Sequence[NDArray[np.int8]]) -> Vector:
        """Take the rows as they come, and return a copy of the weights, (K, d).

        `sides` are the labels -1 and 1 of the rows for each memory.

        Raises
        ------
        DataError
            When the weights are no longer finite.
        """
        if not isinstance(self.features, NoMap):
            rows = mapped(self.features, rows)
        order = np.arange(rows.n, dtype=np.int32)
        for memory, y in zip(self.memories, sides, strict=True):
            self.solver.update(memory, Chunk(rows, y), order)
        W = np.array([self.solver.weights(memory) for memory in self.memories], np.float64)
        if not np.isfinite(W).all():
            raise DataError(
                "the weights are not finite after this chunk; scale the features or take smaller "
                "steps, and begin anew"
            )
        return W

    @property
    def keeps_rows(self) -> bool:
        """Whether the map or a memory has rows in it, as a buffer does."""
        return bool(getattr(self.features, "keeps_rows", False)) or _has_rows(self.memories)


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
