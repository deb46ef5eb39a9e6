"""What is checked: a thing of a known kind; and `check`, which holds it to all laws of its kind."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

from aucbench import registry
from aucbench.bench.show.listeners import ENDING, EVENTS
from aucbench.data import Data
from aucbench.errors import AucbenchError, ParameterError, PluginError, UnknownNameError
from aucbench.hookspecs import PROJECT
from aucbench.records import Finding, Verdict
from aucbench.registry.discovery import (
    HOOK_MARK,
    KINDS,
    PREFIX,
    enabled,
    load,
    require_known_hooks,
)
from aucbench.registry.lookup import lookup, suggested
from aucbench.registry.loose import load_file
from aucbench.registry.shapes import GIVEN, TELLING
from aucbench.testing import (
    datasets,
    exporters,
    features,
    listeners,
    metrics,
    objectives,
    projectors,
    report_sections,
    solvers,
)
from aucbench.testing.laws import EXPECTED, Law, found, told
from aucbench.testing.samples import LARGE, SMALL, Extent, extended

LAWS: Mapping[str, tuple[Law, ...]] = {
    room.laws.kind: tuple(room.laws)
    for room in (
        *(solvers, objectives, projectors, features, datasets),
        *(metrics, report_sections, exporters, listeners),
    )
}
SIZED = ("solvers", "objectives", "projectors", "features", "metrics")  # which read the sample
SIZES = tuple(dict.fromkeys(each.size for each in LARGE))
SLOWEST = 10.0  # seconds of the first states, up to which laws are asked on large samples
BUILT = ("solvers", "projectors", "features")  # kinds whose classes are called without arguments


@dataclass(frozen=True)
class Subject:
    """Something to check.

    Attributes
    ----------
    kind : str
        One of `LAWS`.
    name : str
        What people call it.
    build : function ()
        Returns what the laws of the kind take.
    """

    kind: str
    name: str
    build: Callable[[], Any]


def check(
    thing: Any, *, kind: str | None = None, expected: Mapping[str, str] | None = None
) -> tuple[Finding, ...]:
    """Check all laws of a kind, in this process.

    Parameters
    ----------
    thing : str, solver, projector, feature map, Data, class, function or module
        A text is `name[k=3]`, `distribution:name`, `module:Class` or `file.py`. A class of a
        solver, a projector or a feature map is called without arguments. Of an objective the
        class is wanted, which is called with `Data`. A function without required parameters makes
        a data set, and one with two is a metric. A module or an object that hears an event of a
        run is a listener.
    kind : str, optional
        One of `LAWS`, where it is not clear, as of report_sections and exporters.
    expected : mapping of str to str, optional
        Laws that are known to be broken, with the reasons, beside those that the thing names
        itself in a class attribute `expected_failures`. One of them that holds is a failure.

    Returns
    -------
    tuple of Finding
        One for each law.

    Raises
    ------
    UnknownNameError
        When a text names nothing, there is no such kind, or `expected` names no law.
    ParameterError
        When the kind of the thing is not clear.
    """
    subjects = named(thing) if isinstance(thing, str) else (subject_of(thing, kind),)
    return tuple(f for subject in subjects for f in findings(subject, expected or {}))


def findings(subject: Subject, expected: Mapping[str, str] | None = None) -> Iterator[Finding]:
    """Yield a finding for each law of the kind; a single one if the thing cannot be built."""
    for _, take in asked(subject, expected or {}):
        yield take()


def asked(
    subject: Subject,
    expected: Mapping[str, str],
    laws: Collection[str] = (),
    *,
    thorough: bool = False,
) -> Iterator[tuple[tuple[str, str, str, str], Callable[[], Finding]]]:
    """Yield (kind, name, law, extent) and the function that checks it, law by law.

    Parameters
    ----------
    laws : collection of str
        Names of the laws that are asked; none: all.
    thorough : bool
        Whether they are asked on larger samples too, dense and CSR.
    """
    key = (subject.kind, subject.name)
    try:
        thing = subject.build()
    except Exception as error:
        failed = Finding(*key, "built", Verdict.BROKEN, told(error), 0.0)
        yield (*key, "built", ""), lambda: failed
        return
    large = LARGE if thorough and subject.kind in SIZED else ()
    for at in (SMALL, *large):
        known = expectations(subject.kind, thing, expected, at)
        named_extent = "" if at is SMALL else str(at)
        if large and at is not SMALL and (slow := _too_slow(subject, thing, at)):
            yield (*key, "time", named_extent), partial(_itself, slow)
            continue
        for law in LAWS[subject.kind]:
            if (not laws or law.name in laws) and (at is SMALL or not law.once):
                take = partial(_found_at, at, named_extent, law, thing, subject.name, known)
                yield (*key, law.name, named_extent), take


def debugged(target: str, laws: Collection[str], *, thorough: bool) -> Iterator[Finding]:
    """As `check`, but the debugger is opened where a law is broken; ends after it."""
    import pdb

    for subject in named(target):
        for (*_, name, extent), take in asked(subject, {}, laws, thorough=thorough):
            finding = take()
            yield finding
            if finding.verdict is not Verdict.BROKEN:
                continue
            try:
                at = next((each for each in LARGE if str(each) == extent), SMALL)
                with extended(at):
                    next(law for law in LAWS[subject.kind] if law.name == name)(subject.build())
            except Exception as error:
                pdb.post_mortem(error.__traceback__)
            return


def _found_at(at: Extent, extent: str, law: Law, *about: Any) -> Finding:
    with extended(at):
        return replace(found(law, *about), extent=extent)


def _too_slow(subject: Subject, thing: Any, at: Extent) -> Finding | None:
    """Why no law is asked on these rows: a fit takes so long that the laws would take hours."""
    if subject.kind != "solvers":
        return None
    begin = perf_counter()
    with extended(at):
        law = next(law for law in LAWS["solvers"] if law.name == "states")
        found(law, thing, subject.name, {})
    if (seconds := perf_counter() - begin) <= SLOWEST:
        return None
    why = f"its first states take {seconds:.0f} s, more than {SLOWEST:g} s"
    return Finding(subject.kind, subject.name, "time", Verdict.NOT_ASKED, why, seconds, str(at))


def require_laws(names: Iterable[str]) -> None:
    """Raise `UnknownNameError` when one of them is no law."""
    known = dict.fromkeys(law.name for laws in LAWS.values() for law in laws)
    for name in names:
        if name not in known:
            raise UnknownNameError("law", name, known)


def expectations(
    kind: str, thing: Any, further: Mapping[str, str], at: Extent = SMALL
) -> dict[str, str]:
    """Laws that are expected to be broken on a sample, with the reasons.

    `law on 300 x 3000` names a law that is broken on this larger sample only, dense and CSR.

    Raises
    ------
    UnknownNameError
        When one of them is no law of the kind, or there is no such larger sample.
    """
    origin = thing.func if isinstance(thing, partial) else thing
    laws = [law.name for law in LAWS[kind]]
    known = {}
    for name, reason in {**getattr(origin, EXPECTED, {}), **further}.items():
        law, _, size = name.partition(" on ")
        if law not in laws:
            raise UnknownNameError(f"law of {kind}", law, laws)
        if size and size not in SIZES:
            raise UnknownNameError("larger sample", size, SIZES)
        if size in ("", at.size):
            known[law] = reason
    return known


def subject_of(thing: Any, kind: str | None = None, name: str | None = None) -> Subject:
    """The subject for a thing; its kind is found from its members.

    Raises
    ------
    ParameterError
        When its kind is not clear.
    UnknownNameError
        When there is no such kind.
    """
    kind = kind or _kind_of(thing)
    if kind not in LAWS:
        raise UnknownNameError("kind", kind, LAWS)
    called = name or getattr(thing, "__name__", None) or type(thing).__name__
    if kind in BUILT and (inspect.isclass(thing) or _is_factory(kind, thing)):
        return Subject(kind, called, thing)
    return Subject(kind, called, lambda: thing)


def _is_factory(kind: str, thing: Any) -> bool:
    return not all(hasattr(thing, member) for member in TELLING[kind])


def _kind_of(thing: Any) -> str:
    if isinstance(thing, Data):
        return "datasets"
    for kind, members in TELLING.items():
        if all(hasattr(thing, member) for member in members):
            return kind
    if _hears(thing):
        return listeners.laws.kind
    if callable(thing) and not inspect.isclass(thing):
        empty = inspect.Parameter.empty
        given = inspect.signature(thing).parameters.values()
        required = [p for p in given if p.default is empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        if len(required) in (0, 2):
            return "metrics" if required else "datasets"
    raise ParameterError(
        f"cannot tell what {thing!r} is; say kind='solvers', or one of {', '.join(LAWS)}, or name "
        "the file of its hook"
    )


# --- named in a text ---------------------------------------------------------------------


def named(target: str) -> tuple[Subject, ...]:
    """What a text names: a registered name, `module:Class`, or all that a file registers.

    Raises
    ------
    UnknownNameError
        When it names nothing.
    ParameterError
        When the kind of what it names is not clear.
    PluginError
        When the plugin is broken, or a file has nothing to check.
    """
    file, _, member = target.partition(".py")
    if Path(f"{file}.py").is_file() and member[:1] in ("", ":") and "[" not in member:
        return _members(load_file(Path(f"{file}.py")), member[1:], target)
    if subjects := tuple(_registered(target)):
        return subjects
    module, _, member = target.partition(":")
    if member and _is_module(module):
        return _members(import_module(module), member, target)
    known = {name for kind in KINDS for name in suggested(kind)}
    raise UnknownNameError("plugin, module:Class or file.py", target, known)


def _registered(target: str) -> Iterator[Subject]:
    yield from _registered_listeners(target)
    name = target.partition("[")[0]
    for kind in KINDS:
        if (claim := lookup(kind, name)) is None:
            continue
        if kind == "objectives":
            made = _objective(target, claim.factory)
            yield Subject(kind, target, partial(_itself, made))
        elif kind in GIVEN:
            yield Subject(kind, target, partial(_itself, registry.get_function(kind, target)))
        elif kind == "datasets":
            yield Subject(kind, target, partial(_itself, partial(registry.get_dataset, target)))
        else:
            get = {
                "solvers": registry.get_solver,
                "projectors": registry.get_projector,
                "features": registry.get_features,
            }[kind]
            yield Subject(kind, target, partial(get, target))


def _registered_listeners(target: str) -> Iterator[Subject]:
    for entry in enabled():
        if entry.name.endswith(ENDING) and target in (entry.name, entry.qualified):
            if (known := load(entry)) and known.failure:
                raise PluginError(known.failure)
            listener = EntryPoint(entry.name, entry.value, PROJECT).load()
            yield Subject(listeners.laws.kind, target, partial(_itself, listener))


def _hears(thing: Any) -> bool:
    """Whether it has a hook of an event."""
    return any(hasattr(getattr(thing, event, None), HOOK_MARK) for event in EVENTS)


def _objective(target: str, factory: Any) -> Callable[[Data], Any]:
    def build(data: Data) -> Any:
        return registry.get_objective(target, data)

    setattr(build, EXPECTED, getattr(factory, EXPECTED, {}))
    return build


def _itself(thing: Any) -> Any:
    return thing


def _is_module(name: str) -> bool:
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        if error.name and name.startswith(error.name):
            return False
        raise
    return True


def _members(module: ModuleType, member: str, target: str) -> tuple[Subject, ...]:
    """One member of a module; or all that its hooks register, or all that it defines."""
    if member:
        thing = module
        for part in member.split("."):
            if not hasattr(thing, part):
                raise UnknownNameError(f"name in {module.__name__}", member, _public(module))
            thing = getattr(thing, part)
        hooked = (kind for kind, _, factory in _hooks(module) if factory is thing)
        return (subject_of(thing, next(hooked, None), member),)
    require_known_hooks(module, target)
    found = tuple(subject_of(factory, kind, name) for kind, name, factory in _hooks(module))
    own = [getattr(module, n) for n in _public(module)]
    classes = [c for c in own if inspect.isclass(c) and c.__module__ == module.__name__]
    made = found or tuple(_subjects(classes))
    if not made:
        raise PluginError(f"{target} has no hook and no class of a solver or another plugin")
    return made


def _subjects(classes: list[Any]) -> Iterator[Subject]:
    for one in classes:
        try:
            yield subject_of(one)
        except AucbenchError:  # a class that is no plugin, such as the memory of a solver
            continue


def _public(module: ModuleType) -> list[str]:
    return [name for name in vars(module) if not name.startswith("_")]


def _hooks(module: ModuleType) -> Iterator[tuple[str, str, Any]]:
    """Yield (kind, name, thing) of all that the hooks of a module register, and of its events."""
    for kind in KINDS:
        hook = getattr(module, PREFIX + kind, None)
        for name, factory in (hook() if callable(hook) else {}).items():
            yield kind, name, factory
    if _hears(module):
        yield listeners.laws.kind, module.__name__, module
