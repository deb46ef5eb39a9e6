"""The process that does light steps, those of all jobs, one after another.

Design
  a. A fork takes longer than a light step, and after it the step copies each page of memory that
     it touches. This process has copied them already. With two cells to a split, that saves 8 ms
     of CPU time a cell.
  b. It knows success only. When a step fails here, in whatever way, this process ends. Then the
     job parent does the step again, in a process of its own, and reports how that ended.
  c. Each step finds the same modules imported. After a step that has imported others, this process
     ends too, and another one is forked from the warm process.
  d. A step that has narrow limits is not done here, since nobody measures its time and memory. The
     fork server ends this process when a step takes longer than `PATIENCE`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from aucbench.processes import scratch
from aucbench.processes.calling import called, imported_after
from aucbench.processes.linux import job_parent
from aucbench.processes.linux.child import Task
from aucbench.processes.linux.described import DescribedAnswer, Notes
from aucbench.processes.linux.errands import Errand
from aucbench.processes.linux.job_parent import Reply
from aucbench.processes.records import Ending, Outcome
from aucbench.processes.room import Room, enter

PATIENCE = 2.0  # seconds for a light step
FOLDER = "light"
DONE = Outcome(Ending.OK)


def fits(errand: Errand) -> bool:
    """Whether the next call of a job is a step for this process."""
    step = errand.step
    if step is None or errand.is_heavy or step["key"] in errand.order["handed"]:
        return False
    timeout, memory = (step["call"]["limits"][name] for name in ("timeout", "memory"))
    return step["light"] and memory is None and (timeout is None or timeout >= PATIENCE)


def main(wire: int, folder: Path, server: int) -> NoReturn:
    """Do the light steps that the fork server sends, and end this process."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # the log of the fork server is about jobs that it lost
        os.dup2(null, stream)
    job_parent.serve(wire, server, partial(_done, base=folder))


def _done(message: Mapping[str, Any], base: Path) -> Reply:
    """Do a step; this process does no other one when it has imported something."""
    last = next(reversed(sys.modules))
    answer = _answer(job_parent.task_of(message, base / FOLDER))
    return job_parent.reply_of(DONE, answer)._replace(more=not imported_after(last))


def _answer(task: Task) -> DescribedAnswer:
    notes, temporary = Notes(), enter(task.folder)
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
    room = Room(Path.cwd(), notes)
    called(task.call.call, task.request(), room, task.steps)
    for folder in (Path.cwd(), temporary):
        scratch.empty(folder)
    return notes.answer
