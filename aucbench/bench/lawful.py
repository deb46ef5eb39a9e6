"""Check plugins against the laws of their kind, in supervised processes.

A law in which the process ends, or the time is up, is broken. The laws after it are checked in
another process, unless that has happened too often.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from aucbench.bench.text import reason_text
from aucbench.errors import ParameterError, PluginError, UnknownNameError, require_above
from aucbench.processes import Job, Limits, Outcome, Supervisor
from aucbench.processes.scratch import Scratch
from aucbench.records import Finding, Verdict
from aucbench.registry.discovery import printable
from aucbench.registry.lookup import CALLED, home
from aucbench.registry.visits import Home

CHECK = "aucbench.testing.jobs:check_laws"
PRELOAD = ("aucbench.testing.jobs",)  # imports no plugin of a solver
POLL = 0.1  # seconds between looks at what a process has found
PATIENCE = 10  # times as long may a process take that asks on larger samples too
MOST_ENDS = 3  # processes that a plugin may end
WORDS = {"holds": "hold", "BROKEN": "broken", "expected": "expected", "not asked": "not asked"}


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked of each target.

    Attributes
    ----------
    folder : path, optional
        The folder in which files and modules are looked for; by default the present one.
    timeout : float
        Seconds after which the process of a plugin is killed; ten times as many if thorough.
    laws : tuple of str
        Names of the laws; none: all.
    thorough : bool
        Whether laws are asked on larger samples too.
    """

    folder: Path | None = None
    timeout: float = 120.0
    laws: tuple[str, ...] = ()
    thorough: bool = False

    def __post_init__(self) -> None:
        require_above(0, timeout=self.timeout)

    @property
    def limits(self) -> Limits:
        """Of the process of a plugin."""
        return Limits(timeout=self.timeout * (PATIENCE if self.thorough else 1))


class Check(Protocol):
    """Checks one target."""

    def __call__(self, target: str, homes: Sequence[Home] = ()) -> Iterator[Finding]:
        """Yield what was found for each law, as soon as it is known."""
        ...


def check_targets(targets: Iterable[str], questions: Questions | None = None) -> Iterator[Finding]:
    """Yield what was found for each law, as soon as it is known.

    Parameters
    ----------
    targets : iterable of str
        Each is `name[k=3]`, `distribution:name`, `module:Class`, `file.py` or `file.py:Class`.
    questions : Questions, optional

    Raises
    ------
    ParameterError
        When a text names nothing, or there is no such law.
    UnsupportedError
        On another system than Linux.
    """
    with checker(questions or Questions()) as check:
        for target in targets:
            yield from check(target)


@contextmanager
def checker(questions: Questions) -> Iterator[Check]:
    """Yield a function that checks one target; errors are those above.

    It also takes the homes of names, as `aucbench.registry.lookup.home` returns them.
    """
    with Supervisor(preload=PRELOAD) as supervisor, Scratch() as scratch:
        yield lambda target, homes=(): _checked(supervisor, scratch.path, target, questions, homes)


def summed(findings: Iterable[Finding]) -> str:
    """Return how many laws hold, are broken, and so on, in one line."""
    verdicts = [f.verdict.value for f in findings]
    counts = {word: verdicts.count(word) for word in WORDS}
    return ", ".join(f"{count} {WORDS[word]}" for word, count in counts.items() if count)


def _checked(
    supervisor: Supervisor,
    scratch: Path,
    target: str,
    questions: Questions,
    homes: Sequence[Home] = (),
) -> Iterator[Finding]:
    done: list[Any] = []
    for ends in range(1, MOST_ENDS + 1):
        file = scratch / f"{uuid4().hex}.jsonl"
        request = {
            "target": target,
            "folder": str((questions.folder or Path()).resolve()),
            "done": done,
            "homes": homes,
            "laws": questions.laws,
            "thorough": questions.thorough,
            "lines": str(file),
        }
        ticket = supervisor.submit(Job(CHECK, request, questions.limits))
        lines: list[dict[str, Any]] = []
        ended: list[tuple[int, Outcome]] = []
        while not ended:
            ended = supervisor.wait(POLL)
            for line in _lines(file)[len(lines) :]:
                lines.append(line)
                if "finding" in line:
                    found = _finding(line["finding"])
                    done.append([found.kind, found.thing, found.law, found.extent])
                    yield found
        outcome = next(outcome for ended_ticket, outcome in ended if ended_ticket == ticket)
        if outcome.result is not None:
            break
        begun = [line["begin"] for line in lines if "begin" in line]
        if outcome.refusal and outcome.error_type != PluginError.__name__ and not begun:
            unknown = outcome.error_type == UnknownNameError.__name__
            if unknown and not homes and (there := _homes(target)):
                yield from _checked(supervisor, scratch, target, questions, there)
                return
            raise ParameterError(str(outcome.reason))
        last = _ended(target, lines, begun, outcome)
        done.append([last.kind, last.thing, last.law, last.extent])
        yield last
        if not begun:
            break
        if ends == MOST_ENDS:
            kind, thing, _, extent = begun[-1]
            why = f"not checked, since {MOST_ENDS} processes have ended before"
            law = "all further laws"
            yield Finding(kind, thing, law, Verdict.BROKEN, why, 0.0, extent)


def _lines(file: Path) -> list[dict[str, Any]]:
    """Return the lines up to the first that is incomplete or damaged; none without a file."""
    found: list[dict[str, Any]] = []
    if file.exists():
        for line in file.read_text(encoding="utf-8", errors="replace").split("\n"):
            try:
                found.append(json.loads(line))
            except ValueError:
                break
    return found


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


def _ended(
    target: str, lines: Sequence[dict[str, Any]], begun: Sequence[Any], outcome: Outcome
) -> Finding:
    """The finding of the law in which the process ended; of the import, where none had begun."""
    kind, thing, law, extent = begun[-1] if begun else ("plugins", target, "import", "")
    if lines and "finding" in lines[-1]:
        law = "end of the process"
    reason = printable(reason_text(outcome.error_type, outcome.reason))
    return Finding(kind, thing, law, Verdict.BROKEN, reason, outcome.wall_seconds, extent)


def _finding(fields: dict[str, Any]) -> Finding:
    return Finding(**{**fields, "verdict": Verdict(fields["verdict"])})
