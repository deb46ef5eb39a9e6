"""What a fit by parts says of itself while it runs: readings, evaluations and stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

from aucbench.data.understood import Understood
from aucbench.protocols import State
from aucbench.records import Point
from aucbench.scale import Engine, Parts, Summary
from aucbench.scale.engines import numbers_of
from aucbench.scale.summary import Tally

S = TypeVar("S", bound=Summary)
C = TypeVar("C", bound=Tally)
T = TypeVar("T")
PACE = 0.2  # seconds between two lines about the rows that were read


class Teller:
    """Hears what a fit by parts does, and says nothing of it."""

    def stage(self, sentence: str) -> None:
        """Hear what is done next."""

    def reading(self, rows: int) -> None:
        """Hear that so many rows are read now."""

    def read(self, rows: int) -> None:
        """Hear that so many more of them were read; called by any thread."""

    def evaluation(self, solver: str, point: Point, state: State) -> None:
        """Hear of a point of the curve of a fit."""


SILENT = Teller()


class Lines(Teller):
    """Says a line for each thing, which another process hears at once."""

    def __init__(self, say: Callable[[dict[str, Any]], object]) -> None:
        self._say, self._lock = say, Lock()
        self._rows, self._said = 0, 0.0

    def opened(self, parts: Parts) -> None:
        """Write how many rows, features and parts there are, and what a reader has understood."""
        files: Any = getattr(parts, "files", ())
        size = sum(file.size for file in files) or None
        told = {"n": parts.n, "d": parts.d, "parts": len(parts.sizes), "bytes": size}
        self._write({"opened": told})
        known: Understood = getattr(parts, "understood", Understood())
        for line in known.lines():
            self.stage(f"  {line}")

    def stage(self, sentence: str) -> None:
        """Write the sentence."""
        self._write({"stage": sentence})

    def reading(self, rows: int) -> None:
        """Write the rows that are to be read."""
        self._rows = 0
        self._write({"reading": rows})

    def read(self, rows: int) -> None:
        """Write how many rows were read, a few times a second."""
        with self._lock:
            self._rows += rows
            if monotonic() - self._said >= PACE:
                self._said = monotonic()
                self._say({"read": self._rows})

    def evaluation(self, solver: str, point: Point, state: State) -> None:
        """Write value, gap, and bounds of the AUC where the solver knows them."""
        told = {"solver": solver, "step": point.step, "value": point.objective, "gap": point.gap}
        known = {**told, **{name: state.info.get(name) for name in AUC_BOUNDS}}
        self._write({"evaluation": {name: _finite(value) for name, value in known.items()}})

    def _write(self, thing: dict[str, Any]) -> None:
        with self._lock:
            self._say(thing)


AUC_BOUNDS = ("auc_low", "auc_high")  # in what a state says of itself


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value


class Watched:
    """An engine that says when a reading begins."""

    def __init__(self, engine: Engine, tell: Callable[[int], object]) -> None:
        self._engine, self._tell = engine, tell

    def reduce(
        self, parts: Parts, of: Callable[..., S], *args: Any, some: Sequence[int] | None = None
    ) -> S:
        """Return the merged answers, see `Engine`."""
        self._begin(parts, some)
        return self._engine.reduce(parts, of, *args, some=some)

    def tally(
        self, parts: Parts, start: Callable[..., C], *args: Any, some: Sequence[int] | None = None
    ) -> C:
        """Return the tally of all pieces, see `Engine`."""
        self._begin(parts, some)
        return self._engine.tally(parts, start, *args, some=some)

    def scan(
        self, parts: Parts, of: Callable[..., T], *args: Any, some: Sequence[int] | None = None
    ) -> Iterator[tuple[int, list[T]]]:
        """Yield the answers of each part, see `Engine`."""
        self._begin(parts, some)
        return self._engine.scan(parts, of, *args, some=some)

    def _begin(self, parts: Parts, some: Sequence[int] | None) -> None:
        self._tell(sum(parts.sizes[i] for i in numbers_of(parts, some)))
