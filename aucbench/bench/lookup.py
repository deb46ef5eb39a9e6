"""What the names of a plan mean, found out in supervised processes before any cell runs.

Design
  a. A mistake of the user (an unknown name, a bad parameter, an unreadable file) ends the
     run with a sentence before the first fit.
  b. A plugin that is broken or crashes is no mistake of the user: the cells that need it
     end with its status and reason, and the others run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

from aucbench import registry
from aucbench.bench.engines import Engine
from aucbench.bench.plan.checks import PlanError
from aucbench.bench.plan.identity import cell_id
from aucbench.bench.plan.plan import Plan, solver_label
from aucbench.bench.requests import data_job, resolve_job
from aucbench.bench.results.record import REFUSALS
from aucbench.cell import Cell
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.infra.supervise.records import Ending, Job, Limits, Outcome
from aucbench.registry.fingerprints import code_fingerprint, plugin_fingerprint

RESOLVE = Limits(timeout=60.0)  # of the import of a plugin
READ = Limits(timeout=3600.0)  # of a data set
FIELDS = {  # of a plan, by kind
    "objectives": "objective",
    "projectors": "projector",
    "features": "preprocess",
    "data": "datasets",
}
Key = tuple[str, str]  # kind and specification, or ("data", data set)


@dataclass(frozen=True)
class Meaning:
    """What is known of one name.

    Attributes
    ----------
    fingerprint : str
        Hash of the plugin's files, or of the data.
    failure : Outcome or None
        How the cells that need it end, when it cannot be had.
    found : mapping
        Answer of `aucbench.fit.jobs`.
    """

    fingerprint: str
    failure: Outcome | None = None
    found: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Meanings:
    """What all names of a plan mean."""

    known: Mapping[Key, Meaning]

    @cached_property
    def code(self) -> str:
        """Fingerprint of the part of aucbench that computes."""
        return code_fingerprint()

    def of(self, cell: Cell) -> dict[str, Meaning]:
        """Meanings that a cell needs, by role."""
        keys: dict[str, tuple[str, str | None]] = {
            "data": ("data", cell.dataset),
            "solver": ("solvers", solver_label(cell.solver, cell.tune)),
            "objective": ("objectives", cell.objective),
            "projector": ("projectors", cell.projector),
        }
        for number, part in enumerate(registry.joined_specs(cell.preprocess)):
            keys[f"features {number}" if number else "features"] = ("features", part)
        return {r: self.known[kind, name] for r, (kind, name) in keys.items() if name is not None}

    def id(self, cell: Cell) -> str:
        """Id of the cell."""
        used = {role: meaning.fingerprint for role, meaning in self.of(cell).items()}
        return cell_id(cell, data=used.pop("data"), plugins=used, code=self.code)

    def failure(self, cell: Cell) -> Outcome | None:
        """Return how the cell ends without being run, if something that it needs is broken."""
        return next((m.failure for m in self.of(cell).values() if m.failure), None)


def lookups(plan: Plan) -> Iterator[tuple[Key, Job]]:
    """Jobs that find out what the names of a plan mean; one each, since any may crash."""
    for choice in plan.solvers:
        label = solver_label(choice.spec, choice.tuning)
        grids = [(choice.spec, choice.tuning)] if choice.tune else []
        yield ("solvers", label), resolve_job({"solvers": [choice.spec]}, grids, RESOLVE)
    named = (("objectives", plan.objective), ("projectors", plan.projector))
    maps = (part for spec in plan.preprocess for part in registry.joined_specs(spec))
    for kind, spec in chain(named, (("features", part) for part in maps)):
        if spec is not None:
            yield (kind, spec), resolve_job({kind: [spec]}, (), RESOLVE)
    first = next(plan.cells())
    for dataset in plan.datasets:
        yield ("data", dataset), data_job(replace(first, dataset=dataset), READ)


def meanings_of(plan: Plan, engine: Engine, deadly: Mapping[str, Outcome]) -> Meanings:
    """Look everything up but what names a deadly plugin; raises as `understand`."""
    jobs = dict(lookups(plan))
    found = {key: deadly[name] for key in jobs if (name := _named(key[1], deadly))}
    keys = [key for key in jobs if key not in found]
    asked = ((str(number), jobs[key]) for number, key in enumerate(keys))
    found |= {keys[int(number)]: outcome for number, outcome in engine.run(asked)}
    return understand(plan, found.items())


def understand(plan: Plan, outcomes: Iterable[tuple[Key, Outcome]]) -> Meanings:
    """Meanings from what the jobs of `lookups` answered.

    Raises
    ------
    AucbenchError
        About the first mistake of the user, in the order of the plan.
    """
    answered = dict(outcomes)
    order = [key for key, _ in lookups(plan)]
    known = {key: _meaning(plan, key, answered[key]) for key in order}
    _refuse_ignored(plan, known)
    return Meanings(known)


def _meaning(plan: Plan, key: Key, outcome: Outcome) -> Meaning:
    kind, spec = key
    if outcome.ending is not Ending.OK:
        return Meaning(_guessed(spec), _checked(plan, key, outcome))
    result = outcome.result or {}
    if kind == "data":
        return Meaning(result["hash"], found=result)
    answers = [*result.get(kind, {}).values(), *result.get("grids", ())]
    bad = next((answer for answer in answers if not answer["ok"]), None)
    if bad is not None and bad["status"] == "refused":
        raise _refusal(plan, key, bad["reason"])
    failure = None if bad is None else Outcome(Ending.ERROR, bad["reason"])
    plugin = next((answer["plugin"] for answer in answers if answer["plugin"]), None)
    files = _fingerprint(plugin[0], plugin[2]) if plugin else _guessed(spec)
    return Meaning(files, failure, answers[0])


def _checked(plan: Plan, key: Key, outcome: Outcome) -> Outcome:
    """Return the failure of a lookup; one that is a refusal of the user's input is raised."""
    kind, _, sentence = (outcome.reason or "").partition(": ")
    if outcome.ending is Ending.ERROR and kind in REFUSALS:
        raise _refusal(plan, key, sentence)
    # Without its step: to a cell it is a failure of something that was never started.
    return Outcome(outcome.ending, f"{key[1]}: {outcome.reason}", log=outcome.log)


def _refusal(plan: Plan, key: Key, sentence: str) -> PlanError:
    """Error that a plan file can find the line of."""
    kind, spec = key
    if kind != "solvers":
        first = {registry.joined_specs(joined)[0] for joined in plan.preprocess}
        follows = kind == "features" and spec not in first
        return PlanError(sentence, "features" if follows else FIELDS[kind], value=spec)
    labels = [solver_label(choice.spec, choice.tuning) for choice in plan.solvers]
    number = labels.index(spec)
    return PlanError(sentence, "solvers", number, "spec", value=plan.solvers[number].spec)


def _named(spec: str, deadly: Mapping[str, Outcome]) -> str | None:
    """Return the deadly plugin that a specification names, if it does."""
    name = _name(spec)
    return next((d for d in deadly if name in (d, d.rpartition(":")[2])), None)


def _name(spec: str) -> str:
    try:
        return registry.parse_spec(spec.partition(" (tuned")[0]).name
    except ParameterError:  # a file
        return spec


def _guessed(spec: str) -> str:
    """Fingerprint of a plugin that cannot be asked: of the one whose entry point has its name."""
    name = _name(spec).rpartition(":")[2]
    named = (p for p in registry.plugins() if p.name == name)
    return next((_fingerprint(p.distribution, p.value) for p in named), "unknown")


@lru_cache(maxsize=256)
def _fingerprint(distribution: str, value: str) -> str:
    return plugin_fingerprint(distribution, value)


def _refuse_ignored(plan: Plan, known: Mapping[Key, Meaning]) -> None:
    """An option that a solver ignores is an error: its rows would not be what they say."""
    for kind in ("objective", "projector"):
        if getattr(plan, kind) is None:
            continue
        tied = [
            label
            for (what, label), meaning in known.items()
            if what == "solvers"
            and not meaning.failure
            and not meaning.found.get("needs", {}).get(kind, False)
        ]
        if tied:
            raise UnsupportedError(
                f"these solvers are tied to their own {kind}: {', '.join(tied)}; leave "
                f"--{kind} out, or name other solvers with --solvers"
            )
