"""Arrays and facts in one block of bytes. Processes that map a block share its pages.

The arrays come first, each at a multiple of `ALIGN`, then JSON that says where they are, then its
length.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGN = 64  # bytes, a line of the cache
LENGTH = 8  # bytes of the length


def laid_out(
    arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]
) -> Iterator[bytes | memoryview]:
    """Yield the parts of a block; the facts are JSON."""
    places, at = {}, 0
    for name, array in arrays.items():
        whole = np.ascontiguousarray(array)
        places[name] = [whole.dtype.str, whole.shape, at]
        gap = -whole.nbytes % ALIGN
        at += whole.nbytes + gap
        yield whole.reshape(-1).view(np.uint8).data
        yield bytes(gap)
    index = json.dumps({"arrays": places, "facts": facts}, allow_nan=False).encode()
    yield index
    yield len(index).to_bytes(LENGTH, "little")


class Block:
    """A block, from bytes that cannot be written."""

    def __init__(self, content: memoryview | bytes):
        self._content = memoryview(content)

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of the arrays."""
        facts: dict[str, Any] = self._index["facts"]
        return facts

    @property
    def names(self) -> list[str]:
        """Names of the arrays."""
        return [*self._index["arrays"]]

    def __contains__(self, name: str) -> bool:
        """Whether there is an array of this name."""
        return name in self._index["arrays"]

    def array(self, name: str) -> NDArray[Any]:
        """Return an array, which cannot be written."""
        kind, shape, at = self._index["arrays"][name]
        dtype = np.dtype(kind)
        count = int(np.prod(shape))
        return np.frombuffer(self._content, dtype, count, at).reshape(shape)

    @cached_property
    def _index(self) -> dict[str, Any]:
        end = len(self._content) - LENGTH
        size = int.from_bytes(self._content[end:], "little")
        index: dict[str, Any] = json.loads(bytes(self._content[end - size : end]))
        return index
