"""The shapes that effects of columns must have in a cell."""

from __future__ import annotations

from dataclasses import replace

from aucbench.bench.worker.block import Block
from aucbench.bench.worker.rows import NAMES
from aucbench.data import Data


def shaped(monotone: str | None, data: Data, source: Block) -> Data:
    """Return raw rows with the shapes that are asked for; the source knows names of columns.

    It raises `DataError` where there is no such column.
    """
    if monotone is None:
        return data
    names = source.facts.get(NAMES)
    return replace(data, names=None if names is None else tuple(names)).shaped(monotone)
