"""Look up the names of a plan, in supervised processes, before any cell runs.

Design
  a. A mistake of the user (an unknown name, a bad parameter, an unreadable file) ends the
     run with a sentence before the first fit.
  b. A broken plugin is not a mistake of the user. The cells that need it end with its status
     and reason, and the others run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any

from aucbench import registry
from aucbench.bench.answers import Lookup, Lookups, Name
from aucbench.bench.cell import TARGET_FILE
from aucbench.bench.engines import Engine
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.given import NOTHING, Given
from aucbench.bench.learning import LEARNING, likely
from aucbench.bench.plan.errors import PlanError, every
from aucbench.bench.plan.plan import Plan
from aucbench.bench.refusals import (
    refuse_equal,
    refuse_ignored,
    refuse_needless,
    refuse_unfit_objective,
    replaced_parts,
)
from aucbench.bench.requests import Homes, data_job, resolve_job
from aucbench.errors import (
    DataError,
    PluginError,
    UnknownNameError,
)
from aucbench.hookspecs import PROJECT
from aucbench.processes import Supervisor
from aucbench.processes.records import Ending, Fence, Job, Limits, Outcome
from aucbench.registry import visits
from aucbench.registry.discovery import entries, normalized
from aucbench.registry.fingerprints import (
    code_fingerprint,
    hash_of,
    package_fingerprint,
    plugin_fingerprint,
)
from aucbench.registry.lookup import unknown as unknown_name
from aucbench.registry.source_files import file_fingerprint
from aucbench.registry.specs import Spec, in_file, parse_spec
from aucbench.registry.visits import Home

if TYPE_CHECKING:
    from aucbench.bench.evaluation.targets import KeptTarget

RESOLVE_LIMITS = Limits(timeout=60.0)  # of the import of a plugin
READ = 3600.0  # seconds to read a file, or to get it from its address
MEGABYTE = 10**6
# What the parent measures with, and deals rows to splits with.
MEASURE_MODULES = (
    "aucbench.bench.evaluation.measures",
    "aucbench.bench.evaluation.targets",
    "numpy.random",
)
REGISTERED = {"data": "datasets"}  # kinds of names that the registry calls otherwise
NO_HOMES: Mapping[Name, Home] = {}
NO_REFUSALS: Mapping[Name, PlanError] = {}
PLAN_FIELDS = {  # of a plan, by kind
    "objectives": "objective",
    "projectors": "projector",
    "features": "features",
    "data": "datasets",
}


@contextmanager
def supervisor_for(engine: LocalEngine) -> Iterator[Supervisor]:
    """Open the supervisor of an engine, unless it has one."""
    given = engine.supervisor
    with nullcontext(given) if given else engine.open() as supervisor:
        yield supervisor


def lookup_jobs(
    plan: Plan, homes: Homes = (), given: Given = NOTHING, fence: Fence | None = None
) -> Iterator[tuple[Name, Job]]:
    """Yield jobs that look up the names of a plan, one job for each name since any may crash."""
    for name in _names(plan):
        yield name, given.handed(_lookup_job(plan, name, homes, fence), str(name.spec))


def _names(plan: Plan) -> Iterator[Name]:
    """Yield the names of a plan, in its order."""
    for choice in plan.solvers:
        yield Name("solvers", choice.spec, choice.tuning)
    named = (("objectives", plan.objective), ("projectors", plan.projector))
    maps = (part for spec in plan.features for part in registry.joined_specs(spec))
    for kind, spec in chain(named, (("features", part) for part in maps)):
        if spec is not None:
            yield Name(kind, spec)
    for dataset in plan.datasets:
        yield Name("data", dataset)


def _lookup_job(plan: Plan, name: Name, homes: Homes, fence: Fence | None) -> Job:
    kind, spec, tuning = name
    if kind == "data":
        cell = replace(next(plan.cells()), dataset=str(spec))
        return data_job(cell, limits_of_data(plan, cell.dataset), homes)
    grids = [(spec, tuning)] if isinstance(spec, Spec) and tuning else []
    replaced = replaced_parts(plan) if isinstance(spec, Spec) else ()
    limits = replace(RESOLVE_LIMITS, timeout=visits.within_limit(RESOLVE_LIMITS.timeout))
    about = (limits, homes, replaced, likely(spec, homes))
    return resolve_job({kind: [spec]}, grids, *about, fence)


def limits_of_data(plan: Plan, dataset: str) -> Limits:
    """Return the limits for reading a data set: those of a cell where a function makes it."""
    if _is_file(_name(dataset)):
        return Limits(timeout=READ)
    memory = None if plan.memory is None else int(plan.memory * MEGABYTE)
    return Limits(timeout=plan.timeout or None, memory=memory)


def _is_file(dataset: str) -> bool:
    """Whether a data set is read from a file or an address, and not made by a function."""
    from aucbench.datasets.located import names_file

    return in_file(dataset) is None and names_file(dataset)


def look_up(
    plan: Plan, engine: Engine, given: Given = NOTHING, fence: Fence | None = None
) -> Lookups:
    """Look up all names, each within the time of a cell; raises as `understand`.

    The processes that import plugins are within the fence, but may write: Python keeps what it
    has compiled.
    """
    with visits.within(plan.timeout or None):
        return _looked_up(plan, engine, given, fence and replace(fence, writes=True))


def _looked_up(plan: Plan, engine: Engine, given: Given, fence: Fence | None) -> Lookups:
    answers = _asked(engine, dict(lookup_jobs(plan, (), given, fence)))
    code = _prepared(plan)  # while the first processes run
    found = dict(answers)
    homes: dict[Name, Home] = {}
    refused: dict[Name, PlanError] = {}
    for name in _names(plan):
        try:
            home = _home(plan, name, found[name])
        except PlanError as error:
            refused[name] = error
            continue
        if home is not None:
            homes[name] = home
    if homes:
        again = dict(lookup_jobs(plan, homes.values(), given, fence))
        found |= dict(_asked(engine, {name: again[name] for name in homes}))
    return understand(plan, found.items(), given, homes, code, refused)


def _prepared(plan: Plan) -> str:
    """Do what needs no answers, and return the fingerprint of aucbench.

    It imports what the parent measures with, and hashes the files of the built-in solvers.
    """
    for module in MEASURE_MODULES:
        import_module(module)
    asked = {choice.spec.name for choice in plan.solvers}
    for entry in entries():
        if entry.builtin and entry.name in asked:
            _fingerprint(entry.distribution, entry.value)  # which is kept
    return code_fingerprint()


def _asked(engine: Engine, jobs: Mapping[Name, Job]) -> Iterator[tuple[Name, Outcome]]:
    """Start the jobs, first those of data, which take longest; return their outcomes."""
    names = sorted(jobs, key=lambda name: name.kind != "data")
    outcomes = engine.run((str(number), jobs[name]) for number, name in enumerate(names))
    return ((names[int(number)], outcome) for number, outcome in outcomes)


def _home(plan: Plan, name: Name, outcome: Outcome) -> Home | None:
    """Return the plugin that registers a name which no worker knows, if there is one."""
    answers: Iterable[Mapping[str, Any]] = (outcome.result or {}).get(name.kind, {}).values()
    if name.kind == "data":
        answers = [{"error": outcome.error_type, "plugin": None}]
    unknown = UnknownNameError.__name__  # of the name itself where no plugin is known
    if not any(told.get("error") == unknown and told["plugin"] is None for told in answers):
        return None
    kind, called = REGISTERED.get(name.kind, name.kind), _name(name.spec)
    try:
        found = registry.home(kind, called)
    except PluginError as refused:  # two plugins claim it
        raise _refusal(plan, name, str(refused)) from refused
    if found is None and name.kind != "data":  # a worker does not know the names of all plugins
        raise _refusal(plan, name, str(unknown_name(kind, called)))
    return found


def understand(
    plan: Plan,
    outcomes: Iterable[tuple[Name, Outcome]],
    given: Given = NOTHING,
    homes: Mapping[Name, Home] = NO_HOMES,
    code: str | None = None,
    refused: Mapping[Name, PlanError] = NO_REFUSALS,
) -> Lookups:
    """Return the lookups from the outcomes of `lookup_jobs`.

    `code` is the fingerprint of aucbench, where it is known already, and `refused` has the names
    that no plugin has.
    """
    answered = dict(outcomes)

    def answer(name: Name) -> tuple[Name, Lookup]:
        if name in refused:
            raise refused[name]
        return name, _lookup(plan, name, answered[name], given, homes.get(name))

    known = dict(every(partial(answer, name) for name in _names(plan)))
    refuse_equal(known)
    refuse_ignored(plan, known)
    refuse_needless(plan, known)
    refuse_unfit_objective(plan, known)
    return Lookups(known, tuple(homes.values()), given, code or code_fingerprint())


def _lookup(plan: Plan, name: Name, outcome: Outcome, given: Given, home: Home | None) -> Lookup:
    identity = given.identities.get(str(name.spec))
    if outcome.ending is not Ending.OK:
        return Lookup(identity or _guessed(name.spec), _checked(plan, name, outcome, home))
    result = outcome.result or {}
    if name.kind == "data":
        return Lookup(result["hash"], found=result, target=_target(name, outcome, result))
    answers = [*result.get(name.kind, {}).values(), *result.get("grids", ())]
    bad = next((answer for answer in answers if not answer["ok"]), None)
    if bad is not None and bad["status"] == "refused":
        raise _refusal(plan, name, bad["reason"])
    failure = None
    if bad is not None:
        failure = Outcome(Ending.ERROR, bad["reason"], error_type=bad["error"])
    plugin = next((answer["plugin"] for answer in answers if answer["plugin"]), None)
    place = in_file(_name(name.spec))
    file = (str(place[0]), file_fingerprint(place[0])) if place else None
    if identity is not None or file is not None:
        files = identity or file[1]  # type: ignore[index] # one of both is there
    else:
        files = _fingerprint(plugin[0], plugin[2]) if plugin else _guessed(name.spec)
    packages = answers[0].get("needs", {}).get("packages", ())
    if packages:
        files = hash_of([files, *map(_package, packages)])
    own = plugin is not None and normalized(plugin[0]) == PROJECT
    # It was there from the start where it is likely, and then the cells find it too.
    preload = LEARNING if any(answer["learning"] for answer in answers) else ()
    return Lookup(files, failure, answers[0], file=file, preload=preload, own=own and not preload)


def _target(name: Name, outcome: Outcome, result: Mapping[str, Any]) -> KeptTarget:
    # Imported here: a plan can be listed and compared without scikit-learn.
    from aucbench.bench.evaluation.targets import KeptTarget

    try:
        return KeptTarget(outcome.files[TARGET_FILE], result["n"])
    except (LookupError, DataError) as error:
        raise DataError(f"cannot use {name.spec}: {error}; read it with another plugin") from error


def _checked(plan: Plan, name: Name, outcome: Outcome, home: Home | None) -> Outcome:
    """Return the failure of a lookup; one that is a refusal of the user's input is raised."""
    # A data set that cannot be made is as broken as a solver whose import fails.
    broken = name.kind == "data" and outcome.error_type == PluginError.__name__
    if outcome.refusal and not broken:
        raise _refusal(plan, name, outcome.reason or "")
    if name.kind == "data" and not broken and _is_file(_name(name.spec)):
        raise _refusal(plan, name, f"{name.spec} cannot be read: {outcome.reason}; get it again")
    # Without its step: the cell itself was never started.
    reason = f"{_called(name, home)}: {outcome.reason}"
    return Outcome(outcome.ending, reason, log=outcome.log, error_type=outcome.error_type)


def _called(name: Name, home: Home | None) -> str:
    """Return the label of a name, with the plugin of another package that registers it."""
    distribution, _, bare = _name(name.spec).rpartition(":")
    qualified = home[2] if home else f"{distribution}:{bare}"
    for p in registry.plugins():
        known = (f"{p.distribution}:{p.name}", f":{p.name}")
        if not p.builtin and p.enabled and qualified in known:
            return f"{name.label} (plugin {known[0]} {p.version})"
    return name.label


def _refusal(plan: Plan, name: Name, sentence: str) -> PlanError:
    """Return the error, with its place in the plan."""
    if name.kind != "solvers":
        return PlanError(sentence, PLAN_FIELDS[name.kind], value=name.spec)
    asked = [Name("solvers", choice.spec, choice.tuning) for choice in plan.solvers]
    number = asked.index(name)
    return PlanError(sentence, "solvers", number, "spec", value=name.spec)


def _name(spec: Spec | str) -> str:
    return spec.name if isinstance(spec, Spec) else parse_spec(spec).name


def _guessed(spec: Spec | str) -> str:
    """Return the fingerprint of the plugin with this entry point, when it cannot be imported."""
    if (place := in_file(_name(spec))) is not None:
        return file_fingerprint(place[0])
    name = _name(spec).rpartition(":")[2]
    named = (p for p in registry.plugins() if p.name == name)
    return next((_fingerprint(p.distribution, p.value) for p in named), "unknown")


@lru_cache(maxsize=256)
def _package(top: str) -> str:
    return package_fingerprint(top)


@lru_cache(maxsize=256)
def _fingerprint(distribution: str, value: str) -> str:
    return plugin_fingerprint(distribution, value)
