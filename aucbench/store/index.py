"""The index of a results folder: some values of each document, so that a resume reads few shards.

It says of each shard which file it was when it was read, by inode, size and times. A shard that is
another file by now is read again, so that the index is never believed against a shard. One that is
missing, damaged or of other values is built anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence

from aucbench.store.folder import INDEX, Home
from aucbench.store.sealed import Seal

MANY = 1000  # shards that it lacks, for which it is worth to be written
SETTLED = 2 * 10**9  # ns after which a change of a file changes its times, on any file system
SEAL = Seal(b', "seal": "', b'"}\n', end=b"}\n")


class Index:
    """The index, while it is read and brought up to date.

    Parameters
    ----------
    home : Home
        The results folder.
    names : sequence of str
        The values of a document that it has.
    now : int
        Time by the clock of the file system, in ns.
    """

    def __init__(self, home: Home, names: Sequence[str], now: int):
        self._home, self._path = home, home.folder / INDEX
        self._names, self._now = [*names], now
        self._old = self._read()
        self._kept: dict[str, tuple[str, str]] = {}
        self._texts: dict[str, str] = {}
        self._new = 0

    def values(self, key: str, file: os.stat_result, read: Callable[[], str | None]) -> str | None:
        """Return the values of a document as a JSON list; None if there is no whole shard.

        Parameters
        ----------
        file : os.stat_result
            Of the shard, before `read` is called.
        read : function () -> str or None
            Returns the values from the shard.
        """
        stamp = f"{file.st_ino} {file.st_size} {file.st_mtime_ns} {file.st_ctime_ns}"
        known, text = self._old.get(key, ("", ""))
        is_known = known == stamp
        found = text if is_known else read()
        if found is None:
            return None
        found = self._texts.setdefault(found, found)  # many documents have the same
        # Of a file that has just changed, the next change may leave all times as they are.
        if is_known or file.st_ctime_ns < self._now - SETTLED:
            self._kept[key] = stamp, found
            self._new += not is_known
        return found

    def write(self) -> None:
        """Write it, if it has become much better; raises `DataError` when it cannot."""
        if self._new >= MANY:
            numbers = {text: number for number, text in enumerate(self._texts)}
            shards = {key: [stamp, numbers[text]] for key, (stamp, text) in self._kept.items()}
            plain = {"names": self._names, "values": [*numbers], "shards": shards}
            content = json.dumps(plain).encode() + b"\n"
            self._home.put(self._path, SEAL.put_on(INDEX, content))

    def _read(self) -> dict[str, tuple[str, str]]:
        try:
            content = SEAL.taken_off(INDEX, self._path.read_bytes())
        except OSError:  # whatever the reason, the shards are read in its place
            return {}
        plain = {} if content is None else json.loads(content)
        if plain.get("names") != self._names:
            return {}
        texts = plain["values"]
        return {key: (stamp, texts[number]) for key, (stamp, number) in plain["shards"].items()}
