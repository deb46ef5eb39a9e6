"""Check plugins against the laws of their kind, in supervised processes.

A law in which the process ends, or the time is up, is broken. The laws after it are checked in
another process, unless that has happened too often.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from aucbench.bench.in_turn import MOST_ENDS, Piece, in_turn
from aucbench.errors import ParameterError, PluginError, UnknownNameError, require_above
from aucbench.processes import Job, Limits, Outcome, Supervisor
from aucbench.processes.isolated import Process
from aucbench.progress import say_when_late
from aucbench.records import Finding, Verdict
from aucbench.registry.discovery import KINDS, printable
from aucbench.registry.isolated_imports import format_waiting
from aucbench.registry.lookup import entries_named, foreign_imports, suggested_names

CHECK = "aucbench.testing.asking:check_laws"
PRELOAD = ("aucbench.testing.asking",)  # imports no plugin of a solver
PATIENCE = 10  # times as long may a process take that asks on larger samples too


def check_targets(
    targets: Iterable[str], laws: Sequence[str], *, thorough: bool, timeout: float
) -> Iterator[Finding]:
    """Yield what was found for each law, as soon as it is known.

    A target is `name[k=3]`, `distribution:name`, `module:Class`, `file.py` or `file.py:Class`.
    `ParameterError`: a text names nothing, or the time is not above 0.

    Parameters
    ----------
    laws : sequence of str
        Names of the laws, or `name on 2000 x 50`; none: all.
    thorough : bool
        Whether laws are asked on larger rows too.
    timeout : float
        Seconds for the process of a plugin; ten times as many if thorough.
    """
    require_above(0, timeout=timeout)
    limits = Limits(timeout=timeout * (PATIENCE if thorough else 1))
    warm = Process(partial(Supervisor, preload=PRELOAD))
    with closing(warm) as process:
        for target in targets:
            _require_known(target)
            request = {
                "target": target,
                "folder": str(Path().resolve()),
                "laws": [*laws],
                "thorough": thorough,
            }
            yield from _checked(process, request, limits)


def _require_known(target: str) -> None:
    """Raise `UnknownNameError` for a mistyped name, before a process is started for it."""
    name = target.partition("[")[0]
    if ":" in name or ".py" in name or entries_named(name):
        return
    known = {known for kind in KINDS for known in suggested_names(kind)}
    if name not in known:
        raise UnknownNameError("plugin, module:Class or file.py", target, known)


def _checked(process: Process, request: Mapping[str, Any], limits: Limits) -> Iterator[Finding]:
    begun: list[Any] = []

    def ask(done: list[Any]) -> Job:
        nonlocal begun
        begun = done  # which grows with each law
        return Job(CHECK, {**request, "done": done}, limits)

    def sentence() -> str:
        return "" if begun else format_waiting(foreign_imports([request["target"]]))

    ends: list[Outcome] = []
    piece: Piece | None = None
    with say_when_late(sentence):
        for piece in in_turn(process, ask, ends):
            end = piece.ended
            if end is None:
                yield Finding(**{**piece.found, "verdict": Verdict(piece.found["verdict"])})
            elif piece.key or not end.refusal or end.error_type == PluginError.__name__:
                yield _lost(request["target"], piece, end)
            else:  # the user has made a mistake, and no plugin is broken
                raise ParameterError(str(end.reason))
    if len(ends) == MOST_ENDS and piece is not None and piece.key is not None:
        kind, thing, _, extent = piece.key
        why = f"not checked, since {MOST_ENDS} processes have ended before"
        yield Finding(kind, thing, "all further laws", Verdict.BROKEN, why, 0.0, extent)


def _lost(target: str, piece: Piece, outcome: Outcome) -> Finding:
    """The finding of the law in which the process ended; of the import, where none had begun."""
    kind, thing, law, extent = piece.key or ("plugins", target, "import", "")
    if piece.found is not None:
        law = "end of the process"
    reason = printable(outcome.words)
    return Finding(kind, thing, law, Verdict.BROKEN, reason, outcome.wall_seconds, extent)
