"""The one display of progress: of cells, fits, rows that are read, and bytes that are downloaded.

It moves if somebody watches, in a terminal or in a notebook; a log gets lines.

Design
  a. One display, rendered by rich, is for terminals and notebooks. A notebook gets its HTML as an
     output that is updated, and is gone at the end. (Rejected: the live displays of rich and tqdm
     for notebooks. Both need ipywidgets, and a page that is made of the notebook cannot show them.)
  b. A task counts things that end with a status, or an amount whose unit nobody needs to know. A
     display inside another one is not shown: the outer one stays.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from aucbench.errors import shown

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

COLOURS = {"ok": "green", "skipped": "yellow"}  # the others are failures
FAILURE_COLOUR = "red"
MOST = 8  # running things that are shown
WIDTH = 30  # characters of the bar
TENTHS = 10  # lines of a whole task in a log
REDRAWS = 2  # times per second; to render takes about 2 ms
PACE = 0.2  # seconds between two updates in a notebook
LATE = 2.0  # seconds after which it is said what is waited for
SLOW = 30.0  # seconds between two lines of a log about an amount
Write = Callable[[str], object]


class Progress:
    """Counts what a task has done, and shows nothing.

    Parameters
    ----------
    total : int
        Things of the task; 0: unknown.
    write : function (str), optional
        Takes sentences for people; None: nobody does.

    Attributes
    ----------
    counts : Counter
        Things that have ended, by status.
    running : dict
        Names of the things that run, in the order in which they started.
    finished : int
        Things that have run; others were known before.
    """

    def __init__(self, total: int = 0, write: Write | None = None) -> None:
        self.total = total
        self.counts: Counter[str] = Counter()
        self.running: dict[str, None] = {}
        self.finished = 0
        self._amount: int | None = None
        self._write = write
        self._lock = Lock()
        self._begin = monotonic()

    @property
    def done(self) -> int:
        """Things that have ended, or the amount that is done."""
        return self.counts.total() if self._amount is None else self._amount

    @property
    def left(self) -> timedelta | None:
        """Time to the end at the pace of this task; None before its first thing has run."""
        if not self.finished or self.done > self.total:
            return None
        pace = (monotonic() - self._begin) / self.finished
        return timedelta(seconds=round(pace * (self.total - self.done)))

    def write(self, sentence: str) -> None:
        """Hand a sentence to people."""
        if self._write is not None:
            self._write(sentence)

    def count(self, status: str) -> None:
        """Count a thing that has a result."""
        self.counts[status] += 1

    def start(self, name: str) -> None:
        """Add a thing to those that run."""
        if not self.running and not self.finished:
            self._begin = monotonic()  # what was read before says nothing about the pace of cells
        self.running[name] = None
        self._changed()

    def end(self, name: str, status: str) -> None:
        """Count a thing that has run."""
        self.finished += 1
        self.count(status)
        self.running.pop(name, None)
        self._changed()

    def begin(self, amount: int) -> None:
        """Begin an amount, such as rows or bytes; that of before has ended. 0: unknown."""
        self.total, self._amount = amount, 0
        self._changed()

    def advance(self, amount: int) -> None:
        """Add to the amount that is done; called by any thread."""
        with self._lock:
            self._amount = (self._amount or 0) + amount
            self._changed()

    def _changed(self) -> None:
        """Show the new state."""


class Log(Progress):
    """Writes a line whenever another tenth of a task is done.

    Parameters
    ----------
    total, write :
        As of `Progress`.
    pace : float
        Seconds between two lines; about an amount there are at least 30.
    """

    def __init__(self, total: int = 0, write: Write | None = None, *, pace: float = 0.0) -> None:
        super().__init__(total, write)
        self._pace = pace
        self._tenths, self._written = 0, monotonic()

    def begin(self, amount: int) -> None:
        """Begin an amount."""
        self._tenths, self._pace = 0, max(self._pace, SLOW)
        super().begin(amount)

    def end(self, name: str, status: str) -> None:
        """Count a thing that has run; write a line if it completes a tenth."""
        super().end(name, status)
        self._write_tenth()

    def advance(self, amount: int) -> None:
        """Add to the amount; write a line if it completes a tenth."""
        super().advance(amount)
        self._write_tenth()

    def _write_tenth(self) -> None:
        tenths = TENTHS * self.done // self.total if self.total else 0
        if tenths > self._tenths and monotonic() - self._written >= self._pace:
            self._tenths, self._written = tenths, monotonic()
            self.write(self._line())

    def _line(self) -> str:
        if self._amount is not None:
            return f"{self.done / self.total:.0%}"
        counts = ", ".join(f"{n} {status}" for status, n in sorted(self.counts.items()))
        left = f", {self.left} left" if self.done < self.total else ""
        return f"{self.done}/{self.total}: {counts}{left}"


class Display(Progress):
    """Shows a bar, the counts and what runs; a context manager.

    Parameters
    ----------
    total, write :
        As of `Progress`.
    moving : bool
        Whether a terminal moves by itself; else it changes when something starts or ends.
    """

    def __init__(self, total: int = 0, write: Write | None = None, *, moving: bool = True) -> None:
        super().__init__(total, write)
        self._moves = moving and not in_notebook()
        self._frame: Any = NotebookFrame(self.render) if in_notebook() else self._live()

    def _live(self) -> Any:
        from rich.console import Console
        from rich.live import Live

        return Live(
            console=Console(stderr=True),
            get_renderable=self.render,
            auto_refresh=self._moves,
            refresh_per_second=REDRAWS,
            redirect_stdout=sys.stdout.isatty(),  # a pipe gets what is written to it
            transient=True,
        )

    def __enter__(self) -> Self:
        self._frame.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._frame.stop()

    def _changed(self) -> None:
        if not self._moves:
            self._frame.refresh()

    def render(self) -> Table:
        """Return what is shown."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        line = Table.grid(padding=(0, 1))
        line.add_row(ProgressBar(self.total or None, self.done, width=WIDTH), self._state())
        table = Table.grid()
        table.add_row(line)
        # A copy: the thread that renders is not the one that counts.
        for name in [*self.running][:MOST]:
            table.add_row(Text(f"  {shown(name)}", "dim", no_wrap=True))
        return table

    def _state(self) -> Text:
        """Return what stands beside the bar."""
        from rich.text import Text

        if self._amount is not None:
            return Text(f"{self.done / self.total:.0%}" if self.total else "")
        state = Text(f"{self.done}/{self.total} ")
        for status, count in sorted(self.counts.items()):
            state.append(f" {count} {status}", COLOURS.get(status, FAILURE_COLOUR))
        return state.append("" if self.left is None else f"  {self.left} left", "cyan")


class NotebookFrame:
    """The output of a cell of a notebook, with those methods of `Live` that a display needs."""

    def __init__(self, render: Callable[[], Table]) -> None:
        self._render = render
        self._updated = 0.0

    def start(self, *, refresh: bool) -> None:
        """Open the output."""
        from IPython.display import display

        self._handle: Any = display(self._render(), display_id=True)  # type: ignore[no-untyped-call]

    def refresh(self) -> None:
        """Update the output, unless that was done just now."""
        if monotonic() - self._updated >= PACE:
            self._updated = monotonic()
            self._handle.update(self._render())

    def stop(self) -> None:
        """Empty the output."""
        self._handle.update({"text/html": "", "text/plain": ""}, raw=True)


@contextmanager
def say_when_late(sentence: Callable[[], str], write: Write | None = None) -> Iterator[None]:
    """Say what is waited for, once, if what runs inside takes more than `LATE` seconds.

    Parameters
    ----------
    sentence : function
        Returns what is said, when it is; nothing is said if that is empty.
    write : function (str), optional
        Takes the sentence. Default: it is printed on stderr.
    """

    def say() -> None:
        if said := sentence():
            (partial(print, file=sys.stderr, flush=True) if write is None else write)(said)

    timer = Timer(LATE, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


_shown: list[Display] = []  # the display that is shown now, if there is one


def in_notebook() -> bool:
    """Return whether the code runs in a kernel, whose output may be HTML."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")


def is_watched() -> bool:
    """Return whether somebody looks: at a notebook, or at a terminal on stderr."""
    return in_notebook() or sys.stderr.isatty()


@contextmanager
def show_progress(
    total: int = 0,
    write: Write | None = None,
    *,
    quiet: bool = False,
    moving: bool = True,
    pace: float = 0.0,
) -> Iterator[Progress]:
    """Show the progress of a task: a display if somebody watches, or else lines by `write`.

    Parameters
    ----------
    total : int
        Things of the task; 0: unknown.
    write : function (str), optional
        Takes sentences for people, and the lines of a log.
    quiet : bool
        Show nothing.
    moving : bool
        As of `Display`.
    pace : float
        As of `Log`.
    """
    if quiet:
        yield Progress(total)
    elif not is_watched():
        yield Log(total, write, pace=pace)
    elif _shown:
        yield Progress(total, write)
    else:
        with Display(total, write, moving=moving) as display:
            _shown.append(display)
            try:
                yield display
            finally:
                _shown.clear()
