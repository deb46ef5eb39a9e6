"""The command line: parse, one library call, print.

Design
  a. Slow imports (numpy, scikit-learn, rich) are inside the commands that need them, so that
     `--help` answers at once.
  b. On a terminal tables have colours, and a progress bar moves on stderr. A pipe gets plain
     text without control characters.
  c. This module imports little: `head_start` starts a process before the commands are imported.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, NoReturn

from aucbench.cli.head_start import head_start
from aucbench.cli.surroundings import (
    CUT_OFF,
    interrupt_on_signals,
    open_closed_streams,
    unwritten,
)
from aucbench.errors import INTERRUPTED

if TYPE_CHECKING:
    from aucbench.cli.commands import app

__all__ = ["app", "main"]

REFUSED = 2  # exit code


def main() -> None:
    """Entry point of the command `aucbench`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an ASCII terminal has no ±
    open_closed_streams()
    if sys.stdout is None:
        _end("stdout is closed; redirect it to a file, or to /dev/null", REFUSED)
    interrupt_on_signals()
    try:
        with head_start(sys.argv[1:]):
            from aucbench.cli.commands import app

            app()
    except KeyboardInterrupt:  # before a command was called, or after it
        sys.exit(INTERRUPTED)
    finally:
        if why := unwritten():
            _end(why, CUT_OFF)


def _end(why: str, code: int) -> NoReturn:
    print(f"error: {why}", file=sys.stderr)  # noqa: T201 - typer may not be imported
    sys.exit(code)


def __getattr__(name: str) -> Any:
    """Import the commands on first use (PEP 562)."""
    if name != "app":
        raise AttributeError(f"module 'aucbench.cli' has no attribute {name!r}")
    from aucbench.cli.commands import app

    return app
