"""The progress of a run from Python: a bar in a notebook or in a terminal, else nothing.

Design
  a. A notebook gets a line of HTML that is drawn anew, and is gone at the end. (Rejected: the bars
     of rich and tqdm for notebooks. Both need ipywidgets, and a page that is made of the notebook
     cannot show them.)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from time import monotonic
from typing import Any

from aucbench.bench.show.progress import Display, Progress
from aucbench.bench.text import shown

PACE = 0.2  # seconds between two drawings
NAMED = 2  # running cells that are named


def in_notebook() -> bool:
    """Return whether the code runs in a kernel, whose output may be HTML."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")


@contextmanager
def progress_here(total: int, *, quiet: bool = False) -> Iterator[Progress]:
    """Show the progress of a run where somebody looks: in a notebook, or in a terminal."""
    if quiet or not (in_notebook() or sys.stderr.isatty()):
        yield Progress(total)
    elif in_notebook():
        with NotebookBar(total) as bar:
            yield bar
    else:
        from rich.console import Console

        with Display(total, Console(stderr=True)) as display:
            yield display


class NotebookBar(Progress):
    """Draws a bar, the counts and the running cells in the output of a cell of a notebook."""

    def __init__(self, total: int) -> None:
        super().__init__(total)
        self._drawn_at = 0.0

    def __enter__(self) -> NotebookBar:
        from IPython.display import display

        self._handle: Any = display(self._html(), display_id=True)  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.update(_HTML(""))

    def start(self, name: str) -> None:
        """Add it to those that run, and draw."""
        super().start(name)
        self._draw()

    def end(self, name: str, status: str) -> None:
        """Count it, and draw."""
        super().end(name, status)
        self._draw()

    def _draw(self) -> None:
        if monotonic() - self._drawn_at >= PACE:
            self._drawn_at = monotonic()
            self._handle.update(self._html())

    def _html(self) -> _HTML:
        counts = ", ".join(f"{n} {status}" for status, n in sorted(self.counts.items()))
        left = "" if self.left is None else f", {self.left} left"
        names = "; ".join(shown(name) for name in [*self.running][:NAMED])
        return _HTML(
            f'<progress max="{self.total}" value="{self.done}"></progress> '
            f"{self.done}/{self.total} {escape(counts + left)} <small>{escape(names)}</small>"
        )


class _HTML:
    """A piece of HTML; in a plain text it is nothing."""

    def __init__(self, text: str) -> None:
        self._text = text

    def _repr_html_(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return ""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self._text, "text/plain": ""}
