"""npz: an archive of arrays, X and y, or the parts of a CSR matrix and y."""

from __future__ import annotations

from typing import IO, Any
from zipfile import ZipFile, is_zipfile

from aucbench.data.npz import array_in
from aucbench.datasets.compressed import require_small_members
from aucbench.errors import DataError

PARTS = ("data", "indices", "indptr", "shape")
ENDING = ".npy"  # of a member


def arrays(stream: IO[bytes], label: str) -> tuple[Any, Any]:
    """Return the matrix of an archive, dense or CSR, and its array `label`."""
    if not is_zipfile(stream):
        raise DataError("it is no archive of arrays; write it with numpy.savez")
    require_small_members(stream)
    with ZipFile(stream) as archive:
        held = {name.removesuffix(ENDING): name for name in archive.namelist()}
        if label not in held or not ("X" in held or held.keys() >= {*PARTS}):
            raise DataError(
                f"it holds {', '.join(sorted(held)) or 'nothing'}; give {label}, and X or the CSR "
                f"parts {', '.join(PARTS)}"
            )
        wanted = [label, *(["X"] if "X" in held else PARTS)]
        y, *parts = (array_in(archive.read(held[name])) for name in wanted)
    X = parts[0] if len(parts) == 1 else _csr(*parts)
    if X.ndim != 2 or y.shape != X.shape[:1]:
        shapes = (" x ".join(map(str, array.shape)) or "one value" for array in (X, y))
        raise DataError(
            f"its arrays have the shapes {' and '.join(shapes)}; give a matrix, and in {label} one "
            "label for each of its rows"
        )
    return X, y


def _csr(data: Any, indices: Any, starts: Any, shape: Any) -> Any:
    from scipy.sparse import csr_array

    n, d = shape.tolist()
    X = csr_array((data, indices, starts), shape=(n, d))
    X.check_format(full_check=True)  # kernels do not check column numbers
    return X
