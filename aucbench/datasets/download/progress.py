"""How a download is shown: a bar on a terminal, one line elsewhere, nothing in a worker."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

WORKER = "AUCBENCH_SUPERVISOR"  # is set in all processes that a run has started


class Show:
    """Shows nothing; the base of what shows something."""

    def __init__(self, name: str):
        self.name = name

    def waits(self) -> None:
        """Another process downloads the file."""

    def begins(self, url: str, start: int, end: int | None) -> None:
        """Bytes `start` to `end` of the file come from `url`; None if the end is not known."""

    def came(self, count: int) -> None:
        """So many bytes came."""


class Lines(Show):
    """One line on stderr for each attempt."""

    def waits(self) -> None:
        """Another process downloads the file."""
        _say(f"{self.name} is being downloaded by another process; waiting for it")

    def begins(self, url: str, start: int, end: int | None) -> None:
        """Say what is downloaded, from where, and how large it is."""
        size = "size unknown" if end is None else _megabytes(end)
        rest = f", continued at {_megabytes(start)}" if start else ""
        _say(f"downloading {self.name} from {url} ({size}{rest})")


class Bar(Lines):
    """A bar on the terminal."""

    def __init__(self, name: str, bars: Progress):
        super().__init__(name)
        self._bars = bars
        self._task = bars.add_task(name, start=False, visible=False)

    def begins(self, url: str, start: int, end: int | None) -> None:
        """Begin the bar anew, where the body begins."""
        self._bars.reset(
            self._task, total=end, completed=start, visible=True, description=f"{self.name} ({url})"
        )

    def came(self, count: int) -> None:
        """Move the bar."""
        self._bars.advance(self._task, count)


@contextmanager
def shown(name: str, wanted: bool) -> Iterator[Show]:
    """Yield what shows the download of a file; it shows nothing unless `wanted`."""
    if not wanted or WORKER in os.environ:
        yield Show(name)
    elif not sys.stderr.isatty():
        yield Lines(name)
    else:
        from rich import progress
        from rich.console import Console

        with progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.DownloadColumn(),
            progress.TransferSpeedColumn(),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
        ) as bars:
            yield Bar(name, bars)


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB"


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
