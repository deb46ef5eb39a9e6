"""The warm process of a comparison starts before the command line is parsed.

The first cell waits for the imports of the warm process. To import the commands and to parse their
options takes half a second, so the warm process comes first. A look at the words says whether a
run will need it, and what its solvers import. This is a guess: if the run wants another one, or if
there is no run, because an option is refused, it is ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import TYPE_CHECKING

from aucbench.errors import AucbenchError

if TYPE_CHECKING:
    from aucbench.bench.engines.local import LocalEngine
    from aucbench.processes import Supervisor

RUN, SOLVERS, HELP = "compare", "--solvers", "--help"

_ahead: list[tuple[int, frozenset[str], Supervisor]] = []  # threads, modules; until it is taken


@contextmanager
def head_start(words: Sequence[str]) -> Iterator[None]:
    """Start a supervisor if a run will need it, and close it at the end if no run has taken it.

    Parameters
    ----------
    words : sequence of str
        The command line, without the name of the program.
    """
    try:
        if words[:1] == [RUN] and HELP not in words:
            from aucbench.bench.engines.local import LocalEngine

            with suppress(OSError, AucbenchError):  # the run tries again, and says what is wrong
                engine, modules = LocalEngine(), _modules(words)
                _ahead.append((engine.threads, frozenset(modules), engine.open(modules)))
        yield
    finally:
        while _ahead:
            _ahead.pop()[2].close()


def supervisor_of(engine: LocalEngine, modules: Iterable[str]) -> Supervisor:
    """Return a new supervisor of an engine: the one that has started, if it fits."""
    while _ahead:
        threads, known, supervisor = _ahead.pop()
        if threads == engine.threads and known >= {*modules}:
            return supervisor
        supervisor.close()
    return engine.open(modules)


def _modules(words: Sequence[str]) -> list[str]:
    """Return the modules that solvers may import: those of the default, or that are named."""
    from aucbench.bench.learning import PRELOADED, modules_to_preload
    from aucbench.registry.specs import Spec

    named = [b for a, b in pairwise(words) if a == SOLVERS]
    if not named or "[" in named[-1]:  # commas inside of brackets are no ends of names
        return sorted(PRELOADED.values())
    return sorted(
        {module for name in named[-1].split(",") for module in modules_to_preload(Spec(name))}
    )
