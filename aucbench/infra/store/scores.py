"""Scores of test rows: npz files that a job left, read without trust."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import DataError

LARGEST = 2**30  # bytes, unpacked


def unpack(packed: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file by name; nothing in it is unpickled.

    Raises
    ------
    DataError
        When it is no npz file, holds objects, or would unpack to more than 1 GiB.
    """
    try:
        with ZipFile(BytesIO(packed)) as members:
            size = sum(member.file_size for member in members.infolist())
        if size > LARGEST:
            raise DataError(f"they unpack to {size} bytes, more than the {LARGEST} allowed")
        with np.load(BytesIO(packed), allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
    except DataError:
        raise
    except Exception as error:  # the parsers raise whatever bytes of a plugin lead them to
        raise DataError(f"they are no npz file: {type(error).__name__}: {error}") from error
    if not all(isinstance(array, np.ndarray) for array in found.values()):
        raise DataError("they are no npz file: a member is no array")
    return found
