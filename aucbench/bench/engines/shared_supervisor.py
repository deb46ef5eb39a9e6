"""One supervisor for the several threads of a process.

Design
  a. A thread of its own waits for the supervisor, and hands each outcome to the thread that asked
     for it.
  b. A supervisor that was idle for a while is closed, so that no process is left when the client
     of a worker disappears. The next job starts another one.
"""

from __future__ import annotations

from concurrent.futures import CancelledError, Future
from threading import Condition, Thread
from typing import NamedTuple

from aucbench.bench.engines.local import LocalEngine
from aucbench.processes import Supervisor
from aucbench.processes.records import Job, Outcome, Step

IDLE_SECONDS = 60.0
LOOK_SECONDS = 0.2  # between looks at a supervisor that is waited for


class _Call(NamedTuple):
    key: str
    job: Job
    answer: Future[Outcome]


class SharedSupervisor:
    """Runs jobs of several threads with one supervisor."""

    def __init__(self, threads: int = 1, *, idle: float = IDLE_SECONDS):
        self._engine, self._idle = LocalEngine(threads=threads), idle
        self._lock = Condition()
        self._supervisor: Supervisor | None = None
        self._running: dict[int, _Call] = {}  # by ticket
        self._dropped: set[str] = set()
        self._steps: dict[str, Step] = {}  # what they keep is there
        self._closed = False

    def run(self, key: str, job: Job) -> Outcome:
        """Run the job and wait for its outcome; each key is used once.

        `CancelledError`: the key was dropped, also before this call, or this object is closed.
        """
        answer = Future[Outcome]()
        with self._lock:
            if self._closed or key in self._dropped:
                raise _cancelled(key)
            supervisor = self._supervisor or self._started()
            self._running[supervisor.submit(job)] = _Call(key, job, answer)
            self._steps |= {step.identity: step for step in job.steps}
            # Jobs come in the order of the plan, so that a step that no running job uses is
            # not needed any more. If a job comes late, its step is done again.
            used = {step.identity for call in self._running.values() for step in call.job.steps}
            for identity in self._steps.keys() - used:
                supervisor.forget(self._steps.pop(identity))
            self._lock.notify_all()
        return answer.result()

    def drop(self, key: str) -> None:
        """Kill the job of this key, or refuse it when it is submitted later."""
        with self._lock:
            self._dropped.add(key)
            for ticket, call in self._running.items():
                if call.key == key and self._supervisor is not None:
                    self._supervisor.kill(ticket)
                    del self._running[ticket]
                    call.answer.set_exception(_cancelled(key))
                    return

    def close(self) -> None:
        """Kill running jobs, close the supervisor and refuse further jobs."""
        with self._lock:
            self._closed = True
            self._shut()
            self._lock.notify_all()

    def _started(self) -> Supervisor:
        self._supervisor = self._engine.open()
        Thread(target=self._deliver, args=(self._supervisor,), daemon=True).start()
        return self._supervisor

    def _deliver(self, supervisor: Supervisor) -> None:
        """Hand over outcomes until the supervisor is closed, here or by another thread."""
        while True:
            try:
                ended = supervisor.wait(LOOK_SECONDS)
            except Exception as error:  # whatever it is, nobody may wait for ever
                with self._lock:
                    if self._supervisor is supervisor:
                        self._shut(error)
                return
            with self._lock:
                for ticket, outcome in ended:
                    if call := self._running.pop(ticket, None):
                        call.answer.set_result(outcome)
                if not self._running:
                    self._lock.wait_for(lambda: self._running or self._closed, self._idle)
                if self._supervisor is not supervisor:
                    return
                if not self._running:
                    self._shut()
                    return

    def _shut(self, error: Exception | None = None) -> None:
        for call in self._running.values():
            call.answer.set_exception(error or _cancelled(call.key))
        self._running.clear()
        self._steps.clear()
        if self._supervisor is not None:
            self._supervisor.close()
        self._supervisor = None


def _cancelled(key: str) -> CancelledError:
    return CancelledError(f"{key} was dropped, or the supervisor is closed")
