"""A supervisor that calls the functions of jobs in the process of a test, one after the other.

Tests that ask nothing of processes run their cells by it. It keeps no limits and no fence.
"""

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from traceback import format_exc
from unittest.mock import patch

from aucbench.bench.engines.local import LocalEngine
from aucbench.models.recipe import one_thread
from aucbench.processes.answers import FAILURE, FILE, KEPT, RESULT, Answer, frame, with_answer
from aucbench.processes.calling import called, failure
from aucbench.processes.records import Ending, Job, Step
from aucbench.processes.room import Room


@dataclass
class Said:
    """What a function has said: frames, and bytes that a step keeps."""

    stream: bytes = b""
    kept: bytes = b""

    def take(self, kind, chunks, name=""):
        content = b"".join(bytes(chunk) for chunk in chunks)
        if kind == KEPT:
            self.kept = content
        else:
            self.stream += frame(kind, content, name)

    def content(self):
        return memoryview(self.kept)


@dataclass(frozen=True)
class Shown:
    """What a step has kept, as a job sees it; files of the step are for the jobs that get them."""

    said: Said
    handed: bool

    def content(self):
        return self.said.content()

    def files(self):
        frames = Answer(self.said.stream).frames if self.handed else ()
        return {one.name: one.content for one in frames if one.kind == FILE}


@contextmanager
def as_in_a_process():
    """A working directory of its own, and one thread."""
    before = Path.cwd()
    with TemporaryDirectory() as folder, one_thread(), patch.dict(os.environ):
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)


@dataclass
class InProcess:
    """See `aucbench.processes.supervisor.Supervisor`."""

    token: str = "in-process"
    _tickets: count = field(default_factory=count)
    _ended: list = field(default_factory=list)
    _steps: dict = field(default_factory=dict)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def submit(self, job: Job) -> int:
        ticket, new = next(self._tickets), set()
        for step in job.steps:
            if step.identity not in self._steps:
                outcome, said = self._called(step, job)
                if outcome.ending is not Ending.OK:
                    self._ended.append((ticket, replace(outcome, step=step.key)))
                    return ticket
                self._steps[step.identity] = said
                new.add(step.key)
        self._ended.append((ticket, self._called(job, job, new)[0]))
        return ticket

    def _called(self, asked, job, new=()):
        said, log, begin = Said(), "", perf_counter()
        known = {
            step.key: Shown(self._steps[step.identity], step.key in {*job.handed} & {*new})
            for step in job.steps
            if step.identity in self._steps
        }
        with as_in_a_process() as folder:
            try:
                text = called(asked.call, asked.request, Room(folder, said.take), known)
                said.take(RESULT, [text.encode()])
            except Exception as error:
                said.take(FAILURE, [json.dumps(failure(error, "")).encode()])
                log = format_exc()
        answer, seconds = Answer(said.stream), perf_counter() - begin
        return with_answer(replace(answer.ending, wall_seconds=seconds, log=log), answer), said

    def wait(self, timeout=None):
        ended, self._ended = self._ended, []
        return ended

    def kill(self, ticket):
        self._ended = [one for one in self._ended if one[0] != ticket]

    def forget(self, step: Step):
        self._steps.pop(step.identity, None)

    def close(self):
        self._steps.clear()


@contextmanager
def cells_in_process():
    """The supervisors of cells are such ones."""
    with patch.object(LocalEngine, "open", lambda engine: InProcess()):
        yield
