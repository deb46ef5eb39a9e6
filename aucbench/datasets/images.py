"""CIFAR-10 and STL10: archives of records of bytes. Nothing in them is unpickled."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.datasets.compressed import open_plain
from aucbench.datasets.endings import naming
from aucbench.datasets.formats import Table
from aucbench.errors import DataError

CIFAR_PIXELS = 3 * 32 * 32
STL_PIXELS = 3 * 96 * 96
CIFAR_PARTS = (*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin")
STL_PARTS = ("train_X.bin", "train_y.bin", "test_X.bin", "test_y.bin")


def read_cifar10(archive: Path) -> Table:
    """Read the images (n, 3072) as bytes, and the labels 0 to 9: training rows, then test rows.

    A record is the label, one byte, and 1024 values each of red, green and blue.
    """
    parts = _members(archive, CIFAR_PARTS)
    records = np.concatenate([_records(part, 1 + CIFAR_PIXELS, archive) for part in parts])
    return Table(records[:, 1:], records[:, 0].astype(np.int64), label="the first byte of a record")


def read_stl10(archive: Path) -> Table:
    """Read the images (n, 27648) as bytes, and the labels 1 to 10: training rows, then test rows.

    The images without labels are not read.
    """
    parts = _members(archive, STL_PARTS)
    X = np.concatenate([_records(part, STL_PIXELS, archive) for part in parts[::2]])
    y = np.concatenate([_records(part, 1, archive).ravel() for part in parts[1::2]])
    if len(X) != len(y):
        raise DataError(f"{archive} has {len(X)} images, but {len(y)} labels; get it again")
    return Table(X, y.astype(np.int64), label="the files of labels")


def _members(archive: Path, wanted: Sequence[str]) -> list[bytes]:
    """Return the content of files of an archive, found by their names without a folder."""
    found: dict[str, bytes] = {}
    with (
        naming(archive, "a tar archive"),
        open_plain(archive) as plain,
        tarfile.open(fileobj=plain, mode="r|") as tar,
    ):
        for member in tar:
            name = member.name.rpartition("/")[2]
            if member.isfile() and name in wanted:
                content = tar.extractfile(member)
                assert content is not None  # it is a file
                found[name] = content.read()
    if lacking := [name for name in wanted if name not in found]:
        raise DataError(f"{archive} lacks {', '.join(lacking)}; get the archive of binary files")
    return [found[name] for name in wanted]


def _records(content: bytes, length: int, archive: Path) -> Any:
    if not content or len(content) % length:
        raise DataError(
            f"{archive} has a file of {len(content)} bytes, but a record has {length}; get it again"
        )
    return np.frombuffer(content, dtype=np.uint8).reshape(-1, length)
