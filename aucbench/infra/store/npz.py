"""Read npz files that a job wrote: their content is checked, and nothing is unpickled."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import DataError

MOST_UNPACKED = 2**30  # bytes, unpacked


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
            raise DataError(f"it unpacks to {size} bytes, more than the {MOST_UNPACKED} allowed")
        with np.load(BytesIO(packed), allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
    except DataError:
        raise
    except Exception as error:  # bytes from a plugin can make the parsers raise anything
        raise DataError(f"it is not an npz file: {type(error).__name__}: {error}") from error
    if not all(isinstance(array, np.ndarray) for array in found.values()):
        raise DataError("it is not an npz file: a member is not an array")
    return found
