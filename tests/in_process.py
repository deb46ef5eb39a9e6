"""A supervisor that calls the functions of jobs in the process of a test, one after the other.

Tests that ask nothing of processes run their cells by it. It keeps no limits and no fence.
"""

import json
import os
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from time import perf_counter
from traceback import format_exc
from unittest.mock import patch

from aucbench.bench.engines import local
from aucbench.models.recipe import one_thread
from aucbench.processes.child import ROOM, Room, _called, _failure
from aucbench.processes.hearing import Hearing
from aucbench.processes.records import Ending, json_object, plain


class Notes(Hearing):
    """What a function says and hands over by its room, whose folder is new in `folder`."""

    def __init__(self, folder, hear=None):
        super().__init__(None, hear)
        own = Path(mkdtemp(dir=folder))
        (own / ROOM).mkdir()
        (own / "kept").mkdir()
        self.room = Room(own / ROOM, own / "kept", self.note)

    def note(self, said):
        self._take(json_object(plain(said)))


@contextmanager
def as_in_a_process(folder):
    """Another working directory, and one thread."""
    before = Path.cwd()
    with one_thread(), patch.dict(os.environ):
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


class InProcess:
    """See `aucbench.processes.supervisor.Supervisor`."""

    def __init__(self):
        self._temporary = TemporaryDirectory()
        self._done = {}  # outcomes and folders of steps

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._done.clear()
        self._temporary.cleanup()

    def call(self, job, *, hear=None, cancelled=None):
        steps = {}
        for step in job.steps:
            outcome, steps[step.key] = self._step(step, steps)
            if outcome.ending is not Ending.OK:
                return replace(outcome, step=step.key)
        return (self._called(job, steps, hear) if job.key is None else self._step(job, steps))[0]

    def _step(self, step, steps):
        if step.identity not in self._done:
            self._done[step.identity] = self._called(step, {**steps})
        return self._done[step.identity]

    def _called(self, job, steps, hear=None):
        """Return the outcome of a job, and the folder with what it has kept."""
        notes, log, begin = Notes(self._temporary.name, hear), "", perf_counter()
        try:
            with as_in_a_process(notes.room.path):
                request = json.loads(plain(job.request))
                answer = {"result": _called(job.call, request, notes.room, steps)}
        except Exception as error:
            answer, log = {"failure": _failure(error)}, format_exc()
        notes.note({**answer, "left": False})
        outcome = replace(notes.outcome(), log=log, wall_seconds=perf_counter() - begin)
        return notes.with_all(outcome), notes.room.kept


def one_by_one(supervisor, jobs, most):
    """See `aucbench.processes.isolated.ends`."""
    yield []
    for key, job in jobs:
        yield [(key, supervisor.call(job))]


@contextmanager
def cells_in_process():
    """The supervisors of cells are such ones."""
    with (
        patch.object(local.LocalEngine, "open", lambda engine, further=(): InProcess()),
        patch.object(local, "ends", one_by_one),
    ):
        yield
