"""What a cell has imported is a part of the identity of its record.

Its id has the files of its plugin and the versions of what these require. What else a plugin
imports is known only when it has run: it is kept in the record, which counts as long as all of it
is the same. Of an installed distribution this is the version; of any other code, and of one that is
a link to its sources, the content of the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from aucbench.hookspecs import PROJECT
from aucbench.registry.discovery import normalized
from aucbench.registry.fingerprints import LIBRARIES, content_at, owner_of, version_of

MOST = 1000  # names that a worker may hand over
Told = Mapping[str, Mapping[str, Any]]


class Imports:
    """The code of this moment; each package is looked at once."""

    def __init__(self) -> None:
        self._owner, self._content = cache(owner_of), cache(content_at)
        self._version = cache(version_of)

    def told(self, places: Any, plugin: tuple[str, str, str] | None) -> dict[str, dict[str, Any]]:
        """Return what identifies the packages that a worker has imported, by top-level name."""
        if not isinstance(places, Mapping) or len(places) > MOST:
            return {}
        own = plugin[2].partition(":")[0].partition(".")[0] if plugin else ""
        known = {PROJECT, *LIBRARIES, *([normalized(plugin[0])] if plugin else [])}
        identities: dict[str, dict[str, Any]] = {}
        for top, place in sorted(places.items()):
            if not (isinstance(top, str) and isinstance(place, str)) or top == own:
                continue
            owner = self._owner(top, place)
            if owner is None:
                identities[top] = {"place": place, "content": self._content(place)}
            elif normalized(owner) not in known:
                identities[top] = {"distribution": owner, "version": self._version(owner)}
        return identities

    def same(self, told: Told) -> bool:
        """Whether all of it is still what it was."""
        return all(map(self._same, told.values()))

    def _same(self, one: Mapping[str, Any]) -> bool:
        if "distribution" in one:
            return bool(self._version(one["distribution"]) == one["version"])
        now = self._content(one["place"])
        return now is not None and bool(now == one["content"])


def versions_of(told: Told) -> dict[str, str]:
    """Return the versions of the distributions among what was imported."""
    some = (one for one in told.values() if one.get("version"))
    return {one["distribution"]: one["version"] for one in some}
