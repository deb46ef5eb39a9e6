"""`check` holds a thing to all laws of its kind, on the small sample and on larger ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import chdir
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from aucbench.errors import UnknownNameError
from aucbench.processes.child import Room
from aucbench.records import Finding, Verdict
from aucbench.testing.laws import EXPECTED, Law, found, told
from aucbench.testing.samples import LARGE, SMALL, Extent, extended
from aucbench.testing.subjects import LAWS, Subject, named, subject_of

SIZED = (
    "solvers",
    "objectives",
    "projectors",
    "features",
    "pairs",
    "metrics",
)  # which read the sample
SIZES = tuple(map(str, LARGE))
SLOWEST = 10.0  # seconds of the first states, up to which laws are asked on large samples


def check(
    thing: Any, *, kind: str | None = None, expected: Mapping[str, str] | None = None
) -> tuple[Finding, ...]:
    """Check all laws of a kind, in this process.

    Parameters
    ----------
    thing : str, solver, projector, feature map, Data, class, function or module
        A text is `name[k=3]`, `distribution:name`, `module:Class` or `file.py`. A class of a
        solver, a projector, a feature map or pairs is called without arguments. Of an objective the
        class is wanted, which is called with `Data`. A function without required parameters makes
        a data set, and one with two is a metric.
    kind : str, optional
        One of `LAWS`, where it is not clear from the members of the thing.
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
    return tuple(take() for subject in subjects for _, take in asked(subject, expected or {}))


def asked(
    subject: Subject,
    expected: Mapping[str, str],
    laws: Collection[str] = (),
    *,
    thorough: bool = False,
) -> Iterator[tuple[tuple[str, str, str, str], Callable[[], Finding]]]:
    """Yield (kind, name, law, extent) and the function that checks it, law by law.

    It is a single one if the thing cannot be built.

    No laws: all are asked. If it is thorough, then on larger samples too.
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
            yield (*key, "time", named_extent), partial(replace, slow)
            continue
        for law in LAWS[subject.kind]:
            if (not laws or law.name in laws) and (at is SMALL or not law.once):
                take = partial(_found_at, at, named_extent, law, thing, subject.name, known)
                yield (*key, law.name, named_extent), take


def check_laws(request: Mapping[str, Any], room: Room, steps: Mapping[str, Path]) -> dict[str, Any]:
    """Check all laws that are not in request["done"], [kind, name, law, extent] each.

    It says {"begin": [kind, name, law, extent]} before each law, and {"end": fields} of its finding
    after it, see `aucbench.processes.isolated`.
    """
    require_laws(request["laws"])
    done = {tuple(row) for row in request["done"]}
    sys.path.append(request["folder"])  # for module:Class, which need not be installed
    with chdir(request["folder"]):
        for subject in named(request["target"]):
            for key, take in asked(subject, {}, request["laws"], thorough=request["thorough"]):
                if key not in done:
                    room.line({"begin": key})
                    room.line({"end": asdict(take())})
    return {}


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

    `law on 300 x 3000` names a law that is broken on this larger sample only.
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
        if size in ("", str(at)):
            known[law] = reason
    return known
