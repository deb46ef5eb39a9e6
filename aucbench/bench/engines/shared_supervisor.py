"""One supervisor for the several threads of a process."""

from __future__ import annotations

from concurrent.futures import CancelledError
from threading import Lock, Timer
from time import sleep

from aucbench.bench.engines.local import LocalEngine
from aucbench.infra.supervise import Supervisor
from aucbench.infra.supervise.records import Job, Outcome, Step

IDLE_SECONDS = 60.0  # seconds
WAIT_TICK = 0.01  # seconds between two looks of a waiting thread


class SharedSupervisor:
    """Runs jobs of several threads with one supervisor.

    The first job starts the supervisor. When it was idle for a while it is closed, so that no
    process is left when the client of a worker disappears. The next job starts another one.

    Parameters
    ----------
    threads : int
        Threads of aucbench, BLAS and OpenMP in each job.
    idle : float
        Seconds without a job after which the supervisor is closed.
    """

    def __init__(self, threads: int = 1, *, idle: float = IDLE_SECONDS):
        self._engine = LocalEngine(threads=threads)
        self._idle = idle
        self._lock = Lock()
        self._supervisor: Supervisor | None = None
        self._running: dict[str, tuple[int, Job]] = {}  # tickets and jobs, by key
        self._ended: dict[int, Outcome] = {}
        self._dropped: set[str] = set()
        self._steps: dict[str, Step] = {}  # whose folders exist
        self._rest: Timer | None = None
        self._closed = False

    def run(self, key: str, job: Job) -> Outcome:
        """Run the job and wait for its outcome; each key is used once.

        Raises
        ------
        CancelledError
            When the key was dropped, also before this call, or the supervisor is closed.
        """
        self._take(key, job)
        try:
            while (outcome := self._look(key)) is None:
                sleep(WAIT_TICK)
            return outcome
        finally:
            self._leave(key)

    def drop(self, key: str) -> None:
        """Kill the job of this key, or refuse it when it is submitted later."""
        with self._lock:
            self._dropped.add(key)
            if self._supervisor is not None and key in self._running:
                self._supervisor.kill(self._running[key][0])

    def close(self) -> None:
        """Kill running jobs, close the supervisor and refuse further jobs."""
        with self._lock:
            self._closed = True
            self._shut()

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
        with self._lock:
            self._refuse(key)
            self._ended.update(self._open().wait(0))
            return self._ended.pop(self._running[key][0], None)

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
