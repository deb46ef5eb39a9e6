"""What was found out about the names of a plan, before any cell runs; and the ids of its cells.

An id is a hash of everything that could change the number of a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from aucbench.bench.cell import Cell, Choice, Tuning
from aucbench.bench.codec import dump, load
from aucbench.bench.fingerprints import code_fingerprint, hash_of
from aucbench.bench.inline import NOTHING, Inline
from aucbench.errors import UnknownNameError
from aucbench.processes.records import Ending, Outcome
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


def cell_id(cell: Cell, shared: str) -> str:
    """Id of a cell, 32 hexadecimal digits; `shared` is the hash of what it shares with others."""
    return hash_of([shared, cell.repeat, cell.seed, cell.split])


def shared_hash(cell: Cell, *, data: str, plugins: Mapping[str, str], code: str) -> str:
    """Return a hash of all that cells share which differ in their `COUNTED` fields only.

    The cell has one spelling of all that it uses. A file is known by its content, which is in
    `data` or `plugins`, and not by its place.
    """
    plain = dump(respelled(cell, lambda name: without_place(name.spec), data=True))
    left_out = COUNTED if cell.tune else (*COUNTED, *OF_TUNING)
    shared = {name: value for name, value in plain.items() if name not in left_out}
    return hash_of([shared, data, dict(plugins), code, SCHEMA])


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
    """What is resolved: a specification of a kind, and how it is tuned."""

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
class Answer:
    """The answer about one name."""

    fingerprint: str  # hash of the plugin's files, or of the data
    failure: Outcome | None = None  # how the cells that need it end, when it cannot be used
    result: Mapping[str, Any] = field(default_factory=dict)  # of the worker
    target: KeptTarget | None = None  # of a data set
    file: tuple[str, str] | None = None  # the file that holds it, where it is in no package
    own: bool = False  # whether a plugin of aucbench has it, and runs no package of others

    def identity(self, name: Name) -> Spec:
        """Return one specification for all spellings of the name that was resolved."""
        known = self.result.get("identity")
        return name.spec if known is None else load(known, Spec)

    def meaning(self, name: Name) -> str:
        """Return what is the same for two names of one thing: of a file its place is none."""
        return "" if self.target else bare(self.identity(name))


@dataclass(frozen=True)
class Resolver:
    """The answers about all names of a plan."""

    known: Mapping[Name, Answer]
    inline: Inline = NOTHING
    code: str = field(default_factory=code_fingerprint)  # of the part of aucbench that computes
    # By a cell of those that share it: it takes long to write them as JSON.
    _shared: dict[Cell, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def of(self, cell: Cell) -> dict[str, Answer]:
        """Return the answers about what a cell needs, by role."""
        return {role: self.known[name] for role, name in Name.of(cell).items()}

    def id(self, cell: Cell) -> str:
        """Id of the cell."""
        first = replace(cell, repeat=0, seed=0, split=0)
        if first not in self._shared:
            plugins = {role: answer.fingerprint for role, answer in self.of(cell).items()}
            data = plugins.pop("data")
            spelled = respelled(cell, lambda name: self.known[name].identity(name))
            self._shared[first] = shared_hash(spelled, data=data, plugins=plugins, code=self.code)
        return cell_id(cell, self._shared[first])

    def files(self, cell: Cell) -> dict[str, str]:
        """Return the fingerprints of the files that a cell needs, by their paths."""
        return dict(answer.file for answer in self.of(cell).values() if answer.file)

    def trusts(self, cell: Cell) -> bool:
        """Whether all that computes with the rows of a cell is of aucbench."""
        return all(answer.own for role, answer in self.of(cell).items() if role != "data")

    def data(self, cell: Cell) -> Answer:
        """Return the answer about the data set of a cell."""
        return self.known[Name("datasets", cell.dataset)]

    @property
    def targets(self) -> dict[str, bytes]:
        """Packed targets of the data sets, by the hash of the data."""
        known = self.known.values()
        return {answer.fingerprint: answer.target.packed for answer in known if answer.target}

    @property
    def about(self) -> dict[str, Mapping[str, Any]]:
        """What is known of the data sets, by the hash of the data."""
        known = self.known.values()
        return {answer.fingerprint: answer.result for answer in known if answer.target}

    def failure(self, cell: Cell) -> Outcome | None:
        """Return how the cell ends without being run; None when it can be run."""
        broken = next((answer.failure for answer in self.of(cell).values() if answer.failure), None)
        target = self.data(cell).target
        if broken is not None or target is None:
            return broken
        refusal = target.refusal(cell)
        if refusal is None:
            return None
        return Outcome(Ending.ERROR, refusal, step="split", refusal=True)
