"""The four idx files of MNIST and the sets made in its image (Fashion-MNIST ...)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from aucbench.datasets.formats import UNREADABLE, Table, first_line, open_plain
from aucbench.datasets.manifest import verify
from aucbench.errors import DataError

MARK = "-train-images-idx3-ubyte"


def read(first: Path) -> Table:
    """Images (n, height * width) as bytes and labels (n,): the training part, then t10k.

    Parameters
    ----------
    first : Path
        NAME-train-images-idx3-ubyte, possibly compressed; the other three lie beside it.

    Raises
    ------
    DataError
        When one of the four is missing, damaged, or has another number of items.
    """
    parts = []
    for part in ("-train-", "-t10k-"):
        images = first.with_name(first.name.replace("-train-", part))
        labels = images.with_name(images.name.replace("images-idx3", "labels-idx1"))
        X, y = _items(images, 3), _items(labels, 1)
        if len(X) != len(y):
            raise DataError(f"{images} has {len(X)} images and {labels.name} {len(y)} labels")
        parts.append((X.reshape(len(X), -1), y))
    try:
        X, y = (np.concatenate(both) for both in zip(*parts, strict=True))
    except ValueError as error:
        raise DataError(f"{first} and its t10k part differ in image size: {error}") from error
    return Table(X, y)


def _items(path: Path, dimensions: int) -> Any:
    """Unsigned bytes of shape given by the header: 0, 0, 8, dimensions, then big-endian int32."""
    if not path.is_file():
        raise DataError(f"{path} is missing; an idx set is four files in one folder")
    verify(path)
    try:
        with open_plain(path) as stream:
            content = np.frombuffer(stream.read(), dtype=np.uint8)
    except UNREADABLE as error:
        raise DataError(f"{path} cannot be decompressed ({first_line(error)})") from error
    start = 4 + 4 * dimensions
    shape = tuple(map(int, content[4:start].view(">i4"))) if content.size >= start else ()
    if content[:4].tolist() != [0, 0, 8, dimensions] or content.size != start + np.prod(shape):
        raise DataError(f"{path} is not an idx file of {dimensions} dimension(s) of bytes")
    return content[start:].reshape(shape)
