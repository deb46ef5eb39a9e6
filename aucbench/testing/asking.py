"""`check` holds a thing to all laws of its kind, on the small sample and on larger rows.

A thorough check asks the laws once more on many rows, and once more on more columns than rows. Both
are drawn anew each time, and are fewer if a law takes long on a part of them. On each of them the
laws come in an order that depends on the rows, and stop after five seconds. So many checks ask all
laws on rows of all sizes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from aucbench.errors import UnknownNameError
from aucbench.processes.child import Room
from aucbench.records import Finding, Verdict
from aucbench.registry.import_traces import watch_import
from aucbench.testing.laws import EXPECTED, Law, found, told
from aucbench.testing.samples import SMALL, Extent, extended
from aucbench.testing.subjects import LAWS, Subject, modules_of, named, subject_of

SIZED = (
    "solvers",
    "objectives",
    "projectors",
    "features",
    "pairs",
    "metrics",
)  # which read the sample
FAST = 0.1  # CPU seconds of a law, above which it is asked on no more rows
PATIENCE = 5.0  # CPU seconds after which no further law is asked on these larger rows
LARGER = "larger rows"  # where a law may be broken, in an expectation


def check(
    thing: Any, *, kind: str | None = None, expected: Mapping[str, str] | None = None
) -> tuple[Finding, ...]:
    """Check all laws of a kind, in this process.

    Parameters
    ----------
    thing : str, solver, projector, feature map, Data, class, function or module
        A text is `name[k=3]`, `distribution:name`, `module:Class[k=3]` or `file.py`. A class of a
        solver, a projector, a feature map, pairs or a loss is called without arguments. Of an
        objective the class is wanted, which is called with `Data`. A function without required
        parameters makes a data set. One with two is a metric, or a loss if the first one is
        `scores`; so is a module of torch that is called with two tensors.
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
    findings = []
    for subject in subjects:
        for _, take in asked(subject, expected or {}):
            findings.append(take())
            if _is_misshapen(findings[-1]):
                break
    return tuple(findings)


def _is_misshapen(finding: Finding) -> bool:
    """Whether no further law of the thing says anything: it would break by the same fault."""
    return finding.law == "declared" and finding.verdict is Verdict.BROKEN


def asked(
    subject: Subject,
    expected: Mapping[str, str],
    laws: Collection[str] = (),
    *,
    larger: Sequence[Extent] = (),
) -> Iterator[tuple[tuple[str, str, str, str], Callable[[], Finding]]]:
    """Yield (kind, name, law, extent) and the function that checks it, law by law.

    It is a single one if the thing cannot be built. No laws: all are asked. `law on 2000 x 50` asks
    a law on such rows only. With extents, laws are asked on larger rows too.
    """
    key = (subject.kind, subject.name)
    try:
        thing = subject.build()
    except Exception as error:
        failed = Finding(*key, "built", Verdict.BROKEN, told(error), 0.0)
        yield (*key, "built", ""), lambda: failed
        return
    own = LAWS[subject.kind]

    def take(law: Law, at: Extent = SMALL) -> tuple[tuple[str, str, str, str], Any]:
        where = "" if at is SMALL else str(at)
        known = expectations(subject.kind, thing, expected, larger=at is not SMALL)
        return (*key, law.name, where), partial(_found_at, at, law, thing, subject.name, known)

    yield from (take(law) for law in own if not laws or law.name in laws)
    for name, at in _sized(laws):
        yield from (take(law, at) for law in own if law.name == name)
    left = [law for law in own if not law.once and (not laws or law.name in laws)]
    for extent in larger if subject.kind in SIZED else ():
        at, begin = _shrunk(own[0], thing, extent), process_time()
        for i in np.random.default_rng(at.n * at.d).permutation(len(left)):
            found_at = take(left[i], at)
            if process_time() - begin > PATIENCE:
                why = f"the {PATIENCE:g} seconds for larger rows are over"
                late = Finding(*key, left[i].name, Verdict.NOT_ASKED, why, 0.0, str(at))
                found_at = found_at[0], partial(replace, late)
            yield found_at


def _shrunk(law: Law, thing: Any, at: Extent) -> Extent:
    """The extent, or one of a quarter, a 16th or a 64th of it, on which a law is fast enough."""
    for factor in (64, 16, 4):
        begin = process_time()
        _found_at(smaller := at.shrunk(factor), law, thing, "", {})
        if process_time() - begin > FAST:
            return smaller
    return at


def check_laws(request: Mapping[str, Any], room: Room, steps: Mapping[str, Path]) -> dict[str, Any]:
    """Check all laws that are not in request["done"], [kind, name, law, extent] each.

    It says {"begin": [kind, name, law, extent]} before each law, and {"end": fields} of its finding
    after it, see `aucbench.processes.isolated`.
    """
    require_laws(request["laws"])
    done = {tuple(row) for row in request["done"]}
    larger: Sequence[Extent] = ()
    if request["thorough"]:  # a process that goes on for another one has its rows
        known = [Extent.of(row[3]) for row in done if row[3]]
        many, wide = Extent.drawn()
        larger = (
            next((each for each in known if each.n >= each.d), many),
            next((each for each in known if each.n < each.d), wide),
        )
    sys.path.append(request["folder"])  # for module:Class, which need not be installed
    with chdir(request["folder"]):
        with watch_import(modules_of(request["target"])) as changes:
            subjects = named(request["target"])
        key = subjects[0].kind, subjects[0].name, "import", ""
        if changes and key not in done:
            room.line({"begin": key})
            room.line({"end": asdict(Finding(*key[:3], Verdict.BROKEN, changes[0], 0.0))})
        for subject in subjects:
            for key, take in asked(subject, {}, request["laws"], larger=larger):
                if key not in done:
                    room.line({"begin": key})
                    room.line({"end": asdict(finding := take())})
                    if _is_misshapen(finding):
                        break
    return {}


def _found_at(at: Extent, law: Law, *about: Any) -> Finding:
    with extended(at.for_laws_of(about[0])):
        finding = found(law, *about, strict=at is SMALL)
    return replace(finding, extent="" if at is SMALL else str(at))


def _sized(laws: Iterable[str]) -> Iterator[tuple[str, Extent]]:
    """Yield the names and extents of laws such as `nearest on 2000 x 50`."""
    for law in laws:
        name, on, extent = law.partition(" on ")
        if on:
            yield name, Extent.of(extent)


def require_laws(names: Iterable[str]) -> None:
    """Raise `UnknownNameError` when one of them is no law."""
    known = dict.fromkeys(law.name for laws in LAWS.values() for law in laws)
    for name in names:
        if name.partition(" on ")[0] not in known:
            raise UnknownNameError("law", name, known)


def expectations(
    kind: str, thing: Any, further: Mapping[str, str], *, larger: bool = False
) -> dict[str, str]:
    """Laws that are expected to be broken, with the reasons.

    `law on larger rows` names a law that may be broken on larger rows only.
    """
    origin = thing.func if isinstance(thing, partial) else thing
    laws = [law.name for law in LAWS[kind]]
    known = {}
    for name, reason in {**getattr(origin, EXPECTED, {}), **further}.items():
        law, on, size = name.partition(" on ")
        if law not in laws:
            raise UnknownNameError(f"law of {kind}", law, laws)
        if on and size != LARGER:
            raise UnknownNameError("place", size, [LARGER])
        if larger or not on:
            known[law] = reason
    return known
