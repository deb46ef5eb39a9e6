"""How many threads compute: one, unless the user asks for more.

Design
  a. Threads are those of Python. Kernels and NumPy's sort release the lock of the interpreter,
     so that parts of an array are computed at the same time. A call of a sleeping thread takes
     0.02 ms, so only work of 0.2 ms and more is divided.
  b. How work is divided depends on shapes, never on the number of threads, and what the parts
     give is added in their order. So the result is the same to the last bit with any number.
  c. A process that was forked starts threads of its own, since those of its parent do not
     exist there. (Rejected: OpenMP. With GNU's library a forked process hangs if its parent has
     used threads, and the harness, `multiprocessing` and joblib fork.)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any, TypeVar
from warnings import warn

from aucbench.errors import ParameterError, require_whole

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

VARIABLE = "AUCBENCH_THREADS"
MOST_HELPERS = 64  # threads beside the callers' own; a call needs no more than it has parts

Part = TypeVar("Part")
Found = TypeVar("Found")


def threads(count: int) -> AbstractContextManager[Any]:
    """Let aucbench compute with this many threads: from now on, or in a `with` until its end.

        with aucbench.threads(2):
            run = aucbench.solve(solver, data)

    It holds for the whole process. Before the first call it is the variable `AUCBENCH_THREADS` of
    the environment, or 1. Results are the same to the last bit with any number of threads. Small
    inputs are computed by one thread. BLAS and scikit-learn have threads of their own, which
    `threadpoolctl.threadpool_limits` sets.

    Parameters
    ----------
    count : int
        At least 1.

    Raises
    ------
    ParameterError
        When `count` is no whole number of at least 1.
    """
    global _count
    require_whole(1, threads=count)
    leaving = ExitStack()
    leaving.callback(_restore, _count)
    _count = int(count)
    return leaving


def count() -> int:
    """Return how many threads may compute."""
    return _count


def mapped(compute: Callable[[Part], Found], parts: Sequence[Part]) -> list[Found]:
    """Return [compute(part) for part in parts], computed by at most `count()` threads.

    Parameters
    ----------
    compute : callable
        Called in any thread, once for each part. What it computes at length releases the lock
        of the interpreter, as kernels do.
    parts : sequence
        Threads take the parts in this order, each the next one when it is ready.

    Raises
    ------
    Exception
        What `compute` raises. No part is begun after that, and none is still running.
    """
    most = min(_count, len(parts))
    if most <= 1:
        return [compute(part) for part in parts]
    from concurrent.futures import wait

    answers: dict[int, Found] = {}
    rest = iter(range(len(parts)))  # one thread at a time holds the lock that `next` needs

    def work() -> None:
        try:
            for i in rest:
                answers[i] = compute(parts[i])
        except BaseException:
            for _ in rest:
                pass
            raise

    helped = _start(work, most - 1)
    try:
        work()
    finally:
        # A helper that has not begun is not needed: this thread has taken all parts.
        begun = [helper for helper in helped if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()
    return [answers[i] for i in range(len(parts))]


def _restore(before: int) -> None:
    global _count
    _count = before


def _from_environment() -> int:
    text = os.environ.get(VARIABLE, "1")
    if not (text.isdecimal() and int(text) >= 1):
        raise ParameterError(f"{VARIABLE} is {text!r}; set it to a whole number of at least 1")
    return int(text)


def _start(work: Callable[[], None], helpers: int) -> list[Future[None]]:
    """Let other threads begin the work; fewer of them where the system starts no more."""
    global _helpers
    if _helpers is None:
        from concurrent.futures import ThreadPoolExecutor

        _helpers = ThreadPoolExecutor(MOST_HELPERS, "aucbench")
    started: list[Future[None]] = []
    try:
        for _ in range(helpers):
            started.append(_helpers.submit(work))  # noqa: PERF401 - those before a failure count
    except RuntimeError as error:
        warn(
            f"{error}: {helpers + 1} threads were asked for, and fewer compute; raise the limits "
            "of this process, or ask for fewer threads",
            RuntimeWarning,
            stacklevel=3,
        )
    return started


def _forget_helpers() -> None:
    global _helpers
    _helpers = None


_count = _from_environment()
_helpers: ThreadPoolExecutor | None = None
if sys.platform != "win32":  # which has no forks
    os.register_at_fork(after_in_child=_forget_helpers)
