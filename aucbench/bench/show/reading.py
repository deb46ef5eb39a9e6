"""What a fit by parts shows: a bar for each reading, and a line for each evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from aucbench.bench.show.progress import Display, in_notebook, is_watched
from aucbench.errors import shown

if TYPE_CHECKING:
    from rich.text import Text

MB, GB = 1e6, 1e9
Line = Mapping[str, Any]
Hear = Callable[[Line], None]


@contextmanager
def told(write: Callable[[str], object] | None = None, *, quiet: bool = False) -> Iterator[Hear]:
    """Give what hears the lines of a fit by parts.

    It moves a bar in a terminal or a notebook. Elsewhere sentences go to `write`, if there is one.
    """
    if quiet or (write is None and not is_watched()):
        yield lambda _: None
    elif write is not None and not is_watched():
        yield Told(write).hear
    else:
        with RowsDisplay() as bar:
            yield Told(bar.say, bar).hear


class Told:
    """Says what a fit by parts does.

    Parameters
    ----------
    write : function (str)
        Takes a sentence.
    bar : RowsDisplay, optional
        Shows how far a reading is.
    """

    def __init__(self, write: Callable[[str], object], bar: RowsDisplay | None = None) -> None:
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


class RowsDisplay(Display):
    """The bar of a reading."""

    def __init__(self) -> None:
        self._read, self._pace = 0, ""  # first, since `Live` asks when it is made
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
        """Begin a reading."""
        self.total, self._read, self._pace = rows, 0, ""
        self.draw()

    def move(self, rows: int, pace: str) -> None:
        """Show how far it is."""
        self._read, self._pace = rows, pace
        self.draw()

    def state(self) -> Text:
        """Return the share of the rows that is read, and how fast."""
        from rich.text import Text

        return Text(f"{self._read / max(1, self.total):.0%} {self._pace}")
