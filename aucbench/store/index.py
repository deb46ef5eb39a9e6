"""The index of a results folder: some values of each document, so that a resume reads few shards.

It says of each shard which file it was when it was read, by inode, size and times. A shard that is
another file by now is read again, so that the index is never believed against a shard. One that is
missing, damaged or of other values is built anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from aucbench.store.files import read_file
from aucbench.store.folder import INDEX, Home
from aucbench.store.shard import Seal

MANY = 1000  # shards that it lacks, for which it is worth to be written
SETTLED = 2 * 10**9  # ns after which a change of a file changes its times, on any file system
SEAL = Seal(b', "seal": "', b'"}\n', end=b"}\n")


class Index:
    """The index of a folder, while it is read and brought up to date.

    It has the values of these names of each document. `now` is the time by the clock of the file
    system, in ns.
    """

    def __init__(self, home: Home, names: Sequence[str], now: int):
        self._home, self._names, self._now = home, [*names], now
        plain = self._read()
        self._texts: list[str] = plain.get("values", [])  # many documents have the same
        self._numbers = {text: number for number, text in enumerate(self._texts)}
        self._old: dict[str, list[Any]] = plain.get("shards", {})  # stamp and number of its text
        self._kept: dict[str, list[Any]] = {}
        self._new = 0

    def values(self, key: str, file: os.stat_result, read: Callable[[], str | None]) -> str | None:
        """Return the values of a document as a JSON list; None if there is no whole shard.

        `file` is that of the shard before `read` is called, which returns its values.
        """
        stamp = f"{file.st_ino} {file.st_size} {file.st_mtime_ns} {file.st_ctime_ns}"
        known = self._old.get(key)
        if known is not None and known[0] == stamp:
            self._kept[key] = known
            number: int = known[1]
            return self._texts[number]
        text = read()
        if text is None:
            return None
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        # Of a file that has just changed, the next change may leave all times as they are.
        if file.st_ctime_ns < self._now - SETTLED:
            self._kept[key] = [stamp, number]
            self._new += 1
        return self._texts[number]

    def write(self) -> None:
        """Write it, if it has become much better; raises `DataError` when it cannot."""
        if self._new >= MANY:
            plain = {"names": self._names, "values": self._texts, "shards": self._kept}
            content = SEAL.put_on(INDEX, json.dumps(plain).encode() + b"\n")
            self._home.put(self._home.folder / INDEX, content)

    def _read(self) -> dict[str, Any]:
        try:
            content = SEAL.taken_off(INDEX, read_file(self._home.folder / INDEX))
        except OSError:  # whatever the reason, the shards are read in its place
            return {}
        plain: dict[str, Any] = {} if content is None else json.loads(content)
        return plain if plain.get("names") == self._names else {}
