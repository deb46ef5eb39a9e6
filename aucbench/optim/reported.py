"""States of a library that calls back: its function runs in a thread, and waits at each report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import copy_context
from threading import Semaphore, Thread

import numpy as np

from aucbench.contract import State
from aucbench.data.arrays import Vector

Report = Callable[..., None]


class Stopped(BaseException):
    """Raised by a report when nobody wants further states; the library must let it pass."""


class _Handover:
    """Two threads of which one runs at a time, and the state that goes from one to the other."""

    def __init__(self) -> None:
        self.wanted, self.reported = Semaphore(0), Semaphore(0)
        self.state: State | None = None
        self.error: BaseException | None = None
        self.closed = False

    def report(self, w: Vector, **more: object) -> None:
        """Hand over a state with a copy of w, and wait until the next one is wanted."""
        self.state = State(np.array(w, dtype=np.float64), **more)  # type: ignore[arg-type]
        self.reported.release()
        self.wanted.acquire()
        if self.closed:
            raise Stopped

    def run(self, minimise: Callable[[Report], object]) -> None:
        """Run the function when the first state is wanted, and keep what it raises."""
        self.wanted.acquire()
        try:
            if not self.closed:
                minimise(self.report)
        except Stopped:
            self.closed = True
        except BaseException as error:
            self.error = error
        self.state = None
        self.reported.release()


def reported(minimise: Callable[[Report], object]) -> Iterator[State]:
    """Yield a state for each call `report(w, gap=…, value=…)` that a function makes.

    The function runs in a thread of its own, which stands still while a state is measured. So the
    order of what is computed is fixed, and the clock and the count of rows hold as for a generator.
    When the caller wants no further state, the next report raises `Stopped` inside the function,
    which is no `Exception`: a library that catches exceptions lets it pass.

    Parameters
    ----------
    minimise : function (report)
        Calls the library, and `report(w)` in its callback; `report` has the fields of `State`.
        What it returns is not looked at: report the last weights too.

    Raises
    ------
    Exception
        Whatever the function raises.

    Examples
    --------
    >>> from scipy.optimize import minimize
    >>> states = reported(
    ...     lambda report: minimize(
    ...         lambda w: float(w @ w), np.ones(2), jac=lambda w: 2.0 * w, callback=report
    ...     )
    ... )
    >>> [state.w.size for state in states]
    [2]
    """
    handover = _Handover()
    # The thread counts the rows that it reads where the caller does.
    thread = Thread(target=copy_context().run, args=(handover.run, minimise), daemon=True)
    thread.start()
    try:
        while True:
            handover.wanted.release()
            handover.reported.acquire()
            if handover.error is not None:
                raise handover.error
            if handover.state is None:
                return
            yield handover.state
    finally:
        handover.closed = True
        handover.wanted.release()
        thread.join()
