"""Images as bytes: sets of four idx files such as MNIST, and the archives of CIFAR-10 and STL10."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.datasets.endings import naming, open_plain, without_compression
from aucbench.datasets.manifest import verify
from aucbench.datasets.table import Table
from aucbench.errors import DataError

MARK = "-train-images-idx3-ubyte"
PARTS = ("-train-", "-t10k-")
CIFAR_PIXELS = 3 * 32 * 32
STL_PIXELS = 3 * 96 * 96
CIFAR_PARTS = (*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin")
STL_PARTS = ("train_X.bin", "train_y.bin", "test_X.bin", "test_y.bin")


def is_idx(path: Path) -> bool:
    """Return whether a file is the first of an idx set, by its name."""
    return without_compression(path.name).endswith(MARK)


def read_idx(first: Path) -> Table:
    """Read the images (n, height * width) as bytes, and the labels (n,).

    The rows are those of the training part, then those of the test part (t10k).
    """
    parts = []
    for images, labels in pairs(first):
        X, y = _items(images, 3), _items(labels, 1)
        if len(X) != len(y):
            raise DataError(
                f"{images} has {len(X)} images, but {labels.name} has {len(y)} labels; get both "
                "files again"
            )
        parts.append((X.reshape(len(X), -1), y))
    try:
        X, y = (np.concatenate(both) for both in zip(*parts, strict=True))
    except ValueError as error:
        raise DataError(
            f"{first} and its t10k part differ in image size ({error}); get the files again"
        ) from error
    return Table(X, y, label="the files of labels")


def pairs(first: Path) -> list[tuple[Path, Path]]:
    """Return the files of images and labels: those of the training part, then of the test part."""
    images = [first.with_name(first.name.replace("-train-", part)) for part in PARTS]
    return [(x, x.with_name(x.name.replace("images-idx3", "labels-idx1"))) for x in images]


def _items(path: Path, dimensions: int) -> Any:
    """Return the unsigned bytes of an idx file in the shape that its header gives.

    The header is the bytes 0, 0, 8 and the number of dimensions, then the shape as big-endian
    int32.
    """
    if not path.is_file():
        raise DataError(f"{path} is missing; put the four files of the idx set in one folder")
    verify(path)
    with naming(path, "idx"), open_plain(path) as stream:
        content = np.frombuffer(stream.read(), dtype=np.uint8)
    start = 4 + 4 * dimensions
    shape = tuple(map(int, content[4:start].view(">i4"))) if content.size >= start else ()
    if content[:4].tolist() != [0, 0, 8, dimensions] or content.size != start + prod(shape):
        raise DataError(
            f"{path} is not an idx file of {dimensions} dimension(s) of bytes; get the file again"
        )
    return content[start:].reshape(shape)


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
    contents: dict[str, bytes] = {}
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
                contents[name] = content.read()
    if lacking := [name for name in wanted if name not in contents]:
        raise DataError(f"{archive} lacks {', '.join(lacking)}; get the archive of binary files")
    return [contents[name] for name in wanted]


def _records(content: bytes, length: int, archive: Path) -> Any:
    if not content or len(content) % length:
        raise DataError(
            f"{archive} has a file of {len(content)} bytes, but a record has {length}; get it again"
        )
    return np.frombuffer(content, dtype=np.uint8).reshape(-1, length)
