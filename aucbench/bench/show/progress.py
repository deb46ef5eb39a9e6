"""The progress of a run: a moving display for a terminal, or a line per tenth for a log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any

from aucbench.bench.cell import Cell
from aucbench.bench.results.record import Record
from aucbench.bench.text import shown
from aucbench.data.understood import Understood
from aucbench.registry.specs import short

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

COLOURS = {"ok": "green", "skipped": "yellow"}  # the others are failures
FAILURE_COLOUR = "red"
MOST = 8  # running cells that are shown
TENTHS = 10  # lines of a whole run in a log
REDRAWS = 2  # times per second; drawing takes about 2 ms


class Progress:
    """Counts the cells of a run. What is no cell is counted by its name.

    `write` gets what was understood of each data set before the first cell; None: nobody does.
    """

    def __init__(self, total: int, write: Callable[[str], object] | None = None) -> None:
        self.total = total
        self.counts: Counter[str] = Counter()
        self.running: dict[str, None] = {}  # in the order in which they started
        self.finished = 0  # in this run
        self._write = write
        self._begin = monotonic()
        self._ended: set[str] = set()  # ids of cells that ended and were not handed over yet

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

    def known(self, record: Record) -> None:
        """Count a record that the run yields, unless it was counted when its cell ended."""
        if record.id in self._ended:
            self._ended.remove(record.id)
        else:
            self.count(record.status.status)

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
        if self._write is not None:
            for line in data_lines(dataset, about):
                self._write(line)

    def start_cell(self, cell: Cell) -> None:
        """Add it to the running cells."""
        self.start(str(cell))

    def end_cell(self, record: Record) -> None:
        """Count it."""
        self._ended.add(record.id)
        self.end(str(record.cell), record.status.status)


class LinePerTenth(Progress):
    """Writes a line whenever another tenth of all has a result."""

    def __init__(self, total: int, write: Callable[[str], object]) -> None:
        super().__init__(total, write)
        self._write_line = write
        self._tenths = 0

    def end(self, name: str, status: str) -> None:
        """Count it; write a line if it completes a tenth."""
        super().end(name, status)
        tenths = TENTHS * self.done // self.total
        if tenths > self._tenths:
            self._tenths = tenths
            counts = ", ".join(f"{n} {status}" for status, n in sorted(self.counts.items()))
            left = f", {self.left} left" if self.done < self.total else ""
            self._write_line(f"{self.done}/{self.total}: {counts}{left}")


class Display(Progress):
    """Draws a bar, the counts and the running cells; a context manager."""

    def __init__(
        self,
        total: int,
        console: Console,
        write: Callable[[str], object] | None = None,
        *,
        moving: bool = True,
    ) -> None:
        from rich.live import Live

        super().__init__(total, write)
        self._moving = moving
        self._live = Live(
            console=console,
            get_renderable=self._drawn,
            auto_refresh=moving,
            refresh_per_second=REDRAWS,
            transient=True,
        )

    def __enter__(self) -> Display:
        self._live.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def end(self, name: str, status: str) -> None:
        """Count it; draw, unless the display moves by itself."""
        super().end(name, status)
        if not self._moving:
            self._live.refresh()

    def _drawn(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        counts = Text(f"{self.done}/{self.total} ")
        for status, count in sorted(self.counts.items()):
            counts.append(f" {count} {status}", COLOURS.get(status, FAILURE_COLOUR))
        counts.append("" if self.left is None else f"  {self.left} left", "cyan")
        line = Table.grid(padding=(0, 1))
        line.add_row(ProgressBar(self.total, self.done, width=30), counts)
        names = [*self.running][:MOST]  # a copy: the thread that draws is not the one that counts
        return Group(line, *(Text(f"  {shown(name)}", "dim", no_wrap=True) for name in names))


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
