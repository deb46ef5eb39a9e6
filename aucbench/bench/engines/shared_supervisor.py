"""One supervisor for the several threads of a process.

Design
  a. One of the threads waits for the supervisor, and stores the outcomes of all. The others sleep
     until it tells them. When it has its own, another one waits in its place.
"""

from __future__ import annotations

from concurrent.futures import CancelledError
from threading import Condition, Timer

from aucbench.bench.engines.local import LocalEngine
from aucbench.errors import AucbenchError
from aucbench.processes import Supervisor
from aucbench.processes.records import Job, Outcome, Step

IDLE_SECONDS = 60.0  # seconds
LOOK_SECONDS = 0.2  # until the thread that waits for all looks whether its own job was dropped


class SharedSupervisor:
    """Runs jobs of several threads with one supervisor.

    The first job starts the supervisor. When it was idle for a while it is closed, so that no
    process is left when the client of a worker disappears. The next job starts another one.
    """

    def __init__(self, threads: int = 1, *, idle: float = IDLE_SECONDS):
        self._engine = LocalEngine(threads=threads)
        self._idle = idle
        self._lock = Condition()
        self._waits = False  # whether a thread waits for the supervisor
        self._supervisor: Supervisor | None = None
        self._running: dict[str, tuple[int, Job]] = {}  # tickets and jobs, by key
        self._ended: dict[int, Outcome] = {}
        self._dropped: set[str] = set()
        self._steps: dict[str, Step] = {}  # whose folders exist
        self._rest: Timer | None = None
        self._closed = False

    def run(self, key: str, job: Job) -> Outcome:
        """Run the job and wait for its outcome; each key is used once."""
        self._take(key, job)
        try:
            while (outcome := self._look(key)) is None:
                self._wait()
            return outcome
        finally:
            self._leave(key)

    def drop(self, key: str) -> None:
        """Kill the job of this key, or refuse it when it is submitted later."""
        with self._lock:
            self._dropped.add(key)
            if self._supervisor is not None and key in self._running:
                self._supervisor.kill(self._running[key][0])
            self._lock.notify_all()

    def close(self) -> None:
        """Kill running jobs, close the supervisor and refuse further jobs."""
        with self._lock:
            self._closed = True
            self._shut()
            self._lock.notify_all()

    def _take(self, key: str, job: Job) -> None:
        with self._lock:
            self._refuse(key)
            supervisor = self._open()
            self._running[key] = supervisor.submit(job), job
            self._steps |= {step.identity: step for step in job.steps}
            # Jobs come in the order of the plan, so that a step that no running job uses is
            # not needed any more. If a job comes late, its step is done again.
            used = {step.identity for _, job in self._running.values() for step in job.steps}
            for identity in self._steps.keys() - used:
                supervisor.forget(self._steps.pop(identity))

    def _look(self, key: str) -> Outcome | None:
        """Return the outcome of a job; None when this thread now is the one that waits for all."""
        with self._lock:
            while True:
                self._refuse(key)
                outcome = self._ended.pop(self._running[key][0], None)
                if outcome is not None:
                    return outcome
                if not self._waits:
                    self._waits = True
                    return None
                self._lock.wait()

    def _wait(self) -> None:
        """Wait for outcomes, for all threads; not under the lock, which others take to submit."""
        found: list[tuple[int, Outcome]] = []
        supervisor = self._supervisor
        try:
            if supervisor is not None:  # else this object was closed just now
                found = supervisor.wait(LOOK_SECONDS)
        except AucbenchError:
            if not self._closed:
                raise
        finally:
            with self._lock:
                self._ended.update(found)
                self._waits = False
                self._lock.notify_all()

    def _leave(self, key: str) -> None:
        with self._lock:
            ticket, _ = self._running.pop(key)
            self._ended.pop(ticket, None)
            self._dropped.discard(key)
            if not self._running and not self._closed:
                self._rest = Timer(self._idle, self._close_if_idle)
                self._rest.daemon = True
                self._rest.start()

    def _refuse(self, key: str) -> None:
        if self._closed or key in self._dropped:
            raise CancelledError(f"{key} was dropped, or the supervisor is closed")

    def _open(self) -> Supervisor:
        if self._rest is not None:
            self._rest.cancel()
        if self._supervisor is None:
            self._supervisor = self._engine.open()
        return self._supervisor

    def _close_if_idle(self) -> None:
        with self._lock:
            if not self._running:
                self._shut()

    def _shut(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
        if self._supervisor is not None:
            self._supervisor.close()
        self._supervisor = None
        self._steps.clear()
