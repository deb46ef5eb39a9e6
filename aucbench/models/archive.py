"""The file of a model: one zip archive with `model.json` and one .npy file for each array.

Design
  a. Nothing in it is code, and nothing is unpickled. `numpy.load` and `zipfile` read it without
     aucbench.
  b. It is written whole or not at all, by `own_file`. Members have no time stamps, so that equal
     models are equal files.
  c. A reader trusts nothing: the unpacked size is limited, each array is compared with its
     checksum in `model.json`, and `model.json` is covered by the checksum of the archive.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from aucbench.errors import DataError
from aucbench.store.files import own_file

FORMAT, VERSION = "aucbench model", 2
DOCUMENT, ARRAYS, ARRAY = "model.json", "arrays", "array"
MOST_UNPACKED = 2**31  # bytes
Arrays = dict[str, NDArray[Any]]


def write(path: Path, tree: Mapping[str, Any]) -> None:
    """Write a tree of plain values and arrays; at the end the file is complete, or as before.

    Raises
    ------
    ParameterError
        When the file cannot be written.
    """
    arrays: Arrays = {}
    plain = _lifted(tree, "", arrays)
    packed = {name: _packed(array) for name, array in arrays.items()}
    sums = {name: sha256(content).hexdigest() for name, content in packed.items()}
    document = {"format": FORMAT, "version": VERSION, **plain, ARRAYS: sums}
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    with own_file(path) as file, ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr(_member(DOCUMENT), text)
        for name, content in packed.items():
            archive.writestr(_member(f"{name}.npy"), content)


def read(path: Path) -> dict[str, Any]:
    """Return the tree of a file that `write` has written.

    Raises
    ------
    DataError
        When there is no such file, it is no model, it is damaged or too large, or has
        another version.
    """
    try:
        with path.open("rb") as file:
            return _read(file)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error
    except FileNotFoundError as error:
        raise DataError(f"there is no file {path}; save a model first, or name another") from error
    except Exception as error:  # damaged bytes can make the parsers raise anything
        reason = (str(error) or type(error).__name__).splitlines()[0][:120]
        raise DataError(
            f"{path} is no model of aucbench, or it is damaged ({reason}); take another copy"
        ) from error


def _read(file: BinaryIO) -> dict[str, Any]:
    with ZipFile(file) as archive:
        size = sum(member.file_size for member in archive.infolist())
        if size > MOST_UNPACKED:
            raise DataError(
                f"it unpacks to {size >> 20} MiB, and a model has at most {MOST_UNPACKED >> 20} "
                "MiB; take another file"
            )
        names = archive.namelist()
        if DOCUMENT not in names or len({*names}) != len(names):
            raise DataError(f"it has no {DOCUMENT}, so that it is no model of aucbench")
        document = json.loads(archive.read(DOCUMENT))
        if document.get("format") != FORMAT:
            raise DataError("it is no model of aucbench; name a file that aucbench has saved")
        if document["version"] != VERSION:
            raise DataError(
                f"its format has the version {document['version']!r}, and this aucbench reads "
                f"version {VERSION}; fit the model again, or install the aucbench that wrote it, "
                f"{document.get('provenance', {}).get('aucbench', 'unknown')}"
            )
        arrays: Arrays = {}
        for name, checksum in document.pop(ARRAYS).items():
            content = archive.read(f"{name}.npy")
            if sha256(content).hexdigest() != checksum:
                raise DataError(f"the array {name} is damaged; take another copy of the file")
            arrays[name] = np.load(BytesIO(content), allow_pickle=False)
    tree: dict[str, Any] = _lowered(document, arrays)
    return tree


def _lifted(tree: Any, place: str, arrays: Arrays) -> Any:
    """Return the tree with {"array": name} in place of arrays, and add them to `arrays`."""
    if isinstance(tree, np.ndarray):
        arrays[place] = tree
        return {ARRAY: place}
    if isinstance(tree, Mapping):
        return {
            name: _lifted(value, f"{place}.{name}".lstrip("."), arrays)
            for name, value in tree.items()
        }
    if isinstance(tree, list | tuple):
        return [_lifted(value, f"{place}.{number}", arrays) for number, value in enumerate(tree)]
    return tree


def _lowered(plain: Any, arrays: Arrays) -> Any:
    if isinstance(plain, dict):
        if [*plain] == [ARRAY]:
            return arrays[plain[ARRAY]]
        return {name: _lowered(value, arrays) for name, value in plain.items()}
    if isinstance(plain, list):
        return [_lowered(value, arrays) for value in plain]
    return plain


def _packed(array: NDArray[Any]) -> bytes:
    content = BytesIO()
    npy.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
    return content.getvalue()


def _member(name: str) -> ZipInfo:
    member = ZipInfo(name)
    member.compress_type = ZIP_DEFLATED
    member.external_attr = 0o644 << 16
    return member
