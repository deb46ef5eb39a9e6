"""How many rows are read for products with weights.

Everything that multiplies rows by weights ends in `passes`, or forms a matrix of products in
`Rows`; what reads raw arrays calls `count_rows`. `solve` divides the sum by the training rows,
which gives the passes. The sum belongs to what runs in one thread, not to the rows: a method could
read a copy, and fits that share rows would share the number. The numbers in these rows say how much
work a fit is, on every machine alike: a search of parameters counts them in place of seconds, see
`aucbench.solving.halving`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Tally:
    """The rows that were read so far, and the numbers that they store, with those of tuning."""

    __slots__ = ("numbers", "rows")

    def __init__(self) -> None:
        self.rows, self.numbers = 0, 0.0

    def add(self, rows: int, numbers: float) -> None:
        """Count rows that store so many numbers."""
        self.rows += rows
        self.numbers += numbers


READ = ContextVar("READ", default=Tally())  # noqa: B039 - nobody looks at the default


def count_rows(rows: int) -> None:
    """Count rows that were read from raw arrays, for a product with weights or for an update."""
    READ.get().rows += rows


def count_at_least(rows: int) -> None:
    """Count as many rows as are missing until so many were read in this block of `counting`.

    So what an earlier fit has read and kept counts as read, and nothing counts twice.
    """
    read = READ.get()
    read.rows = max(read.rows, rows)


@contextmanager
def counting() -> Iterator[Tally]:
    """Count the rows that this thread reads in the block, and in no block around it."""
    tally, around = Tally(), READ.get()
    before = READ.set(tally)
    try:
        yield tally
    finally:
        READ.reset(before)
        around.numbers += tally.numbers


@contextmanager
def uncounted() -> Iterator[None]:
    """What is read in this block does not count as seen.

    It is for tuning, as in `aucbench.optim.chosen`, and for products with vectors that do not
    depend on weights, such as a mean of rows.
    """
    with counting():
        yield
