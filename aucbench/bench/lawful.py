"""Check plugins against the laws of their kind, in supervised processes.

A law in which the process ends, or the time is up, is broken. The laws after it are checked in
another process, unless that has happened too often.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.text import reason_text
from aucbench.errors import ParameterError, PluginError, UnknownNameError, require_above
from aucbench.infra.supervise import Job, Limits, Outcome, Supervisor
from aucbench.registry.discovery import printable
from aucbench.registry.lookup import CALLED, home
from aucbench.registry.visits import Home
from aucbench.testing import Finding, Verdict

CHECK = "aucbench.testing.jobs:check_laws"
PRELOAD = ("aucbench.testing.jobs",)  # imports no plugin of a solver
MOST_ENDS = 3  # processes that a plugin may end
WORDS = {"holds": "hold", "BROKEN": "broken", "expected": "expected", "not asked": "not asked"}


class Check(Protocol):
    """Checks one target."""

    def __call__(self, target: str, homes: Sequence[Home] = ()) -> list[Finding]:
        """Return what was found for each law."""
        ...


def check_targets(
    targets: Iterable[str], *, folder: Path | None = None, timeout: float = 120.0
) -> tuple[Finding, ...]:
    """Return what was found for each law.

    Parameters
    ----------
    targets : iterable of str
        Each is `name[k=3]`, `distribution:name`, `module:Class`, `file.py` or `file.py:Class`.
    folder : path, optional
        The folder in which files and modules are looked for; by default the present one.
    timeout : float
        Seconds after which the process of a plugin is killed.

    Raises
    ------
    ParameterError
        When a text names nothing.
    UnsupportedError
        On another system than Linux.
    """
    with checker(folder=folder, timeout=timeout) as check:
        return tuple(f for target in targets for f in check(target))


@contextmanager
def checker(*, folder: Path | None = None, timeout: float = 120.0) -> Iterator[Check]:
    """Yield a function that checks one target; parameters and errors are those above.

    It also takes the homes of names, as `aucbench.registry.lookup.home` returns them.
    """
    require_above(0, timeout=timeout)
    where = str((folder or Path()).resolve())
    with Supervisor(preload=PRELOAD) as supervisor:
        engine = LocalEngine(supervisor=supervisor)
        limits = Limits(timeout=timeout)
        yield lambda target, homes=(): _checked(engine, target, where, limits, homes)


def summed(findings: Iterable[Finding]) -> str:
    """Return how many laws hold, are broken, and so on, in one line."""
    verdicts = [f.verdict.value for f in findings]
    counts = {word: verdicts.count(word) for word in WORDS}
    return ", ".join(f"{count} {WORDS[word]}" for word, count in counts.items() if count)


def _checked(
    engine: LocalEngine,
    target: str,
    folder: str,
    limits: Limits,
    homes: Sequence[Home] = (),
) -> list[Finding]:
    made: list[Finding] = []
    for ends in range(1, MOST_ENDS + 1):
        done = [[f.kind, f.thing, f.law] for f in made]
        request = {"target": target, "folder": folder, "done": done, "homes": homes}
        [(_, outcome)] = engine.run([(target, Job(CHECK, request, limits))])
        made += [_finding(line["finding"]) for line in outcome.lines if "finding" in line]
        if outcome.result is not None:
            break
        begun = [line["begin"] for line in outcome.lines if "begin" in line]
        if outcome.refusal and outcome.error_type != PluginError.__name__ and not begun:
            unknown = outcome.error_type == UnknownNameError.__name__
            if unknown and not homes and (found := _homes(target)):
                return _checked(engine, target, folder, limits, found)
            raise ParameterError(str(outcome.reason))
        made.append(_ended(target, begun, outcome))
        if not begun:
            break
        if ends == MOST_ENDS:
            kind, thing, _ = begun[-1]
            why = f"not checked, since {MOST_ENDS} processes have ended before"
            made.append(Finding(kind, thing, "all further laws", Verdict.BROKEN, why, 0.0))
    return made


def _homes(target: str) -> list[Home]:
    """Return the plugins that register a name which is not their own, by asking all of them.

    A broken plugin is the reason only if no other one has the name, of whatever kind.
    """
    name, found = target.partition("[")[0], []
    broken: PluginError | None = None
    for kind in CALLED:
        try:
            if place := home(kind, name):
                found.append(place)
        except PluginError as error:
            broken = broken or error
    if broken and not found:
        raise broken
    return found


def _ended(target: str, begun: list[Any], outcome: Outcome) -> Finding:
    """The finding of the law in which the process ended; of the import, where none had begun."""
    kind, thing, law = begun[-1] if begun else ("plugins", target, "import")
    if any("finding" in line for line in outcome.lines[-1:]):
        law = "end of the process"
    reason = printable(reason_text(outcome.error_type, outcome.reason))
    return Finding(kind, thing, law, Verdict.BROKEN, reason, outcome.wall_seconds)


def _finding(fields: dict[str, Any]) -> Finding:
    return Finding(**{**fields, "verdict": Verdict(fields["verdict"])})
