"""Run a job in a process of its own, after its steps."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event
from typing import Self

from aucbench.errors import AucbenchError
from aucbench.processes.calling import KILL_SECONDS, Call
from aucbench.processes.hearing import Hear
from aucbench.processes.landlock import Rules
from aucbench.processes.records import Ending, Job, Outcome
from aucbench.processes.scratch import Scratch, remove
from aucbench.processes.starting import Started, search_path, starter
from aucbench.processes.steps import Steps

NEVER = Event()


class Supervisor:
    """Runs jobs in processes of their own, under limits; a context manager.

    It owns all processes below it. When this process ends, in any way, they end too. Methods may
    be called from several threads. A fork of this process cannot use it.

    Parameters
    ----------
    threads : int
        Threads of aucbench, OpenMP, OpenBLAS and MKL in each job.
    preload : sequence of str
        Modules that each job finds imported. They must not start threads, and must not be
        third-party plugins: if one crashes, no job can run.

    Raises
    ------
    ParameterError
        When `AUCBENCH_START` asks for what this system does not have.
    """

    def __init__(self, *, threads: int = 1, preload: Sequence[str] = ()) -> None:
        self._owner, self._closing, self._numbers = os.getpid(), Event(), count()
        self._scratch, self._remover = Scratch(), ThreadPoolExecutor(1)
        self.folder = self._scratch.path  # of temporary files
        self._steps, self._rules = Steps(self.folder, self._remove), Rules(self.folder)
        try:
            self._idle: list[Started] = []  # processes that have done a job, and can do others
            self._starter = starter(self.folder, threads, preload)
        except BaseException:
            self._scratch.remove()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes; calls in other threads raise `CancelledError`."""
        if self._closing.is_set() or os.getpid() != self._owner:
            return
        self._closing.set()
        self._steps.wait(KILL_SECONDS)
        for process in self._idle:
            process.close()
        self._starter.close()
        self._rules.close()
        self._remover.shutdown(wait=True, cancel_futures=True)
        self._scratch.remove()

    def call(self, job: Job, *, hear: Hear | None = None, cancelled: Event = NEVER) -> Outcome:
        """Run a job, after its steps, and return how it ended.

        Parameters
        ----------
        hear : function (dict) -> object, optional
            Called with each line of the job as it comes.
        cancelled : Event
            Gives the job up when it is set.

        Raises
        ------
        CancelledError
            When the job was given up; nothing of it is left.
        AucbenchError
            When no process can be started, or this supervisor cannot be used here.
        TypeError, ValueError
            When a request is not JSON.
        """
        forked = os.getpid() != self._owner
        if forked or self._closing.is_set():
            why = "that of another process" if forked else "closed"
            raise AucbenchError(f"the supervisor is {why}; make a new one")

        def given_up() -> bool:
            return cancelled.is_set() or self._closing.is_set()

        with self._steps.used_by(job):
            kept: dict[str, Path] = {}
            for step in job.steps:
                assert step.key is not None
                if step.trusted:
                    kept[step.key] = self._steps.folder(step)
                    continue
                do = partial(self._run, step, {**kept}, None, given_up)
                done, kept[step.key] = self._steps.done(step, do, given_up)
                if done.ending is not Ending.OK:
                    return replace(done, step=step.key)
            do = partial(self._run, job, kept, hear, given_up)
            return do(None) if job.key is None else self._steps.done(job, do, given_up)[0]

    def _run(
        self,
        job: Job,
        steps: Mapping[str, Path],
        hear: Hear | None,
        given_up: Callable[[], bool],
        kept: Path | None,
    ) -> Outcome:
        """Run a job whose steps are done."""
        folder = self.folder / f"job-{next(self._numbers)}"
        folder.mkdir(parents=True)  # a job may have removed ours
        process = self._process(job)
        order = {
            "call": job.call,
            "request": job.request,
            "memory": job.limits.memory,
            "preload": job.preload,
            "fenced": job.fence is not None,
            "folder": str(folder),
            "kept": None if kept is None else str(kept),
            "steps": {key: str(path) for key, path in steps.items()},
            "first": [[s.key, s.call, s.request] for s in job.steps if s.trusted],
            "path": search_path(),
            "again": process.serves,
        }
        is_kept = False
        try:
            outcome, is_kept = Call(process, folder, job, hear, given_up).run(order)
        finally:
            if is_kept:
                self._idle.append(process)
            else:
                process.close()
            self._remove(folder)
        return outcome

    def _process(self, job: Job) -> Started:
        """Return a process for a job: one that has done others, or a new one."""
        with suppress(IndexError):
            while job.trusted:
                process = self._idle.pop()
                if process.code(0.0) is None:
                    return process
                process.close()  # it was killed meanwhile
        with self._rules.of(job.fence) as rules:
            return self._starter.start(rules, serves=job.trusted)

    def _remove(self, folder: Path) -> None:
        """Remove a folder in a thread, since that can take milliseconds."""
        with suppress(RuntimeError):  # it is closed, and all that is left goes at once
            self._remover.submit(remove, folder)
