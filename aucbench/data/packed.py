"""What is known of rows, as bytes that cross from one process to another, without pickle."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Rows
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.categories import Categories
from aucbench.data.data import TIES, Data, ties_of
from aucbench.data.grades import Grades
from aucbench.data.kinds import Target
from aucbench.data.survival import Survival
from aucbench.data.targets import Labels
from aucbench.errors import DataError

Arrays = Mapping[str, NDArray[Any]]
RELEVANT = "relevant"
CHANGES = ("example", "value", "fp_diff", "fn_diff")  # of Breakpoints, (B,)
OF_EXAMPLES = ("fp_base", "fn_base", "fp_possible", "fn_possible")  # of Breakpoints, (n,)

WEIGHTS = {"weights": "weights"}
ROWS: Mapping[type[Target], Mapping[str, str]] = {  # arrays, and their fields
    Labels: {"y": "y", **WEIGHTS},
    Survival: {"time": "time", "event": "event", **WEIGHTS},
    Grades: {"grades": "y", **WEIGHTS},
    Categories: {"category": "y", "classes": "names", **WEIGHTS},
}
FIELDS = {**ROWS, Breakpoints: {name: name for name in CHANGES + OF_EXAMPLES}}


def arrays_of(target: Target) -> dict[str, NDArray[Any]]:
    """Return the arrays of a target by name: those of its fields that there are."""
    own = next(names for kind, names in FIELDS.items() if isinstance(target, kind))
    arrays = {name: getattr(target, own[name]) for name in own}
    return {name: array for name, array in arrays.items() if array is not None}


def target_of(arrays: Arrays) -> Target:
    """Inverse of `arrays_of`."""
    for kind, own in ROWS.items():
        if next(iter(own)) in arrays:
            fields: Any = {own[name]: arrays[name] for name in own if name in arrays}
            return kind(**fields)
    e, value, fp, fn = (arrays[name] for name in CHANGES)
    ends = [arrays[name] for name in OF_EXAMPLES]
    return Breakpoints(e, value, fp, fn, ends[0].size, *ends)


def pack_arrays(arrays: Arrays) -> bytes:
    """Return the arrays as the bytes of a compressed npz file.

    It is the least compression: more of it takes ten times as long, and saves little of scores.
    """
    file = BytesIO()
    try:
        with ZipFile(file, "w") as archive:
            for name, array in arrays.items():
                content = BytesIO()
                np.lib.format.write_array(content, np.asanyarray(array), allow_pickle=False)
                member = ZipInfo(f"{name}.npy")  # without the time, which a zip has from 1980 on
                archive.writestr(member, content.getbuffer(), ZIP_DEFLATED, compresslevel=1)
    except ValueError as error:
        # A signal may end it inside of a member. Then the archive cannot be closed, and says so.
        archive.fp = None  # so that it does not try again when it goes
        if isinstance(error.__context__, KeyboardInterrupt | SystemExit):
            raise error.__context__ from None
        raise
    return file.getvalue()


def unpack_arrays(packed: bytes) -> dict[str, NDArray[Any]]:
    """Inverse of `pack_arrays`, for any npz file; nothing is unpickled.

    Raises
    ------
    DataError
        When the bytes are no npz file, are damaged, or hold Python objects.
    """
    try:
        with np.load(BytesIO(packed), allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
        if others := [name for name, array in found.items() if isinstance(array, bytes)]:
            raise ValueError(f"{others[0]} is no array")
        return found
    except Exception as error:  # damaged bytes can make NumPy raise anything
        raise DataError(f"it is not an npz file: {type(error).__name__}: {error}") from error


def known_of(data: Data) -> dict[str, NDArray[Any]]:
    """Return by name what is known of rows besides their features.

    That is their target, folds, groups and times, and which features are relevant.
    """
    truth = {} if data.relevant is None else {RELEVANT: data.relevant}
    return {**arrays_of(data.target), **ties_of(data), **truth}


def with_known(rows: Rows, arrays: Arrays) -> Data:
    """Return the data of rows and of the arrays of `known_of`; raises as `target_of`."""
    more: dict[str, Any] = {name: arrays[name] for name in (*TIES, RELEVANT) if name in arrays}
    return Data(rows, target_of(arrays), **more)


def pack_known(data: Data) -> str:
    """Return `known_of` as text that JSON can hold."""
    return b64encode(pack_arrays(known_of(data))).decode("ascii")


def unpack_known(rows: Rows, packed: str) -> Data:
    """Return the data of rows and of what `pack_known` wrote; the arrays are read-only."""
    arrays = unpack_arrays(b64decode(packed))
    for array in arrays.values():
        array.flags.writeable = False
    return with_known(rows, arrays)


def pack_numbers(numbers: Index, n: int) -> str:
    """Return ascending row numbers below n as text that JSON can hold: n bits in base 64."""
    mask = np.zeros(n, np.bool_)
    mask[numbers] = True
    return b64encode(np.packbits(mask).tobytes()).decode("ascii")


def unpack_numbers(packed: str, n: int) -> Index:
    """Inverse of `pack_numbers`."""
    bits = np.frombuffer(b64decode(packed), np.uint8)
    return np.flatnonzero(np.unpackbits(bits, count=n)).astype(np.int32)
