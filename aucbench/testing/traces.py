"""What runs leaves nothing behind: a plugin shares its process with others, and a user's folder.

Design
  a. The settings that are compared are set to a known state before, so that a plugin that has
     changed them once, and sets them again, is found.
  b. The folder that it runs in is empty, and so is that of temporary files.
  c. Threads and processes that are ending have a moment for it, as those of a pool that is closed.
  d. It runs twice. The first time a library may be imported, which may change some settings.
"""

from __future__ import annotations

import io
import os
import random
import re
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager, redirect_stdout, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from unittest.mock import patch

import numpy as np
import psutil

from aucbench.registry.import_traces import SETTINGS, handlers
from aucbench.testing.laws import LawBroken, Laws, require

# Folders in which Python and libraries keep what they have compiled or downloaded.
CACHES = re.compile(
    r"__pycache__|\.cache|\.config|matplotlib|mplconfig|fontconfig|numba|torch|triton|hugging|hf_|"
    r"pymp-|joblib|jax|tensorflow|keras|cupy|pytensor",
    re.IGNORECASE,
)
GENERATORS = "states of the global generators"  # as `SETTINGS` names them


def add_nothing_left(laws: Laws, use: Callable[[Any], Any]) -> None:
    """Add the law that what is used so leaves nothing behind."""

    @laws("exact")
    def leaves_nothing(thing: Any) -> None:
        """It leaves nothing behind: no thread, process, file or changed setting; it prints nothing.

        It shares the process with other plugins, and the folder with its user.
        """
        for _ in range(2):
            try:
                with _leaving_nothing():
                    use(thing)
            except LawBroken as broken:
                if GENERATORS not in str(broken):
                    raise
                # Timers of other threads, such as those of dask, draw now and then; a plugin that
                # draws does so each time.
                with _leaving_nothing():
                    use(thing)


@contextmanager
def _leaving_nothing() -> Iterator[None]:
    """Raise `LawBroken` if what runs inside leaves something behind or prints.

    Looked at are threads, processes, files in the present and in the temporary folder, variables
    of the environment, handlers of signals, NumPy's reaction to errors, filters of warnings, the
    global generators, and what goes to stdout.
    """
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in "12"]
        stack.enter_context(chdir(folders[0]))
        stack.enter_context(patch.object(tempfile, "tempdir", str(folders[1])))
        stack.enter_context(patch.dict(os.environ, {"TMPDIR": str(folders[1])}))
        stack.enter_context(_kept_settings())
        before = {name: look() for name, look in LOOKS.items()}
        known = len(sys.modules)
        with _printed() as told:
            yield
        looked = LOOKS.keys() if len(sys.modules) == known else LOOKS.keys() - OF_IMPORTS
        after = {name: _settled(name, before[name]) for name in looked}
        own = (path for folder in folders for path in sorted(folder.iterdir()))
        left = [path for path in own if not (path.is_dir() and CACHES.match(path.name))]
    some = ", ".join(path.name for path in left[:3])
    require(not left, f"it has left {len(left)} files or folders, such as {some}")
    for name, state in after.items():
        require(_same(state, before[name]), f"it has left other {name}: "
                f"{_difference(before[name], state)}")  # fmt: skip
    require(not told[0], f"it has printed {told[0][:60]!r} to stdout; a plugin prints nothing")


def _settled(name: str, before: Any) -> Any:
    """Return what a look finds, once it is as before or will not become so by itself."""
    end = monotonic() + (ENDING if name in MAY_END else 0.0)
    while not _same(now := LOOKS[name](), before) and monotonic() < end:
        sleep(0.01)
    return now


LOOKS: Mapping[str, Callable[[], Any]] = {
    "threads": lambda: frozenset(f"{t.name} ({t.ident})" for t in threading.enumerate()),
    "processes": lambda: frozenset(str(p.pid) for p in psutil.Process().children()),
    **SETTINGS,
    "present folder": lambda: frozenset({os.getcwd()}),  # noqa: PTH109
}


MAY_END, ENDING = {"threads", "processes"}, 1.0  # seconds that they have for it
OF_IMPORTS = {  # what libraries change once, when they are imported; rich draws a number
    "variables of the environment",
    "filters of warnings",
    GENERATORS,
}


@contextmanager
def _kept_settings() -> Iterator[None]:
    """Put back what a plugin changes, after a known state for what it may have changed before."""
    before = np.random.get_state(), random.getstate(), handlers()  # noqa: NPY002
    with np.errstate(all="warn"), warnings.catch_warnings(), patch.dict(os.environ):
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            np.random.set_state(before[0])  # noqa: NPY002
            random.setstate(before[1])
            for name, handler in before[2].items():
                if handler is not signal.getsignal(signal.Signals[name]):
                    signal.signal(signal.Signals[name], handler)


@contextmanager
def _printed() -> Iterator[list[str]]:
    """Catch what Python and C write to stdout: it is in the list at the end."""
    told: list[str] = []
    lines = io.StringIO()
    with suppress(ValueError, AttributeError):
        sys.stdout.flush()
    stdout = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            with redirect_stdout(lines):
                yield told
        finally:
            os.dup2(stdout, 1)
            os.close(stdout)
            file.seek(0)
            told.append(lines.getvalue() + file.read().decode(errors="replace"))


def _same(one: Any, other: Any) -> bool:
    return bool(one <= other) if isinstance(one, frozenset) else one == other


def _difference(before: Any, after: Any) -> str:
    if isinstance(after, frozenset):
        return ", ".join(sorted(after - before))
    names = {*before, *after}
    return ", ".join(sorted(name for name in names if before.get(name) != after.get(name)))
