"""The origins of a merged folder, from those of its parts.

Of the origin of a submission its name, its person and its date are believed, which nobody can
check. All else of it is found in the records again, and whether a run is one's own is never read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace
from datetime import datetime
from itertools import count

from aucbench.bench.joining.origin_of import Gathered, name_from, named_person
from aucbench.bench.joining.parts import Part
from aucbench.bench.results.origins import Origin
from aucbench.errors import DataError

Place = tuple[int, str]  # the number of a part, and the name of an origin in it, empty for none


class Origins:
    """Gathers of whom each cell comes.

    `own` has the numbers of the parts that who merges has run. With `grows`, the first part is the
    merged folder itself: its origins stay, and what it has besides was run into it.
    """

    def __init__(self, parts: Sequence[Part], *, own: Collection[int], grows: bool):
        self._parts, self._own, self._grows = parts, own, grows
        self._gathered: dict[Place, Gathered] = {}
        self._kept = {one.name: one for one in parts[0].folder.origins} if grows else {}
        self._taken: dict[str, tuple[Set[str], bool]] = {
            name: (one.cells.keys(), one.own) for name, one in self._kept.items()
        }
        self._covered = {key for one in self._kept.values() for key in one.cells}

    def known(self, number: int, key: str) -> bool:
        """Whether the merged folder has the cell already, and says where it comes from."""
        return self._grows and number == 0 and key in self._covered

    def require_names(self, number: int) -> None:
        """Raise `DataError` where an origin of a part has no date, or the name of another one."""
        part = self._parts[number]
        for one in () if self._grows and number == 0 else part.folder.origins:
            _date(part, one)
            cells = one.cells.keys() & part.briefs.keys()
            if not cells:  # nothing of it is merged
                continue
            taken, own = self._taken.setdefault(one.name, (cells, False))
            if own or taken != cells:
                raise DataError(
                    f"{part.name}: another folder is called {one.name} too; let `aucbench submit "
                    "--name` give it another name"
                )

    def require_claimed(self, number: int, key: str, found: str | None) -> None:
        """Raise `DataError` where the scores of a cell are not those that were handed over."""
        part = self._parts[number]
        claims = [one for one in part.folder.origins if key in one.cells]
        if claims and not any(one.cells[key] == found for one in claims):
            raise DataError(
                f"{part.name}: {part.briefs[key].cell}: its scores are not those that "
                f"{claims[0].name} handed over; the folder was altered: ask who sent it"
            )

    def add(self, number: int, key: str, found: str | None, kept: str | None) -> None:
        """Take one cell of a part: the hash of its scores, and of those that are kept.

        Both are equal unless the scores agree but for rounding, or do not agree.
        """
        part = self._parts[number]
        said = part.briefs[key].said
        claims = [one for one in part.folder.origins if key in one.cells]
        for one in claims:
            told = one.cells[key]
            self._at(number, one.name).add(key, said, kept if told == found else told)
        if not claims:
            self._at(number, "").add(key, said, kept)

    def made(self) -> list[Origin]:
        """Return the origins that are new."""
        taken = dict(self._kept)
        made: list[Origin] = []
        # First those that have a name, since the others can have any.
        places = sorted(self._gathered.items(), key=lambda item: not item[0][1])
        for (number, name), gathered in places:
            part = self._parts[number]
            mine = number in self._own or (self._grows and number == 0)
            if name:
                told = next(one for one in part.folder.origins if one.name == name)
                more = {"by": named_person(told.by), "made": _date(part, told)}
                origin = gathered.origin(name, part.plans, own=mine, **more)
            else:
                origin = gathered.origin(name, part.plans, own=mine)
                origin = replace(origin, name=_free(part, origin, taken))
            taken[origin.name] = origin
            made.append(origin)
        return made

    def _at(self, number: int, name: str) -> Gathered:
        return self._gathered.setdefault((number, name), Gathered())


def _free(part: Part, origin: Origin, taken: dict[str, Origin]) -> str:
    """Return the name of an origin after its folder, with a number where another one has it."""
    names = _numbered(name_from(part.folder.folder.resolve().name))
    return next(name for name in names if _same(taken.get(name, origin), origin))


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _same(known: Origin, new: Origin) -> bool:
    """Whether a merge that was begun before has written the origin."""
    return known.own == new.own and known.cells.keys() == new.cells.keys()


def _date(part: Part, origin: Origin) -> str:
    try:
        return datetime.fromisoformat(origin.made).isoformat()
    except ValueError as error:
        raise DataError(
            f"{part.name}: {origin.name} was made at {origin.made!r}, which is no date; submit it "
            "again"
        ) from error
