"""Arrays in a folder, a .npy file each, mapped read-only: processes share their pages."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def write_array(folder: Path, name: str, array: NDArray[Any]) -> None:
    """Write an array into a folder."""
    np.save(folder / f"{name}.npy", array, allow_pickle=False)


def read_array(folder: Path, name: str) -> NDArray[Any]:
    """Return an array of the folder as a read-only map."""
    return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))


def npy_bytes(array: NDArray[Any]) -> bytes:
    """Return the bytes of a .npy file."""
    content = BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue()
