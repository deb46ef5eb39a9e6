"""The progress of a run: a moving display where somebody looks, or a line per tenth for a log.

Design
  a. One display, drawn by rich, is for terminals and notebooks. A notebook gets its HTML as an
     output that is drawn anew, and is gone at the end. (Rejected: the live displays of rich and
     tqdm for notebooks. Both need ipywidgets, and a page that is made of the notebook cannot show
     them.)
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from aucbench.bench.cell import Cell
from aucbench.bench.results.record import Record
from aucbench.data.understood import Understood
from aucbench.errors import shown
from aucbench.registry.specs import short

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

COLOURS = {"ok": "green", "skipped": "yellow"}  # the others are failures
FAILURE_COLOUR = "red"
MOST = 8  # running cells that are shown
TENTHS = 10  # lines of a whole run in a log
REDRAWS = 2  # times per second; drawing takes about 2 ms
BRIEF_PACE = 30.0  # seconds before a line of a brief log
PACE = 0.2  # seconds between two drawings in a notebook
Write = Callable[[str], object]


class Progress:
    """Counts the cells of a run. What is no cell is counted by its name.

    `write` gets what was understood of each data set before the first cell, unless it is `brief`;
    None: nobody does.
    """

    def __init__(self, total: int, write: Write | None = None, *, brief: bool = False) -> None:
        self.total = total
        self.brief = brief
        self.counts: Counter[str] = Counter()
        self.running: dict[str, None] = {}  # in the order in which they started
        self.finished = 0  # in this run
        self._write = write
        self._begin = monotonic()

    @property
    def done(self) -> int:
        """Cells that have a record, those found in the store included."""
        return sum(self.counts.values())

    @property
    def left(self) -> timedelta | None:
        """Time to the end at the pace of this run; None before its first cell ended."""
        if not self.finished:
            return None
        pace = (monotonic() - self._begin) / self.finished
        return timedelta(seconds=round(pace * (self.total - self.done)))

    def count(self, status: str) -> None:
        """Count one that has a result."""
        self.counts[status] += 1

    def start(self, name: str) -> None:
        """Add one to those that run."""
        if not self.running and not self.finished:
            self._begin = monotonic()  # what was read before says nothing of the pace of cells
        self.running[name] = None

    def end(self, name: str, status: str) -> None:
        """Count one that has run."""
        self.finished += 1
        self.count(status)
        self.running.pop(name, None)

    def show_data(self, dataset: str, about: Mapping[str, Any]) -> None:
        """Write the lines of a data set that was read."""
        if self._write is not None and not self.brief:
            for line in data_lines(dataset, about):
                self._write(line)

    def start_cell(self, cell: Cell) -> None:
        """Add it to the running cells."""
        self.start(str(cell))

    def end_cell(self, record: Record) -> None:
        """Count it."""
        self.end(str(record.cell), record.status.status)


class LinePerTenth(Progress):
    """Writes a line whenever another tenth of all has a result.

    If it is `brief`, half a minute passes before each line.
    """

    def __init__(self, total: int, write: Write, *, brief: bool = False) -> None:
        super().__init__(total, write, brief=brief)
        self._write_line = write
        self._tenths, self._written = 0, monotonic()

    def end(self, name: str, status: str) -> None:
        """Count it; write a line if it completes a tenth."""
        super().end(name, status)
        tenths = TENTHS * self.done // self.total
        waits = self.brief and monotonic() - self._written < BRIEF_PACE
        if tenths > self._tenths and not waits:
            self._tenths, self._written = tenths, monotonic()
            counts = ", ".join(f"{n} {status}" for status, n in sorted(self.counts.items()))
            left = f", {self.left} left" if self.done < self.total else ""
            self._write_line(f"{self.done}/{self.total}: {counts}{left}")


class Display(Progress):
    """Draws a bar, the counts and what runs; a context manager.

    In a terminal it moves by itself, unless it is not `moving`. Else it is drawn anew when
    something starts or ends.
    """

    def __init__(
        self,
        total: int,
        write: Write | None = None,
        *,
        moving: bool = True,
        brief: bool = False,
    ) -> None:
        super().__init__(total, write, brief=brief)
        self._moves = moving and not in_notebook()
        self._frame: Any = NotebookFrame(self.drawn) if in_notebook() else self._live()

    def _live(self) -> Any:
        from rich.console import Console
        from rich.live import Live

        return Live(
            console=Console(stderr=True),
            get_renderable=self.drawn,
            auto_refresh=self._moves,
            refresh_per_second=REDRAWS,
            transient=True,
        )

    def __enter__(self) -> Self:
        self._frame.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._frame.stop()

    def start(self, name: str) -> None:
        """Add it to those that run, and draw."""
        super().start(name)
        self.draw()

    def end(self, name: str, status: str) -> None:
        """Count it, and draw."""
        super().end(name, status)
        self.draw()

    def draw(self) -> None:
        """Draw, unless the display moves by itself."""
        if not self._moves:
            self._frame.refresh()

    def drawn(self) -> Table:
        """Return what is shown."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        line = Table.grid(padding=(0, 1))
        line.add_row(ProgressBar(self.total, self.done, width=30), self.state())
        table = Table.grid()
        table.add_row(line)
        # A copy: the thread that draws is not the one that counts.
        for name in [*self.running][:MOST]:
            table.add_row(Text(f"  {shown(name)}", "dim", no_wrap=True))
        return table

    def state(self) -> Text:
        """Return what stands beside the bar."""
        from rich.text import Text

        counts = Text(f"{self.done}/{self.total} ")
        for status, count in sorted(self.counts.items()):
            counts.append(f" {count} {status}", COLOURS.get(status, FAILURE_COLOUR))
        return counts.append("" if self.left is None else f"  {self.left} left", "cyan")


class NotebookFrame:
    """The output of a cell of a notebook, with what a display takes of `Live`."""

    def __init__(self, drawn: Callable[[], Table]) -> None:
        self._drawn = drawn
        self._drawn_at = 0.0

    def start(self, *, refresh: bool) -> None:
        """Open the output."""
        from IPython.display import display

        self._handle: Any = display(self._drawn(), display_id=True)  # type: ignore[no-untyped-call]

    def refresh(self) -> None:
        """Draw, unless that was done just now."""
        if monotonic() - self._drawn_at >= PACE:
            self._drawn_at = monotonic()
            self._handle.update(self._drawn())

    def stop(self) -> None:
        """Empty the output."""
        self._handle.update({"text/html": "", "text/plain": ""}, raw=True)


def in_notebook() -> bool:
    """Return whether the code runs in a kernel, whose output may be HTML."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")


def is_watched() -> bool:
    """Return whether somebody looks: at a notebook, or at a terminal on stderr."""
    return in_notebook() or sys.stderr.isatty()


@contextmanager
def progress_of(
    total: int,
    write: Write | None = None,
    *,
    quiet: bool = False,
    moving: bool = True,
    brief: bool = False,
) -> Iterator[Progress]:
    """Show the progress of a run where somebody looks; else lines by `write`, if there is one.

    If it is `brief`, the data are not described, and there are fewer lines.
    """
    if quiet:
        yield Progress(total)
    elif is_watched():
        with Display(total, write, moving=moving, brief=brief) as display:
            yield display
    else:
        yield Progress(total) if write is None else LinePerTenth(total, write, brief=brief)


def data_lines(dataset: str, about: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sizes of a data set, its label column, classes, left-out columns and warnings."""
    understood = Understood.from_json(about["understood"])
    kinds = f" ({understood.features})" if len(understood.kinds) > 1 else ""
    yield f"{short(dataset)}: {about['n']} x {about['d']}{kinds}, {_target(about)}"
    yield from (f"  {line}" for line in understood.lines())


def _target(about: Mapping[str, Any]) -> str:
    if "n_pos" in about:
        share = f"{about['n_pos'] / about['n']:.2%} positive"
    elif "n_events" in about:
        share = f"{about['n_events'] / about['n']:.2%} events"
    else:
        share = next(
            f"{about[what]} {what}"
            for what in ("grades", "classes", "breakpoints")
            if what in about
        )
    return share + (f", {about['dropped']} columns left out" if about["dropped"] else "")
