"""Passes over the rows, for methods that update after every row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np

from aucbench.contract import Problem, State, Streaming
from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.summaries import whole_chunk
from aucbench.data.tally import READ, count_at_least
from aucbench.scale import ChunkedData
from aucbench.scale.order import chunks

Number = TypeVar("Number", float, Vector)


def row_order(n: int, rng: np.random.Generator, *, shuffle: bool) -> Index:
    """Return the rows of one pass: a fresh random permutation, or 0 ... n-1 in file order."""
    order = np.arange(n, dtype=np.int32)
    if shuffle:
        rng.shuffle(order)
    return order


def capped(first: float, n: float, t: Number) -> Number:
    """Return η min(1, √(n/t)): a constant step for n rows, which then falls with the root of t.

    A method with steps ξ/√t is stable where they are below a bound η that the rows give. With
    ξ = η it crawls, since the step falls from the second row on. With ξ = η√n, cut off at η, it
    takes √n times longer steps, and averages noise out as fast.

    Parameters
    ----------
    first : float
        η > 0.
    n : float
        Number of rows that have the step η.
    t : float or array
        Numbers of rows, from 1.
    """
    step: Number = first * np.minimum(1.0, np.sqrt(n / t))
    return step


def passes(
    solver: Streaming,
    problem: Problem,
    w0: Vector,
    rng: np.random.Generator,
    *,
    shuffle: bool,
    memory: Any = None,
) -> Iterator[State]:
    """Run a streaming method over its training rows, and yield one state after each pass.

    Parameters
    ----------
    solver : Streaming
        Its memory is kept from pass to pass, as if the same rows came again.
    problem : Problem
        Holds the rows.
    w0 : array of shape (d,)
        The first weights.
    rng : Generator
        Draws the orders of the rows, and the random numbers of the method.
    shuffle : bool
        Whether each pass visits the rows in a fresh random order. False: in file order.
        Of rows in chunks the shuffle has two levels, see `aucbench.scale.order`.
    memory : object, optional
        The memory before the first row. None means `solver.start` of the first weights.
    """
    data = problem.data
    if memory is None:
        memory = solver.start(w0, rng)
    while True:
        read = READ.get().rows
        for chunk, order in _in_order(data, rng, shuffle=shuffle):
            solver.update(memory, chunk, order)
        count_at_least(
            read + data.n
        )  # kernels read raw arrays; `scores` and chunks count themselves
        yield State(solver.weights(memory))


def _in_order(
    data: Data | ChunkedData, rng: np.random.Generator, *, shuffle: bool
) -> Iterator[tuple[Chunk, Index]]:
    """Yield the chunks of a pass, and the order of the rows of each."""
    if isinstance(data, ChunkedData):
        for chunk in chunks(data, rng if shuffle else None):
            yield chunk, np.arange(chunk.n, dtype=np.int32)
    else:
        yield whole_chunk(data), row_order(data.n, rng, shuffle=shuffle)
