"""Packs: many shards in one file, since 10⁵ small files take long to read from a disk.

    the texts of the shards, one after the other
    a line for each of them, in the order of their keys: key, begin, length
    a last line: length of these lines, their sha256

A pack is never changed. Its name begins with a number: where two packs have the same key, the
pack with the greater number has the newer shard. Each shard has a seal of its own. So where the
lines are damaged, or the end is lost, the shards that are whole are found without them. A shard
that was lost is empty in the pack that is made of the others: an older one must not come back.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from heapq import merge
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from aucbench.store import shard
from aucbench.store.files import GONE, refused

PACKS = "packs"  # name of the folder: part of the format on disk
ENDING = ".pack"
LAST_LINE = "{:015d} {}\n"
LAST_BYTES = len(LAST_LINE.format(0, "0" * 64))


class Pack:
    """One pack, open for reading.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    number : int
        Of the open file.
    is_whole : bool
        Whether its lines are whole; if not, it has the shards that are.

    Raises
    ------
    OSError
        When it cannot be read.
    """

    def __init__(self, path: Path):
        self.path = path
        self.number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.size = os.fstat(self.number).st_size
            lines = self._whole_lines()
            self.is_whole = lines is not None
            self._take(self._found_lines() if lines is None else lines)
        except BaseException:
            os.close(self.number)
            raise

    def look_again(self) -> None:
        """Keep the shards that are whole, wherever they are, since one is not where it should be.

        The others are empty. The pack is not whole any more.
        """
        self.is_whole = False
        self._take(self._found_lines([*self.keys()]))

    @property
    def lost(self) -> tuple[str, ...]:
        """The keys of which nothing is left."""
        each = zip(self.keys(), self._lengths, strict=True)
        return tuple(key for key, length in each if not length)

    def _take(self, lines: bytes) -> None:
        words = lines.split()
        self._keys = words[::3]
        self._begins, self._lengths = (array("Q", map(int, words[k::3])) for k in (1, 2))

    def _whole_lines(self) -> bytes | None:
        try:
            size, seal = self._bytes(self.size - LAST_BYTES, LAST_BYTES).split()
            lines = self._bytes(self.size - LAST_BYTES - int(size), int(size))
        except (ValueError, OverflowError):
            return None
        return lines if sha256(lines).hexdigest().encode() == seal else None

    def _found_lines(self, known: Sequence[str] = ()) -> bytes:
        """Return lines of the shards that are whole, and of keys that it is known to have had."""
        with open(self.number, "rb", closefd=False) as file:
            content = file.read()
        found = dict.fromkeys(known, (0, 0))
        found |= {key: (begin, length) for key, begin, length in shard.found_in(content)}
        return _lines((key, *found[key]) for key in sorted(found))

    def close(self) -> None:
        """Close the file."""
        os.close(self.number)

    def keys(self) -> Iterator[str]:
        """Yield the keys in order."""
        return (key.decode() for key in self._keys)

    def has(self, key: str) -> bool:
        """Whether it has a shard of the key."""
        return self._number_of(key) is not None

    def text(self, key: str) -> bytes | None:
        """Return the text of the shard of a key; None when the pack has none."""
        found = self._number_of(key)
        return None if found is None else self._bytes(self._begins[found], self._lengths[found])

    def _number_of(self, key: str) -> int | None:
        wanted = key.encode()
        found = bisect_left(self._keys, wanted)
        there = found < len(self._keys) and self._keys[found] == wanted
        return found if there else None

    def _bytes(self, begin: int, length: int) -> bytes:
        if begin < 0:
            raise ValueError("before the begin of the file")
        return os.pread(self.number, length, begin)


class Packs:
    """The packs of a results folder; those that other processes write are noticed.

    Parameters
    ----------
    folder : Path
    mended : function (Pack) -> Pack
        Called with a pack that is not whole; returns the one to read in its place.
    """

    def __init__(self, folder: Path, mended: Callable[[Pack], Pack]):
        self.folder = folder
        self._mended = mended
        self._open: dict[str, Pack] = {}  # by name, the newest first
        self._seen = -1  # when the folder was changed last

    def holder(self, key: str) -> Pack | None:
        """Return the newest of the packs that are open that has a key; None when none has it."""
        return next((pack for pack in self.newest() if pack.has(key)), None)

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

    def mend(self, pack: Pack) -> None:
        """Read another pack in place of one in which a shard is damaged."""
        pack.look_again()
        self._open[pack.path.name] = self._mended(pack)

    def next_number(self) -> str:
        """Return the begin of the name of a pack that is newer than all others."""
        numbers = (int(n) for name in self._open if (n := name.partition("-")[0]).isdecimal())
        return f"{max(numbers, default=0) + 1:08d}"

    def _opened(self, name: str) -> Pack | None:
        path = self.folder / name
        try:
            found = Pack(path)
            return found if found.is_whole else self._mended(found)
        except OSError as error:
            if error.errno not in GONE:
                raise refused("read", path, error) from error
        return None


def new_name(number: str) -> str:
    """Return the name of a new pack, of which no other process makes one."""
    return f"{number}-{uuid4().hex[:16]}{ENDING}"


def write_pack(file: BinaryIO, shards: Iterable[tuple[str, bytes]]) -> None:
    """Write a pack of shards, which come in the order of their keys."""
    lines, begin = [], 0
    for key, text in shards:
        file.write(text)
        lines.append((key, begin, len(text)))
        begin += len(text)
    index = _lines(lines)
    file.write(index)
    file.write(LAST_LINE.format(len(index), sha256(index).hexdigest()).encode())


def _lines(entries: Iterable[tuple[str, int, int]]) -> bytes:
    return "".join(f"{key} {begin} {length}\n" for key, begin, length in entries).encode()
