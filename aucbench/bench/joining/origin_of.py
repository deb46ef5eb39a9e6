"""Make the origin of cells from their records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import write_plan
from aucbench.bench.results.origins import Origin
from aucbench.bench.results.record import Record
from aucbench.registry.fingerprints import CANONICAL, hash_of
from aucbench.registry.specs import short
from aucbench.showing import shown

OF_MACHINE = ("cpu", "cores", "threads", "simd", "sort")
AUCBENCH, PYTHON = "aucbench", "python"
LONGEST = 200  # characters of `by`
NOT_OF_NAMES = re.compile(r"[^0-9a-z]+")


class Said(NamedTuple):
    """What a record says of where it comes from."""

    solver: str
    machine: str  # some of its values, as JSON
    packages: tuple[tuple[str, str], ...]  # the versions of the machine, and that of its plugin


def said_by(record: Record) -> Said:
    """Return what a record says of where it comes from."""
    known = record.machine.get("versions")
    versions = {**known} if isinstance(known, Mapping) else {}
    machine = {name: record.machine.get(name) for name in OF_MACHINE}
    machine[PYTHON] = versions.pop(PYTHON, None)
    if record.plugin is not None:
        versions[record.plugin[0]] = record.plugin[1]
    packages = tuple((str(package), str(version)) for package, version in versions.items())
    return Said(record.cell.label, CANONICAL.encode(machine), packages)


@dataclass(slots=True)
class Gathered:
    """What the records of some cells say of where they come from."""

    solvers: dict[str, None] = field(default_factory=dict)
    cells: dict[str, str | None] = field(default_factory=dict)
    machines: Counter[str] = field(default_factory=Counter)
    versions: dict[str, set[str]] = field(default_factory=dict)

    def add(self, key: str, said: Said, scores: str | None) -> None:
        """Take the id of a cell, what its record says, and the hash of its scores."""
        self.solvers[said.solver] = None
        self.cells[key] = scores
        self.machines[said.machine] += 1
        for package, version in said.packages:
            self.versions.setdefault(package, set()).add(version)

    def origin(self, name: str, plans: Iterable[Plan], **more: Any) -> Origin:
        """Return the origin of these cells; `more` are further fields."""
        packages = {name: ", ".join(sorted(all_of)) for name, all_of in self.versions.items()}
        aucbench = packages.pop(AUCBENCH, "")
        told = self.machines.most_common(1)
        machine = {} if not told else _decoded(told[0][0])
        given = {"made": datetime.now(UTC).isoformat(timespec="seconds"), **more}
        return Origin(
            name=name,
            aucbench=aucbench,
            machine=machine,
            packages=dict(sorted(packages.items())),
            solvers=tuple(sorted(self.solvers)),
            plan=plans_hash(plans),
            cells=dict(sorted(self.cells.items())),
            **given,
        )


def plans_hash(plans: Iterable[Plan]) -> str:
    """Return a hash of plans; their order, families and paths have no influence."""
    return hash_of(sorted(write_plan(plan, places=False) for plan in plans))


def name_from(text: str) -> str:
    """Return a name of an origin that is like a text, such as `sht-auc-k-50`."""
    name = NOT_OF_NAMES.sub("-", short(text).lower()).strip("-")[:64].strip("-")
    return name if len(name) > 1 else f"from-{name or 'nowhere'}"


def named_person(text: str) -> str:
    """Return who has run cells, as one line that a terminal can show."""
    return shown(" ".join(text.split()))[:LONGEST]


def _decoded(text: str) -> dict[str, Any]:
    import json

    plain = json.loads(text)
    return {name: value for name, value in plain.items() if isinstance(value, str | int)}
