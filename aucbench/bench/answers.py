"""What was found out about the names of a plan, before any cell runs; and the ids of its cells.

An id is a hash of everything that could change the number of a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from aucbench.bench.cell import Cell, Choice, Tuning
from aucbench.bench.codec import dump, load
from aucbench.bench.inline import NOTHING, Inline
from aucbench.errors import UnknownNameError
from aucbench.processes.records import Ending, Outcome
from aucbench.registry.fingerprints import CANONICAL, code_fingerprint, hash_of_text
from aucbench.registry.specs import Spec, SpecChain, bare, short, without_place
from aucbench.store import SCHEMA

if TYPE_CHECKING:
    from aucbench.bench.evaluation.targets import KeptTarget

OF_TUNING = (
    "tune_evals",
    "inner_splits",
    "tune_seconds",
    "tune_work",
)  # cannot matter to a solver that is not tuned
COUNTED = ("repeat", "seed", "split")  # whole numbers, in which alone most cells of a plan differ
_shared = attrgetter(*(f.name for f in fields(Cell) if f.name not in COUNTED))


def cell_id(cell: Cell, template: str) -> str:
    """Id of a cell, 32 hexadecimal digits."""
    counts = {"repeat": cell.repeat, "seed": cell.seed, "split": cell.split}
    return hash_of_text(template % counts)


def id_template(cell: Cell, *, data: str, plugins: Mapping[str, str], code: str) -> str:
    """Return the JSON text that is hashed for an id, with a place for each of `COUNTED`.

    The cell has one spelling of all that it uses. A file is known by its content, which is in
    `data` or `plugins`, and not by its place.
    """
    asked = dump(respelled(cell, lambda name: without_place(name.spec), data=True))
    members = {
        name: f"%({name})d" if name in COUNTED else _escaped(value)
        for name, value in asked.items()
        if cell.tune or name not in OF_TUNING
    }
    known = {"data": data, "plugins": dict(plugins), "code": code, "schema": SCHEMA}
    written = {name: _escaped(value) for name, value in known.items()}
    return _json_object({"cell": _json_object(members), **written})


def _escaped(value: Any) -> str:
    return CANONICAL.encode(value).replace("%", "%%")


def _json_object(members: Mapping[str, str]) -> str:
    """Return a JSON object as `CANONICAL` writes it; the members are JSON text."""
    return "{" + ",".join(f'"{name}":{members[name]}' for name in sorted(members)) + "}"


def respelled(cell: Cell, spelling: Callable[[Name], Spec], *, data: bool = False) -> Cell:
    """Return a cell with another spelling of all that it uses, also of its data set if asked."""

    def spelled(kind: str, spec: Spec | None) -> Spec | None:
        return None if spec is None else spelling(Name(kind, spec))

    return replace(
        cell,
        dataset=spelling(Name("datasets", cell.dataset)) if data else cell.dataset,
        solver=spelling(Name("solvers", cell.solver, cell.tune)),
        features=SpecChain(spelling(Name("features", part)) for part in cell.features),
        objective=spelled("objectives", cell.objective),
        projector=spelled("projectors", cell.projector),
        pairs=spelled("pairs", cell.pairs),
    )


@dataclass(frozen=True)
class Wanted:
    """What was found out about the plans of results folders."""

    ids: Mapping[Cell, str] = field(default_factory=dict)  # those that count, of all their cells
    # What is spelled in another way before, by name; all others are spelled in one way.
    before: Mapping[Name, Spec] = field(default_factory=dict)

    def spelled(self, cell: Cell) -> Cell:
        """Return a cell with the first spelling of all that it uses."""
        if not self.before:
            return cell
        return respelled(cell, lambda name: self.before.get(name, name.spec))


def is_unknown(answer: Mapping[str, Any]) -> bool:
    """Whether a worker knows no plugin that has a name; it asks only those of the same name."""
    return answer.get("error") == UnknownNameError.__name__ and answer["plugin"] is None


class Name(NamedTuple):
    """What is looked up: a specification of a kind, and how it is tuned."""

    kind: str
    spec: Spec
    tuning: Tuning = False

    @property
    def label(self) -> str:
        """How people know it."""
        return short(Choice(self.spec, self.tuning))

    @staticmethod
    def of(cell: Cell) -> dict[str, Name]:
        """Return the names of what a cell uses, by role."""
        return {
            role: Name(kind, spec, cell.tune if kind == "solvers" else False)
            for role, kind, spec in cell.parts()
        }


@dataclass(frozen=True)
class Lookup:
    """The answer about one name."""

    fingerprint: str  # hash of the plugin's files, or of the data
    failure: Outcome | None = None  # how the cells that need it end, when it cannot be used
    answer: Mapping[str, Any] = field(default_factory=dict)  # of the worker
    target: KeptTarget | None = None  # of a data set
    file: tuple[str, str] | None = None  # the file that holds it, where it is in no package
    preload: tuple[str, ...] = ()  # modules that a process which uses it finds imported
    own: bool = False  # whether a plugin of aucbench has it, and runs no package of others

    def identity(self, name: Name) -> Spec:
        """Return one specification for all spellings of the name that was looked up."""
        known = self.answer.get("identity")
        return name.spec if known is None else load(known, Spec)

    def meaning(self, name: Name) -> str:
        """Return what is the same for two names of one thing: of a file its place is none."""
        return "" if self.target else bare(self.identity(name))

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
    # By what some cells share: it takes ten times as long to write their text as to hash it.
    _templates: dict[tuple[Any, ...], str] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def of(self, cell: Cell) -> dict[str, Lookup]:
        """Return the answers about what a cell needs, by role."""
        return {role: self.known[name] for role, name in Name.of(cell).items()}

    def id(self, cell: Cell) -> str:
        """Id of the cell."""
        shared = _shared(cell)
        template = self._templates.get(shared)
        if template is None:
            plugins = {role: lookup.fingerprint for role, lookup in self.of(cell).items()}
            data = plugins.pop("data")
            spelled = respelled(cell, lambda name: self.known[name].identity(name))
            template = id_template(spelled, data=data, plugins=plugins, code=self.code)
            self._templates[shared] = template
        return cell_id(cell, template)

    def files(self, cell: Cell) -> dict[str, str]:
        """Return the fingerprints of the files that a cell needs, by their paths."""
        return dict(lookup.file for lookup in self.of(cell).values() if lookup.file)

    def preload(self, cell: Cell) -> tuple[str, ...]:
        """Return the modules that the process of a cell finds imported."""
        return max((lookup.preload for lookup in self.of(cell).values()), key=len)

    def trusts(self, cell: Cell) -> bool:
        """Whether all that computes with the rows of a cell is of aucbench."""
        return all(lookup.own for role, lookup in self.of(cell).items() if role != "data")

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
