"""Resolve the names of a plan, in supervised processes, before any cell runs.

A mistake of the user (an unknown name, a bad parameter, an unreadable file) ends the run with a
sentence before the first fit. A broken plugin is none: the cells that need it end with its status
and reason, and the others run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from aucbench.bench.answers import Answer, Name, Resolver, is_unknown
from aucbench.bench.cell import TARGET_FILE
from aucbench.bench.engines import Engine
from aucbench.bench.fingerprints import (
    code_fingerprint,
    file_fingerprint,
    hash_of,
    package_fingerprint,
    plugin_fingerprint,
)
from aucbench.bench.inline import NOTHING, Inline
from aucbench.bench.learning import modules_to_preload
from aucbench.bench.plan.errors import PlanError, every
from aucbench.bench.plan.plan import Plan
from aucbench.bench.requests import data_job, resolve_job
from aucbench.errors import DataError, ParameterError, PluginError, UnsupportedError
from aucbench.hookspecs import PROJECT
from aucbench.processes.records import Ending, Fence, Job, Limits, Outcome
from aucbench.progress import Write, say_when_late
from aucbench.registry.discovery import entries, is_enabled, normalized
from aucbench.registry.isolated_imports import format_waiting, within, within_limit
from aucbench.registry.lookup import entries_named, foreign_imports
from aucbench.registry.lookup import unknown as unknown_name
from aucbench.registry.specs import INLINE_MARK, Spec, SpecChain, in_file

if TYPE_CHECKING:
    from aucbench.bench.evaluation.targets import KeptTarget

RESOLVE_LIMITS = Limits(timeout=60.0)  # of the import of a plugin
LIBRARIES = {"sklearn"}  # packages of others that aucbench is built on
READ = 3600.0  # seconds to read a file, or to get it from its address
# What the parent measures with, and divides rows into splits with.
MEASURE_MODULES = (
    "aucbench.bench.evaluation.measures",
    "aucbench.bench.evaluation.targets",
    "numpy.random",
)
PLAN_FIELDS = {"objectives": "objective", "projectors": "projector", "datasets": "data"}
Known = Mapping[Name, Answer]
_package = lru_cache(maxsize=256)(package_fingerprint)
_fingerprint = lru_cache(maxsize=256)(plugin_fingerprint)


def resolve_names(
    plan: Plan,
    engine: Engine,
    inline: Inline = NOTHING,
    fence: Fence | None = None,
    write: Write | None = None,
) -> Resolver:
    """Resolve all names, each within the time of a cell; raises as `read_answers`.

    `write` takes a sentence where an import takes long.
    """
    for known in (_package, _fingerprint):  # code may have changed since the last run
        known.cache_clear()
    with within(plan.timeout or None):
        answers = _asked(engine, _jobs(plan, inline, fence), write)
        code = _prepared(plan)  # while the first processes run
        return read_answers(plan, answers, inline, code)


def require_entries(plan: Plan) -> None:
    """Raise for names of solvers that no entry point has: to know that takes no process."""
    every(partial(_require_entry, plan, name) for name in _names(plan) if name.kind == "solvers")


def _require_entry(plan: Plan, name: Name) -> None:
    text = name.spec.name
    if not (in_file(text) or text.endswith(INLINE_MARK) or entries_named(text)):
        raise _refusal(plan, name, str(unknown_name(name.kind, text)))


def _names(plan: Plan) -> Iterator[Name]:
    return (Name(*part) for part in plan.parts())


def _jobs(plan: Plan, inline: Inline, fence: Fence | None) -> dict[Name, Job]:
    """Return a job that looks it up for each name of a plan, since any of them may crash."""
    limits = replace(RESOLVE_LIMITS, timeout=within_limit(RESOLVE_LIMITS.timeout))
    jobs = {}
    for name in _names(plan):
        kind, spec, tuning = name
        if kind == "datasets":
            job = _data_job(plan, name)
        else:
            replaced = _replaced_parts(plan) if kind == "solvers" else ()
            job = resolve_job(kind, spec, tuning, limits, replaced, modules_to_preload(spec), fence)
        jobs[name] = inline.handed(job, spec, spec, rows_too=True)
    return jobs


def _data_job(plan: Plan, name: Name) -> Job:
    cell = replace(next(plan.cells()), dataset=name.spec)
    return data_job(cell, limits_of_data(plan, cell.dataset))


def limits_of_data(plan: Plan, dataset: Spec) -> Limits:
    """Return the limits for reading a data set: those of a cell where a function makes it."""
    if _is_file(dataset):
        return Limits(timeout=READ)
    return Limits(timeout=plan.timeout or None, memory=plan.memory_bytes)


def _is_file(dataset: Spec) -> bool:
    """Whether a data set is read from a file or an address, and not made by a function."""
    from aucbench.datasets.located import names_file

    return in_file(dataset.name) is None and names_file(dataset.name)


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


def _asked(
    engine: Engine, jobs: Mapping[Name, Job], write: Write | None
) -> Iterator[tuple[Name, Outcome]]:
    """Start the jobs, first those of data, which take longest; yield their outcomes."""
    names = sorted(jobs, key=lambda name: name.kind != "datasets")
    waiting = {name.spec.name: None for name in names}

    def sentence() -> str:
        return format_waiting(foreign_imports([*waiting]))

    outcomes = engine.run((str(number), jobs[name]) for number, name in enumerate(names))

    def answered() -> Iterator[tuple[Name, Outcome]]:
        with say_when_late(sentence, write):
            for number, outcome in outcomes:
                waiting.pop(names[int(number)].spec.name, None)
                yield names[int(number)], outcome

    return answered()


def read_answers(
    plan: Plan,
    outcomes: Iterable[tuple[Name, Outcome]],
    inline: Inline = NOTHING,
    code: str | None = None,
) -> Resolver:
    """Return the resolver from the outcomes of the jobs.

    `code` is the fingerprint of aucbench, where it is known already. The mistakes of the user are
    raised: those of all names that cannot be used, in the order of the plan, or the first thing
    that does not fit.
    """
    answered = dict(outcomes)

    def answer(name: Name) -> tuple[Name, Answer]:
        return name, _answer(plan, name, answered[name], inline)

    known = dict(every(partial(answer, name) for name in _names(plan)))
    _refuse_misfits(plan, known)
    return Resolver(known, inline, code or code_fingerprint())


def _answer(plan: Plan, name: Name, outcome: Outcome, inline: Inline) -> Answer:
    code = inline.identities.get(name.spec)
    if outcome.ending is not Ending.OK:
        broken = _checked(plan, name, outcome)  # first: a file that is not there has no hash
        return Answer(code or _guessed(name), broken)
    result = outcome.result or {}
    if name.kind == "datasets":
        return Answer(result["hash"], result=result, target=_target(name, outcome, result))
    if is_unknown(result):  # a worker does not know the names of all plugins
        raise _refusal(plan, name, str(unknown_name(name.kind, name.spec.name)))
    failure = None
    if not result["ok"]:
        if result["status"] == "refused":
            raise _refusal(plan, name, result["reason"])
        failure = Outcome(Ending.ERROR, result["reason"], error_type=result["error"])
    place = in_file(name.spec.name)
    file = (str(place[0]), file_fingerprint(place[0])) if place else None
    code = code or (file and file[1])  # of what is in no package
    plugin = result["plugin"]
    if code is None:
        code = _fingerprint(plugin[0], plugin[2]) if plugin else _guessed(name)
    packages = result.get("packages", ())
    if packages:
        code = hash_of([code, *map(_package, packages)])
    own = plugin is not None and normalized(plugin[0]) == PROJECT and {*packages} <= LIBRARIES
    return Answer(code, failure, result, file=file, own=own)


def _target(name: Name, outcome: Outcome, result: Mapping[str, Any]) -> KeptTarget:
    # Imported here: a plan can be listed and compared without scikit-learn.
    from aucbench.bench.evaluation.targets import KeptTarget

    try:
        return KeptTarget(outcome.files[TARGET_FILE], result["n"], result.get("chunks"))
    except (LookupError, DataError) as error:
        raise DataError(f"cannot use {name.spec}: {error}; read it with another plugin") from error


def _checked(plan: Plan, name: Name, outcome: Outcome) -> Outcome:
    """Return the failure of an answer; one that is a refusal of the user's input is raised."""
    # A data set that cannot be made is as broken as a solver whose import fails.
    broken = name.kind == "datasets" and outcome.error_type == PluginError.__name__
    if outcome.refusal and not broken:
        raise _refusal(plan, name, outcome.reason or "")
    if name.kind == "datasets" and not broken and _is_file(name.spec):
        raise _refusal(plan, name, f"{name.spec} cannot be read: {outcome.reason}; get it again")
    # Without its step: the cell itself was never started.
    reason = f"{_called(name)}: {outcome.reason}"
    return Outcome(outcome.ending, reason, log=outcome.log, error_type=outcome.error_type)


def _called(name: Name) -> str:
    """Return the label of a name, with the plugin of another package that registers it."""
    for entry in entries_named(name.spec.name):
        meant = name.spec.name in (entry.name, entry.qualified)
        if meant and is_enabled(entry) and not entry.builtin:
            return f"{name.label} (plugin {entry.qualified} {entry.version})"
    return name.label


def _refusal(plan: Plan, name: Name, sentence: str) -> PlanError:
    if name.kind != "solvers":
        return PlanError(sentence, PLAN_FIELDS.get(name.kind, name.kind), value=name.spec)
    asked = [Name("solvers", choice.spec, choice.tune) for choice in plan.solvers]
    return PlanError(sentence, "solvers", asked.index(name), "spec", value=name.spec)


def _guessed(name: Name) -> str:
    """Return the fingerprint of a file, or of the plugin with this entry point, if it is broken."""
    if (place := in_file(name.spec.name)) is not None:
        return file_fingerprint(place[0])
    named = entries_named(name.spec.name)
    return _fingerprint(named[0].distribution, named[0].value) if named else "unknown"


def _replaced_parts(plan: Plan) -> list[str]:
    """Return which parts of its solvers a plan replaces."""
    return [kind for kind in ("objective", "projector") if getattr(plan, kind) is not None]


def _refuse_misfits(plan: Plan, known: Known) -> None:
    """Raise where all names are known, and some cells would mean nothing."""
    _refuse_equal(plan, known)
    _refuse_ignored(plan, known)


def _refuse_equal(plan: Plan, known: Known) -> None:
    """Raise when two specifications mean one thing, two files hold it, or two names one data set.

    The cells would have one id. The data set would count twice in what is said across data sets.
    """
    seen: dict[tuple[Any, ...], Spec | SpecChain] = {}
    maps = ((chain, [Name("features", part) for part in chain]) for chain in plan.features)
    others = ((name.spec, [name]) for name in known if name.kind != "features")
    everything: list[tuple[Spec | SpecChain, list[Name]]] = [*others, *maps]
    for spec, parts in everything:
        meaning = tuple(
            (name.kind, known[name].meaning(name), name.tuning, known[name].fingerprint)
            for name in parts
        )
        other = seen.setdefault(meaning, spec)
        if other is not spec:
            raise ParameterError(f"{other} and {spec} are the same; name one of them")


def _refuse_ignored(plan: Plan, known: Known) -> None:
    """Raise when a solver would ignore --objective or --projector: its rows would be wrong."""
    for kind in _replaced_parts(plan):
        tied = [
            name.label
            for name, answer in known.items()
            if name.kind == "solvers"
            and not answer.failure
            and f"any-{kind}" not in answer.result["capabilities"]
        ]
        if tied:
            raise UnsupportedError(
                f"these solvers are tied to their own {kind}: {', '.join(tied)}; leave "
                f"--{kind} out, or name other solvers with --solvers"
            )
