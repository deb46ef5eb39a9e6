"""What a fit by parts shows: a bar for each reading, and a line for each evaluation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from aucbench.bench.show.notebook import NotebookBar, in_notebook
from aucbench.bench.text import shown

if TYPE_CHECKING:
    from rich.progress import Progress

MB, GB = 1e6, 1e9
Line = Mapping[str, Any]
Hear = Callable[[Line], None]


@contextmanager
def told(write: Callable[[str], object], *, quiet: bool = False) -> Iterator[Hear]:
    """Give what hears the lines of a fit by parts: a bar in a terminal, and else `write`."""
    if quiet:
        yield lambda _: None
    elif not sys.stderr.isatty():
        yield Told(write).hear
    else:
        with _bars() as bars:
            yield Told(_above(bars), _Bar(bars)).hear


@contextmanager
def told_here(*, quiet: bool = False) -> Iterator[Hear]:
    """Give what hears the lines in Python: a bar in a notebook or a terminal, else nothing."""
    if quiet or not (in_notebook() or sys.stderr.isatty()):
        yield lambda _: None
    elif in_notebook():
        notebook = _InNotebook()
        with notebook:
            yield Told(notebook.name, notebook).hear
    else:
        with _bars() as bars:
            yield Told(_above(bars), _Bar(bars)).hear


class Told:
    """Says what a fit by parts does.

    Parameters
    ----------
    write : function (str)
        Takes a sentence.
    bar : optional
        It has `begin(rows)` and `move(rows, pace)`.
    """

    def __init__(self, write: Callable[[str], object], bar: Any = None) -> None:
        self._write, self._bar = write, bar
        self._begin, self._bytes = 0.0, 0.0  # of a row

    def hear(self, line: Line) -> None:
        """Take a line, see `aucbench.models.parted_telling.Lines`."""
        for name, value in line.items():
            getattr(self, f"_{name}")(value)

    def _opened(self, about: Line) -> None:
        size = about["bytes"]
        self._bytes = (size or 0) / max(1, about["n"])
        more = "" if size is None else f", {size / MB:.4g} MB"
        parts = "1 part" if about["parts"] == 1 else f"{about['parts']} parts"
        self._write(f"{about['n']} rows of {about['d']} features in {parts}{more}")

    def _stage(self, sentence: str) -> None:
        self._write(sentence)

    def _evaluation(self, point: Line) -> None:
        value, gap, low, high = (point[n] for n in ("value", "gap", "auc_low", "auc_high"))
        said = f"  evaluation {point['step']}"
        said += "" if value is None else f", objective {value:.6g}"
        said += "" if gap is None else f", gap {gap:.2g}"
        said += "" if low is None or high is None else f", AUC {low:.5f} to {high:.5f}"
        self._write(said)

    def _reading(self, rows: int) -> None:
        self._begin = monotonic()
        if self._bar is not None:
            self._bar.begin(rows)

    def _read(self, rows: int) -> None:
        pace = rows / max(monotonic() - self._begin, 1e-3)
        more = f"{pace * self._bytes / GB:.2f} GB/s" if self._bytes else f"{pace:.2g} rows/s"
        if self._bar is not None:
            self._bar.move(rows, more)


class _Bar:
    """The bar of a terminal."""

    def __init__(self, bars: Progress) -> None:
        self._bars, self._task = bars, bars.add_task("", total=None, pace="")

    def begin(self, rows: int) -> None:
        """Begin a reading."""
        self._bars.reset(self._task, total=rows, pace="")

    def move(self, rows: int, pace: str) -> None:
        """Show how far it is."""
        self._bars.update(self._task, completed=rows, pace=pace)


class _InNotebook(NotebookBar):
    """The bar of a notebook, with the sentence of what is done."""

    def __init__(self) -> None:
        super().__init__(1)
        self._read = 0

    @property
    def done(self) -> int:
        """Rows of this reading."""
        return self._read

    def name(self, sentence: str) -> None:
        """Show what is done."""
        self.running.clear()
        self.start(sentence)

    def begin(self, rows: int) -> None:
        """Begin a reading."""
        self.total, self._read = rows, 0
        self._draw()

    def move(self, rows: int, pace: str) -> None:
        """Show how far it is."""
        self._read = rows
        self._draw()


def _above(bars: Progress) -> Callable[[str], None]:
    """Return what prints sentences above the bar."""
    return lambda sentence: bars.console.print(shown(sentence), markup=False, highlight=False)


def _bars() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[pace]}"))
    return Progress(*columns, console=Console(stderr=True), transient=True)
