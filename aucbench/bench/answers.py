"""What was found out about the names of a plan, before any cell runs; and the ids of its cells.

An id is a hash of everything that could change the number of a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from aucbench import registry
from aucbench.bench.cell import NAMES, Cell, Tuning, listed, solver_label
from aucbench.bench.inline import NOTHING, Inline
from aucbench.errors import UnknownNameError
from aucbench.processes.records import Ending, Outcome
from aucbench.registry.fingerprints import CANONICAL, code_fingerprint, hash_of_text
from aucbench.registry.specs import Spec, bare, parse_spec, short
from aucbench.store import SCHEMA

if TYPE_CHECKING:
    from aucbench.bench.evaluation.targets import KeptTarget

SPECS = ("solver", "dataset", "features", "objective", "projector", "pairs")
OF_TUNING = (
    "tune_evals",
    "inner_splits",
    "tune_seconds",
)  # cannot matter to a solver that is not tuned
PLAIN = tuple(name for name in NAMES if name not in OF_TUNING)
COUNTED = ("repeat", "seed", "split")  # whole numbers, by which neighbours in a plan differ
SHARED = tuple(name for name in NAMES if name not in COUNTED)
MOST_TEXTS = 4096
_all, _plain = attrgetter(*NAMES), attrgetter(*PLAIN)
_counts, _shared = attrgetter(*COUNTED), attrgetter(*SHARED)
LIGHT_VALUES = 10**6  # numbers of a data set whose rows are mapped in less than 0.1 s


class CellIds:
    """The ids of many cells; what they share is written down once."""

    def __init__(self, code: str, used: Callable[[Cell], Mapping[str, str]]):
        self._code, self._used = code, used
        # By the objects that the cells share: equal ones, as 1 and 1.0, may be written otherwise.
        # The cell keeps the objects alive.
        self._texts: dict[tuple[int, ...], tuple[Cell, list[str]]] = {}

    def of(self, cell: Cell) -> str:
        """Return the `cell_id` of a cell."""
        shared = tuple(map(id, _shared(cell)))
        known = self._texts.get(shared)
        if known is None:
            if len(self._texts) == MOST_TEXTS:
                self._texts.clear()
            known = self._texts[shared] = (cell, self._parts(cell))
        parts, (repeat, seed, split) = known[1], _counts(cell)
        return hash_of_text(f"{parts[0]}{repeat}{parts[1]}{seed}{parts[2]}{split}{parts[3]}")

    def _parts(self, cell: Cell) -> list[str]:
        """Return the text that is hashed without the three numbers, which are in this order."""
        plugins = dict(self._used(cell))
        rest = _text(cell, data=plugins.pop("data"), plugins=plugins, code=self._code)
        parts = []
        for name, value in zip(COUNTED, _counts(cell), strict=True):
            before, mark, rest = rest.partition(f',"{name}":{value},')
            if not mark:
                raise AssertionError(f"the text of an id has no {name}={value} where it was")
            parts.append(f'{before},"{name}":')
            rest = f",{rest}"
        return [*parts, rest]


def cell_id(cell: Cell, *, data: str, plugins: Mapping[str, str], code: str) -> str:
    """Id of a cell, 32 hexadecimal digits."""
    return hash_of_text(_text(cell, data=data, plugins=plugins, code=code))


def _text(cell: Cell, *, data: str, plugins: Mapping[str, str], code: str) -> str:
    names, values = (NAMES, _all(cell)) if cell.tune else (PLAIN, _plain(cell))
    each = zip(names, values, strict=True)
    fields = {n: listed(value) for n, value in each}
    # A file is known by its content, which is in `data` or `plugins`, and not by its place.
    fields |= {
        name: bare(fields[name], joined=name == "features")
        for name in SPECS
        if fields.get(name) is not None
    }
    used = {"data": data, "plugins": dict(plugins), "code": code, "schema": SCHEMA}
    return CANONICAL.encode({"cell": fields, **used})


def is_unknown(answer: Mapping[str, Any]) -> bool:
    """Whether a worker knows no plugin that has a name; it asks only those of the same name."""
    return answer.get("error") == UnknownNameError.__name__ and answer["plugin"] is None


class Name(NamedTuple):
    """What is looked up: a specification of a kind, and how it is tuned.

    The specification of a solver is a `Spec`; those of other kinds are text.
    """

    kind: str
    spec: Spec | str
    tuning: Tuning = False

    @property
    def name(self) -> str:
        """The specification without its parameters."""
        return self.spec.name if isinstance(self.spec, Spec) else parse_spec(self.spec).name

    @property
    def label(self) -> str:
        """How people know it."""
        return short(solver_label(self.spec, self.tuning))


@dataclass(frozen=True)
class Lookup:
    """The answer about one name."""

    fingerprint: str  # hash of the plugin's files, or of the data
    failure: Outcome | None = None  # how the cells that need it end, when it cannot be used
    answer: Mapping[str, Any] = field(default_factory=dict)  # of the worker
    target: KeptTarget | None = None  # of a data set
    file: tuple[str, str] | None = None  # the file that holds it, where it is in no package
    preload: tuple[str, ...] = ()  # modules that a process which uses it finds imported
    own: bool = False  # whether aucbench has it, and needs none of these modules for it

    @property
    def needs(self) -> Mapping[str, Any]:
        """What a solver asks of its problem."""
        return self.answer.get("needs", {})  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Lookups:
    """The answers about all names of a plan."""

    known: Mapping[Name, Lookup]
    inline: Inline = NOTHING
    code: str = field(default_factory=code_fingerprint)  # of the part of aucbench that computes

    def of(self, cell: Cell) -> dict[str, Lookup]:
        """Return the answers about what a cell needs, by role."""
        return {
            role: self.known[Name(kind, spec, cell.tune if kind == "solvers" else False)]
            for role, kind, spec in cell.parts()
        }

    def id(self, cell: Cell) -> str:
        """Id of the cell."""
        return self._ids.of(cell)

    @cached_property
    def _ids(self) -> CellIds:
        return CellIds(self.code, lambda cell: {r: f.fingerprint for r, f in self.of(cell).items()})

    def files(self, cell: Cell) -> dict[str, str]:
        """Return the fingerprints of the files that a cell needs, by their paths."""
        return dict(lookup.file for lookup in self.of(cell).values() if lookup.file)

    def preload(self, cell: Cell) -> tuple[str, ...]:
        """Return the modules that the process of a cell finds imported."""
        return max((lookup.preload for lookup in self.of(cell).values()), key=len)

    def maps_lightly(self, cell: Cell) -> bool:
        """Whether its rows are few, and only maps of aucbench are applied to them."""
        maps = (self.known[Name("features", s)] for s in registry.joined_specs(cell.features))
        facts = self.data(cell).answer
        return all(each.own for each in maps) and facts["n"] * facts["d"] <= LIGHT_VALUES

    def data(self, cell: Cell) -> Lookup:
        """Return the answer about the data set of a cell."""
        return self.known[Name("datasets", cell.dataset)]

    @property
    def targets(self) -> dict[str, bytes]:
        """Packed targets of the data sets, by the hash of the data."""
        known = self.known.values()
        return {lookup.fingerprint: lookup.target.packed for lookup in known if lookup.target}

    @property
    def about(self) -> dict[str, Mapping[str, Any]]:
        """What is known of the data sets, by the hash of the data."""
        known = self.known.values()
        return {lookup.fingerprint: lookup.answer for lookup in known if lookup.target}

    def failure(self, cell: Cell) -> Outcome | None:
        """Return how the cell ends without being run; None when it can be run."""
        broken = next((lookup.failure for lookup in self.of(cell).values() if lookup.failure), None)
        target = self.data(cell).target
        if broken is not None or target is None:
            return broken
        refusal = target.refusal(cell)
        if refusal is None:
            return None
        return Outcome(Ending.ERROR, refusal, step="split", refusal=True)
