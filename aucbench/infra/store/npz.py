"""Read npz files that a job wrote: their content is checked, and nothing is unpickled.

`np.load` parses the header of each array as a Python literal. The headers of the cells of a data
set are the same, so that here they are parsed once: a report reads tens of thousands of arrays.
"""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from math import prod
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from aucbench.errors import DataError

MOST_UNPACKED = 2**30  # bytes, unpacked
VERSION = npy.magic(1, 0)  # of nearly all arrays; its header says its length in two bytes
LENGTH = 2


def unpack(packed: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file by name.

    Raises
    ------
    DataError
        When it is not an npz file, holds Python objects, or needs more than 1 GiB unpacked.
    """
    try:
        with ZipFile(BytesIO(packed)) as members:
            size = sum(member.file_size for member in members.infolist())
            if size > MOST_UNPACKED:
                raise DataError(
                    f"it unpacks to {size} bytes, more than the {MOST_UNPACKED} allowed"
                )
            return {
                name.removesuffix(".npy"): read_array(members.read(name))
                for name in members.namelist()
            }
    except DataError:
        raise
    except Exception as error:  # bytes from a plugin can make the parsers raise anything
        raise DataError(f"it is not an npz file: {type(error).__name__}: {error}") from error


def read_array(content: bytes) -> NDArray[Any]:
    """Return the array of an npy file."""
    if not content.startswith(npy.MAGIC_PREFIX):
        raise DataError("it is not an npz file: a member is not an array")
    start = len(VERSION) + LENGTH
    if not content.startswith(VERSION) or len(content) < start:
        found: NDArray[Any] = npy.read_array(BytesIO(content), allow_pickle=False)
        return found
    start += int.from_bytes(content[len(VERSION) : start], "little")
    shape, fortran, kind = _layout(content[:start])
    if kind.hasobject:
        raise DataError(
            "it is not an npz file: a member holds Python objects, which are not unpickled"
        )
    flat = np.frombuffer(content, kind, prod(shape), start)
    return flat.reshape(shape, order="F" if fortran else "C").copy()


@lru_cache(maxsize=256)
def _layout(header: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, whether the order is Fortran's, and type, from the begin of an npy file."""
    found: tuple[tuple[int, ...], bool, np.dtype[Any]] = npy.read_array_header_1_0(
        BytesIO(header[len(VERSION) :])
    )
    return found
