"""What a terminal or a notebook shows while rows are read in chunks: a bar for each reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from aucbench.bench.show.progress import Display, in_notebook, is_watched
from aucbench.errors import shown
from aucbench.scale import Engine, Parts, Summary
from aucbench.scale.engines import engine_of, numbers_of
from aucbench.scale.summary import Tally

if TYPE_CHECKING:
    from rich.text import Text

S = TypeVar("S", bound=Summary)
C = TypeVar("C", bound=Tally)
T = TypeVar("T")
PACE = 0.2  # seconds between two drawings
Write = Callable[[str], object]


@contextmanager
def watched(engine: str, write: Write, *, quiet: bool = False) -> Iterator[tuple[Engine, Write]]:
    """Give an engine that moves a bar, and a function that writes a sentence.

    Parameters
    ----------
    engine : str
        As `engine_of` takes it.
    write : function (str)
        Takes sentences where nobody watches a bar.
    """
    if quiet or not is_watched():
        yield engine_of(engine), write
        return
    with RowsDisplay() as bar:
        yield Watched(engine_of(engine, bar.move), bar.begin), bar.say


class RowsDisplay(Display):
    """The bar of a reading."""

    def __init__(self) -> None:
        self._read, self._drawn, self._lock = 0, 0.0, Lock()  # first: `Live` asks when it is made
        super().__init__(1)

    @property
    def done(self) -> int:
        """Rows of this reading."""
        return self._read

    def say(self, sentence: str) -> None:
        """Show what is done: above the bar of a terminal, below that of a notebook."""
        if in_notebook():
            self.running.clear()
            self.start(sentence)
        else:
            self._frame.console.print(shown(sentence), markup=False, highlight=False)

    def begin(self, rows: int) -> None:
        """Begin a reading of so many rows."""
        self.total, self._read = rows, 0
        self.draw()

    def move(self, rows: int) -> None:
        """Count rows that were read; called by any thread."""
        with self._lock:
            self._read += rows
            if monotonic() - self._drawn >= PACE:
                self._drawn = monotonic()
                self.draw()

    def state(self) -> Text:
        """Return the share of the rows that is read."""
        from rich.text import Text

        return Text(f"{self._read / max(1, self.total):.0%}")


class Watched:
    """An engine that says when a reading begins, and of how many rows."""

    def __init__(self, engine: Engine, begin: Callable[[int], object]) -> None:
        self._engine, self._begin = engine, begin

    def reduce(
        self, parts: Parts, of: Callable[..., S], *args: Any, some: Sequence[int] | None = None
    ) -> S:
        """Return the merged answers, see `Engine`."""
        self._begin(_rows(parts, some))
        return self._engine.reduce(parts, of, *args, some=some)

    def tally(
        self, parts: Parts, start: Callable[..., C], *args: Any, some: Sequence[int] | None = None
    ) -> C:
        """Return the tally of all pieces, see `Engine`."""
        self._begin(_rows(parts, some))
        return self._engine.tally(parts, start, *args, some=some)

    def scan(
        self, parts: Parts, of: Callable[..., T], *args: Any, some: Sequence[int] | None = None
    ) -> Iterator[tuple[int, list[T]]]:
        """Yield the answers of each part, see `Engine`."""
        self._begin(_rows(parts, some))
        return self._engine.scan(parts, of, *args, some=some)


def _rows(parts: Parts, some: Sequence[int] | None) -> int:
    return sum(parts.sizes[i] for i in numbers_of(parts, some))
