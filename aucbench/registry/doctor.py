"""Import each plugin in a process of its own: nothing that it does there reaches this one.

Design
  a. The child reports on a file descriptor of its own, so that what a plugin prints cannot
     be taken for the report. No report, or a bad exit, is a crash.
  b. Output goes to files, not to pipes: a process that a plugin leaves behind could keep a
     pipe open for ever.
  c. A plugin is killed with its session, and dies with its parent.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Collection
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from signal import SIGKILL, strsignal
from tempfile import TemporaryFile
from time import perf_counter, sleep
from typing import IO

from aucbench.errors import UnknownNameError, require_above, require_whole
from aucbench.registry.discovery import Entry, enabled, load, printable
from aucbench.registry.lookup import CALLED

CHILD = "from aucbench.registry import doctor; doctor.report()"
PR_SET_PDEATHSIG = 1  # of linux/prctl.h
POLL = 0.01  # seconds
LOUDEST = 2**24  # bytes of output


@dataclass(frozen=True, slots=True)
class Checkup:
    """How the import of one plugin went.

    Attributes
    ----------
    name, distribution, version : str
        Which plugin.
    status : str
        ok, error (it raised), crash (its process ended) or timeout (it was killed).
    seconds : float
        Until its hooks had answered, the start of Python excluded; else until it ended.
    registers : tuple of str
        For example "solver sht-auc".
    reason : str
        One line; empty when ok.
    """

    name: str
    distribution: str
    version: str
    status: str
    seconds: float
    registers: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class _Child:
    entry: Entry
    process: subprocess.Popen[bytes]
    begin: float
    answer: IO[bytes]
    said: IO[bytes]


def check_plugins(
    only: Collection[str] | None = None, *, limit: float = 60.0, jobs: int = 4
) -> tuple[Checkup, ...]:
    """Import every enabled plugin in a process of its own and say how each one went.

    Parameters
    ----------
    only : collection of str, optional
        Names, or `distribution:name`, of the plugins to look at.
    limit : float
        Seconds after which a plugin is killed.
    jobs : int
        Processes at once.

    Raises
    ------
    UnknownNameError
        When `only` names a plugin that is not there, or not enabled.
    """
    require_above(0, limit=limit)
    require_whole(1, jobs=jobs)
    patients = _chosen(only)
    waiting, running, done = [*reversed(patients)], list[_Child](), dict[Entry, Checkup]()
    with ExitStack() as files:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    answer, said = (files.enter_context(TemporaryFile()) for _ in range(2))
                    running.append(_start(waiting.pop(), answer, said))
                sleep(POLL)
                for child in [c for c in running if _has_ended(c) or _overdue(c, limit)]:
                    running.remove(child)
                    done[child.entry] = _finish(child, limit)
        finally:
            for child in running:
                _end(child)
    return tuple(done[entry] for entry in patients)


def report() -> None:
    """What the child does: import the plugin and write down what came of it."""
    sys.path[:], entry, place = json.loads(sys.argv[1])
    _die_with_parent()
    begin = perf_counter()
    found = load(Entry(**entry))
    seconds = perf_counter() - begin
    registers = [
        f"{CALLED[kind]} {name}"
        for kind, factories in (found.factories if found else {}).items()
        for name in factories
    ]
    with os.fdopen(place, "w") as answer:
        json.dump([seconds, registers, found.failure if found else None], answer)


def _chosen(only: Collection[str] | None) -> tuple[Entry, ...]:
    known = {name for e in enabled() for name in (e.name, e.qualified)}
    for name in only or ():
        if name not in known:
            raise UnknownNameError("plugin", name, known)
    return tuple(e for e in enabled() if only is None or {e.name, e.qualified} & {*only})


def _start(entry: Entry, answer: IO[bytes], said: IO[bytes]) -> _Child:
    task = json.dumps([sys.path, asdict(entry), answer.fileno()])
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, task],
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=said,
        pass_fds=(answer.fileno(),),
        start_new_session=True,
    )
    return _Child(entry, process, perf_counter(), answer, said)


def _die_with_parent() -> None:
    """Nobody would end a hanging plugin after a parent that was killed itself."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL)


def _has_ended(child: _Child) -> bool:
    """Whether it ended; it stays a zombie, so that its number still means its group."""
    how = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, child.process.pid, how) is not None


def _overdue(child: _Child, limit: float) -> str:
    """Why it must be killed, if it must."""
    if os.fstat(child.said.fileno()).st_size > LOUDEST:
        return "printed without end"
    late = perf_counter() - child.begin > limit
    return f"did not end within {limit:g} s" if late else ""


def _end(child: _Child) -> None:
    """Kill what is left of its group, grandchildren included."""
    with suppress(ProcessLookupError):
        os.killpg(child.process.pid, SIGKILL)
    child.process.wait()


def _finish(child: _Child, limit: float) -> Checkup:
    seconds = perf_counter() - child.begin
    overdue = "" if _has_ended(child) else _overdue(child, limit)
    _end(child)
    registers: list[str] = []
    status, reason = "ok", ""
    when = "before its hooks had answered"
    if answer := _answer(child):
        seconds, registers, failure = answer
        status, reason = ("error", failure) if failure else (status, reason)
        when = "after its hooks had answered"
    code = child.process.returncode
    if overdue:
        status, reason = "timeout", f"{overdue}, killed {when}"
    elif code or not answer:
        cause = f"ended with code {code}" if code >= 0 else f"killed by {strsignal(-code)}"
        status, reason = "crash", f"{cause} {when}{_last_words(child)}"
    known = child.entry
    names = (known.name, known.distribution, known.version)
    return Checkup(*names, status, seconds, tuple(registers), reason)


def _answer(child: _Child) -> tuple[float, list[str], str | None] | None:
    child.answer.seek(0)
    try:
        seconds, registers, failure = json.load(child.answer)
    except ValueError:
        return None  # it died before, or while, it wrote
    return seconds, registers, failure


def _last_words(child: _Child) -> str:
    child.said.seek(0)
    said = child.said.read(LOUDEST).decode(errors="replace").strip()
    return f"; it said: {printable(said.splitlines()[-1])}" if said else ""
