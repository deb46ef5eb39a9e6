"""Text files that are written as Parquet once, into the user's cache."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from time import time

from aucbench.datasets.arrow import pyarrow
from aucbench.datasets.chunked.footers import Footer
from aucbench.datasets.download import cache_folder
from aucbench.datasets.endings import naming
from aucbench.datasets.formats import Wanted, batches
from aucbench.datasets.gaps import kept_words
from aucbench.datasets.reading import ReadOptions
from aucbench.datasets.textfile import AsText, joined_cells
from aucbench.errors import DataError

ROWS = 1 << 18  # of each file that is written
FOLDER, INDEX, NEW = "parts", "index.json", "new-"
UNUSED = 30 * 86_400  # seconds after which a folder is removed
VERSION = 2  # of what is written


def convert_files(
    files: Sequence[Path], asked: ReadOptions, tell: Callable[[str], object]
) -> list[Footer]:
    """Return the footers of the rows of text files as Parquet; they are written if they are new."""
    pyarrow("reading text files in chunks")
    place = cache_folder() / FOLDER / _key(files, asked)
    if not (place / INDEX).is_file():
        _remove_unused(place.parent)
        size = sum(file.stat().st_size for file in files)
        tell(f"{len(files)} text file(s), {size / 1e6:.0f} MB, are written as Parquet into {place}")
        _write(files, asked, place)
    os.utime(place)
    index = json.loads((place / INDEX).read_text(encoding="utf-8"))
    return [Footer.of(place / name, shown, first) for name, shown, first in index]


def _key(files: Sequence[Path], asked: ReadOptions) -> str:
    """Return a hash of what the rows depend on."""
    stats = [(str(file.absolute()), file.stat()) for file in files]
    known = [[name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns] for name, stat in stats]
    words = kept_words(asked)
    text = json.dumps([VERSION, ROWS, known, asked.separator, asked.decimal, sorted(words)])
    return sha256(text.encode()).hexdigest()[:32]


def _write(files: Sequence[Path], asked: ReadOptions, place: Path) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = Path(mkdtemp(prefix=NEW, dir=place.parent))
    try:
        cells = joined_cells(files, asked.separator, AsText(words=kept_words(asked)))
        index = [
            entry for k, file in enumerate(files) for entry in _rows(file, k, asked, new, cells)
        ]
        (new / INDEX).write_text(json.dumps(index), encoding="utf-8")
        with suppress(OSError):  # another process has written it meanwhile
            new.rename(place)
    finally:
        rmtree(new, ignore_errors=True)


def _rows(
    file: Path, number: int, asked: ReadOptions, folder: Path, cells: AsText
) -> list[tuple[str, str, int]]:
    """Write the rows of a file; return name, source and first row of what is written."""
    arrow, first = pyarrow(), 0
    written: list[tuple[str, str, int]] = []
    with naming(file):
        wanted = Wanted(separator=asked.separator, decimal=asked.decimal, cells=cells)
        for batch in batches(file, wanted, ROWS):
            if not batch.named:
                raise DataError(
                    "it has no header; write the names of the columns into the first line"
                )
            name = f"{number:05}-{len(written):05}.parquet"
            frame = batch.X.set_axis([*map(str, batch.X.columns)], axis=1)
            table = arrow.Table.from_pandas(frame, preserve_index=False)
            arrow.parquet.write_table(table, folder / name, compression="NONE")
            written.append((name, str(file), first))
            first += len(frame)
    return written


def _remove_unused(folder: Path) -> None:
    """Remove what was not read for a month, and what a process has left behind."""
    for old in folder.iterdir() if folder.is_dir() else ():
        if time() - old.stat().st_mtime > UNUSED:
            rmtree(old, ignore_errors=True)
