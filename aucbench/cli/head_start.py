"""The warm process of a run starts before the command line is parsed.

Design
  a. The first cell waits for the imports of the warm process. To import the commands and to
     parse their options takes a fifth of a second, so the warm process comes first. A look at
     the words says whether a run will need it.
  b. This is a guess. If the run wants another one, or if there is no run, because an option is
     refused, it is ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aucbench.bench.engines.local import LocalEngine
    from aucbench.processes import Supervisor

RUNS = ("compare", "run")  # commands that run cells
# Options of runs in other processes, or of no run.
OTHER = ("--help", "--engine", "--threads")

_ahead: dict[int, Supervisor] = {}  # by its number of threads, until it is taken


@contextmanager
def head_start(words: Sequence[str]) -> Iterator[None]:
    """Start a supervisor if a run will need it, and close it at the end if no run has taken it.

    Parameters
    ----------
    words : sequence of str
        The command line, without the name of the program.
    """
    try:
        if _is_run(words):
            from aucbench.bench.engines.local import LocalEngine

            engine = LocalEngine()
            with suppress(OSError):  # the run tries again, and says what is wrong
                _ahead[engine.threads] = engine.open()
        yield
    finally:
        while _ahead:
            _ahead.popitem()[1].close()


def supervisor_of(engine: LocalEngine) -> Supervisor:
    """Return a new supervisor of an engine: the one that has started, if it has its threads."""
    return _ahead.pop(engine.threads, None) or engine.open()


def _is_run(words: Sequence[str]) -> bool:
    return next(iter(words), "") in RUNS and not any(word.startswith(OTHER) for word in words)
