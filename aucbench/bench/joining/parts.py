"""The folders of a merge: what each has, and whether they fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import partial

from aucbench.bench.cell import Cell
from aucbench.bench.joining.briefs import Brief, brief_of, require_honest
from aucbench.bench.joining.foreign import Foreign
from aucbench.bench.joining.protocol import agreed
from aucbench.bench.joining.public import require_public
from aucbench.bench.joining.refusals import ask_each
from aucbench.bench.plan.plan import Plan
from aucbench.errors import DataError
from aucbench.registry.discovery import normalized


@dataclass(slots=True)
class Part:
    """One folder, and the cells of it that count."""

    folder: Foreign
    plans: list[Plan]
    briefs: dict[str, Brief] = field(default_factory=dict)
    others: int = 0  # records that no plan of the folder asks for

    @property
    def name(self) -> str:
        """What to call it."""
        return str(self.folder.folder)


def parts_of(folders: Sequence[Foreign], *, grows: bool) -> list[Part]:
    """Return what the folders have, in their order; `DataError` where they do not fit together.

    With `grows`, cells of the first one that it has merged before are taken as they are.
    """
    first = folders[0]
    known = {key for one in first.origins for key in one.cells} if grows else set()
    parts = ask_each(
        (number, partial(_part, one, first, known if one is first else frozenset()))
        for number, one in enumerate(folders)
    )
    _require_one_result(parts)
    _require_one_package(parts)
    return parts


def _part(folder: Foreign, first: Foreign, known: Set[str]) -> Part:
    """Return what a folder has, beside the plans of the first one."""
    names = str(folder.folder), str(first.folder)
    plans = folder.plans
    if folder is not first:
        plans = [agreed(plan, first.plans, *names) for plan in plans]
    for plan in plans:
        require_public(plan, names[0])
    part = Part(folder, plans)
    _read(part, known)
    return part


def missing(part: Part, parts: Iterable[Part]) -> Counter[str]:
    """Return how many cells of the plans of a part no folder has, by solver."""
    return _missing(part, _cells_of(parts))


def _missing(part: Part, here: Set[Cell]) -> Counter[str]:
    asked = {cell for plan in part.plans for cell in plan.cells()}
    return Counter(cell.label for cell in asked - here)


def _cells_of(parts: Iterable[Part]) -> set[Cell]:
    return {brief.cell for part in parts for brief in part.briefs.values()}


def require_whole(parts: Sequence[Part]) -> None:
    """Raise `DataError` where a folder, but for the first one, has a part of its cells only."""
    here = _cells_of(parts)
    ask_each(
        (number, partial(_require_whole, part, here)) for number, part in enumerate(parts) if number
    )


def _require_whole(part: Part, here: Set[Cell]) -> None:
    if lacking := _missing(part, here):
        solver, count = lacking.most_common(1)[0]
        raise DataError(
            f"{part.name} lacks {count} cells of {solver}, and all of its plan count; run the "
            "plan to its end, where a failure is a result too, and submit it again"
        )


def _read(part: Part, known: Set[str]) -> None:
    """Read the records of a folder, of which a few values are kept; those known are not checked."""
    asked = {cell for plan in part.plans for cell in plan.cells()}
    of_cells: dict[Cell, str] = {}
    for record in part.folder.records():
        if record.cell not in asked:
            part.others += 1
            continue
        other = of_cells.setdefault(record.cell, record.id)
        if other != record.id:
            raise DataError(
                f"{part.name} has two results of {record.cell}, computed with different data or "
                f"code; delete one of {other} and {record.id}"
            )
        if record.id not in known:
            require_honest(record, part.name)
        part.briefs[record.id] = brief_of(record)


def _require_one_result(parts: Sequence[Part]) -> None:
    """Raise `DataError` where a cell has two ids, or an id two cells."""
    ids: dict[Cell, tuple[str, Part]] = {}
    for part in parts:
        for key, brief in part.briefs.items():
            other, whose = ids.setdefault(brief.cell, (key, part))
            if other != key:
                before = whose.briefs[other]
                raise DataError(
                    f"{whose.name} and {part.name} have results of {brief.cell} by other code: "
                    f"{_told(before)}, and {_told(brief)}; run it with the versions of one of "
                    "them, or leave one folder out"
                )
    cells: dict[str, tuple[Cell, Part]] = {}
    for part in parts:
        for key, brief in part.briefs.items():
            cell, whose = cells.setdefault(key, (brief.cell, part))
            if cell != brief.cell:
                raise DataError(
                    f"the result {key} is of {cell} in {whose.name}, and of {brief.cell} in "
                    f"{part.name}; one of the two was altered: ask who sent it"
                )


def _require_one_package(parts: Sequence[Part]) -> None:
    """Raise `DataError` where two packages have a solver of one name, or two versions of one."""
    owners: dict[str, tuple[tuple[str, str], Part]] = {}
    for part, brief in _plugins(parts):
        assert brief.plugin is not None
        name = brief.cell.solver.name
        (package, version), whose = owners.setdefault(name, (brief.plugin, part))
        if normalized(package) != normalized(brief.plugin[0]):
            raise DataError(
                f"the solver {name} is of {package} in {whose.name}, and of {brief.plugin[0]} in "
                f"{part.name}; run the second one as {brief.plugin[0]}:{name}, and submit it again"
            )
        if whose is part and version != brief.plugin[1]:
            raise DataError(
                f"{part.name} has results of {name} by {package} {version} and {brief.plugin[1]}; "
                "run all of them with one version, and submit them again"
            )


def _plugins(parts: Iterable[Part]) -> Iterator[tuple[Part, Brief]]:
    for part in parts:
        yield from ((part, brief) for brief in part.briefs.values() if brief.plugin is not None)


def _told(brief: Brief) -> str:
    """Return the versions of a cell, its plugin first."""
    plugin = "" if brief.plugin is None else brief.plugin[0]
    each = sorted(brief.said.packages, key=lambda package: (package[0] != plugin, package))
    return ", ".join(f"{name} {version}" for name, version in each) or "unknown versions"
