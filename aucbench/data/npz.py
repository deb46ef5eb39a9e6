"""Read npz files that a job or a user wrote: they are checked, and nothing is unpickled.

`np.load` believes the header of an array: on damaged bytes it raises anything, or asks for as much
memory as a header says. Here a header has one form, is compared with the bytes that follow, and is
parsed once for all equal ones: a report reads tens of thousands of arrays.
"""

from __future__ import annotations

import re
import sys
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
VERSION = npy.magic(1, 0)  # of all arrays of plain values; its header says its length in two bytes
LENGTH = 2
# A Python literal, of which NumPy has written this form for plain values ever since; Python 2 had
# an L behind long numbers.
_HEADER = re.compile(
    re.escape(VERSION)
    + rb"""..\{
    \ *'descr':\ *'(?P<kind>[<>|=][biufcUS][1-9]\d{0,9})',
    \ *'fortran_order':\ *(?P<fortran>True|False),
    \ *'shape':\ *\((?P<shape>(?:\d{1,19}L?,?\ *){0,32})\),?
    \ *\}\s*""",
    re.VERBOSE | re.DOTALL,
)
SURROGATES = 0xD800 >> 11  # halves of characters of UTF-16
_SIZE = re.compile(rb"\d+")


def unpack(packed: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file by name."""
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


def npy_bytes(array: NDArray[Any]) -> bytes:
    """Return the bytes of a .npy file."""
    content = BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue()


def read_array(content: bytes) -> NDArray[Any]:
    """Return the array of an npy file; raises as `array_in`."""
    return array_in(content).copy()


def array_in(content: bytes) -> NDArray[Any]:
    """Return the array of an npy file, as a read-only view of its content."""
    if not content.startswith(npy.MAGIC_PREFIX):
        raise DataError("it is not an npz file: a member is not an array")
    start = len(VERSION) + LENGTH
    start += int.from_bytes(content[len(VERSION) : start], "little")
    shape, fortran, kind = _layout(content[:start])
    if prod(shape) * kind.itemsize != len(content) - start:
        raise DataError(
            f"it is not an npz file: an array has {' x '.join(map(str, shape)) or 1} values of "
            f"{kind.itemsize} bytes, but {len(content) - start} bytes are there; write it anew"
        )
    flat = np.frombuffer(content, kind, prod(shape), start)
    if kind.kind == "U":
        codes = flat.view(flat.dtype.byteorder.replace("=", "<") + "u4")
        if ((codes > sys.maxunicode) | (codes >> 11 == SURROGATES)).any():
            raise DataError("an array of texts holds what is no character; write the file anew")
    return flat.reshape(shape, order="F" if fortran else "C")


@lru_cache(maxsize=256)
def _layout(header: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, whether the order is Fortran's, and type, from the begin of an npy file."""
    match = _HEADER.fullmatch(header)
    if match is None:
        objects = b"'|O'" in header
        holds = "Python objects, which are not unpickled" if objects else "no plain values"
        raise DataError(
            f"it is not an npz file: a member holds {holds}; save arrays of numbers, truth values "
            "or texts"
        )
    shape = tuple(int(size) for size in _SIZE.findall(match["shape"]))
    try:
        return shape, match["fortran"] == b"True", np.dtype(match["kind"].decode())
    except TypeError as error:  # a float of three bytes, for example
        raise DataError(f"a member has a type that NumPy does not know: {error}") from error
