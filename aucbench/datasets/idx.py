"""Sets of four idx files: MNIST, and sets in the same format such as Fashion-MNIST."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.datasets.compressed import open_plain
from aucbench.datasets.endings import naming
from aucbench.datasets.formats import Table
from aucbench.datasets.manifest import verify
from aucbench.errors import DataError

MARK = "-train-images-idx3-ubyte"
PARTS = ("-train-", "-t10k-")


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
