"""Packs: many shards in one file, since 10⁵ small files take long to read from a disk.

    the texts of the shards, one after the other
    a line for each of them, in the order of their keys: key, begin, length
    a last line: length of these lines, their sha256

A pack is never changed. Its name begins with a number: where two packs have the same key, the
pack with the greater number has the newer shard.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from heapq import merge
from pathlib import Path
from typing import BinaryIO

from aucbench.infra.store.files import GONE, refused

PACKS = "packs"  # name of the folder: part of the format on disk
ENDING = ".pack"
LAST_LINE = "{:015d} {}\n"
LAST_BYTES = len(LAST_LINE.format(0, "0" * 64))


class DamagedPackError(Exception):
    """A file is no whole pack."""


class Pack:
    """One pack, open for reading.

    Parameters
    ----------
    path : Path

    Raises
    ------
    DamagedPackError
        When its lines are not whole. Each shard has a seal of its own.
    OSError
        When it cannot be read.
    """

    def __init__(self, path: Path):
        self.path = path
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.size = os.fstat(self._fd).st_size
            lines = self._whole_lines()
        except BaseException:
            os.close(self._fd)
            raise
        words = lines.split()
        self._keys = words[::3]
        self._begins, self._lengths = (array("Q", map(int, words[k::3])) for k in (1, 2))

    def _whole_lines(self) -> bytes:
        try:
            size, seal = self._bytes(self.size - LAST_BYTES, LAST_BYTES).split()
            lines = self._bytes(self.size - LAST_BYTES - int(size), int(size))
            whole = sha256(lines).hexdigest().encode() == seal
        except (ValueError, OverflowError) as error:
            raise DamagedPackError from error
        if not whole:
            raise DamagedPackError
        return lines

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)

    def keys(self) -> Iterator[str]:
        """Yield the keys in order."""
        return (key.decode() for key in self._keys)

    def text(self, key: str) -> bytes | None:
        """Return the text of the shard of a key; None when the pack has none."""
        wanted = key.encode()
        found = bisect_left(self._keys, wanted)
        if found == len(self._keys) or self._keys[found] != wanted:
            return None
        return self._bytes(self._begins[found], self._lengths[found])

    def _bytes(self, begin: int, length: int) -> bytes:
        if begin < 0:
            raise DamagedPackError
        return os.pread(self._fd, length, begin)


class Packs:
    """The packs of a results folder; those that other processes write are noticed.

    Parameters
    ----------
    folder : Path
    set_aside : function (Path, int) -> None
        Called with the path and an open descriptor of a damaged pack.
    """

    def __init__(self, folder: Path, set_aside: Callable[[Path, int], None]):
        self.folder = folder
        self._set_aside = set_aside
        self._open: dict[str, Pack] = {}  # by name, the newest first
        self._seen = -1  # when the folder was changed last

    def text(self, key: str) -> bytes | None:
        """Return the newest text of a shard in the packs that are open; None when none has it."""
        return next((text for pack in self.newest() if (text := pack.text(key))), None)

    def keys(self) -> Iterator[str]:
        """Yield all keys in order; one that several packs have comes several times."""
        return merge(*(pack.keys() for pack in self._open.values()))

    def newest(self) -> tuple[Pack, ...]:
        """Return the packs as `refresh` has found them, the newest first."""
        return (*self._open.values(),)

    def refresh(self, *, always: bool = False) -> bool:
        """Open packs that are new and close those that are gone; whether there were some.

        Parameters
        ----------
        always : bool
            Also when the time of the folder says that it is as before: a clock has ticks.
        """
        try:
            changed = self.folder.stat().st_mtime_ns
            if changed == self._seen and not always:
                return False
            names = {name for name in os.listdir(self.folder) if name.endswith(ENDING)}  # noqa: PTH208 - Path is slower
        except OSError as error:
            if error.errno not in GONE:
                raise refused("read", self.folder, error) from error
            changed, names = -1, set()
        self._seen = changed
        if names == self._open.keys():
            return False
        found = {name: self._open.get(name) or self._opened(name) for name in names}
        for name in self._open.keys() - names:
            self._open[name].close()
        self._open = {name: pack for name in sorted(names, reverse=True) if (pack := found[name])}
        return True

    def next_name(self) -> str:
        """Return the begin of the name of a pack that is newer than all others."""
        numbers = (int(n) for name in self._open if (n := name.partition("-")[0]).isdecimal())
        return f"{max(numbers, default=0) + 1:08d}"

    def _opened(self, name: str) -> Pack | None:
        path = self.folder / name
        try:
            return Pack(path)
        except DamagedPackError:
            with suppress(FileNotFoundError), path.open("rb") as file:
                self._set_aside(path, file.fileno())
        except OSError as error:
            if error.errno not in GONE:
                raise refused("read", path, error) from error
        return None


def write_pack(file: BinaryIO, shards: Iterable[tuple[str, bytes]]) -> None:
    """Write a pack of shards, which come in the order of their keys."""
    lines, begin = [], 0
    for key, text in shards:
        file.write(text)
        lines.append(f"{key} {begin} {len(text)}\n")
        begin += len(text)
    index = "".join(lines).encode()
    file.write(index)
    file.write(LAST_LINE.format(len(index), sha256(index).hexdigest()).encode())
