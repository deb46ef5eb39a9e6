"""Memory for kernels that work with vector registers."""

from __future__ import annotations

from math import prod

import numpy as np

from aucbench.data.arrays import Vector

REGISTER = 8  # numbers in the largest vector register, and in a cache line


def padded(size: int) -> int:
    """Return the next multiple of `REGISTER`."""
    return -(-size // REGISTER) * REGISTER


def aligned(*shape: int) -> Vector:
    """Return zeros that begin at a cache line, so that no register spans two lines."""
    size = prod(shape)
    room = np.zeros(size + REGISTER - 1)
    skip = -(room.ctypes.data // room.itemsize) % REGISTER
    return room[skip : skip + size].reshape(shape)
