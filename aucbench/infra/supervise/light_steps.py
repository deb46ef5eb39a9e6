"""The process that does light steps, those of all jobs, one after another.

Design
  a. A fork takes longer than a light step, and after it the step copies each page of memory that
     it touches. This process has copied them already.
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
from itertools import takewhile
from pathlib import Path
from typing import Any, NoReturn

from aucbench.infra import scratch
from aucbench.infra.supervise import child, job_folder, job_parent, orders
from aucbench.infra.supervise.child import Task
from aucbench.infra.supervise.orders import Order, StepOrder
from aucbench.infra.supervise.plain import from_plain

PATIENCE = 2.0  # seconds for the light steps of a job
FOLDER = "light"
OURS = ("aucbench", "aucbench_plugins")  # packages of the functions; with marks, see `fit.imports`


def wanted(job: Mapping[str, Any], base: Path) -> bool:
    """Whether a job, in plain values, has a light step that was not done yet."""
    kept = job_folder.steps_in(base)
    return any(not (kept / step["identity"]).is_dir() for step in job["steps"] if step["light"])


def main(wire: int, folder: Path, server: int) -> NoReturn:
    """Do the light steps of the jobs that the fork server sends, and end this process."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # the log of the fork server is about jobs that it lost
        os.dup2(null, stream)
    job_parent.serve(wire, server, partial(_done, base=folder))


def _done(message: Mapping[str, Any], base: Path) -> bool:
    """Do the steps of a job that are missing, up to the first one that is not for this process.

    Returns
    -------
    bool
        Whether this process has imported nothing.
    """
    last = next(reversed(sys.modules))
    order = from_plain(Order, message["job"])
    steps: dict[str, Path] = {}
    with orders.opened(orders.file_of(base, message["run"])) as requests:
        for step in order.steps:
            place = job_folder.steps_in(base) / step.identity
            if not place.is_dir():
                if not _fits(step, order) or job_parent.failure_file(place).exists():
                    break
                _do(Task(step.call, requests, None, base / FOLDER, steps), place)
            steps = {**steps, step.key: place}
    return not _imported_after(last)


def _fits(step: StepOrder, order: Order) -> bool:
    limits = step.call.limits
    wide = limits.memory is None and (limits.timeout is None or limits.timeout >= PATIENCE)
    return step.light and wide and step.key not in order.handed


def _do(task: Task, place: Path) -> None:
    with job_parent.locked(place):
        if place.is_dir():
            return
        room, temporary = (task.folder / name for name in (job_folder.ROOM, job_folder.TEMPORARY))
        scratch.remove(room)  # another process may have ended in the middle of a step
        room.mkdir(parents=True)
        temporary.mkdir(exist_ok=True)
        os.chdir(room)
        os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
        answer = child.called(task, task.request())
        (task.folder / job_folder.RESULT).write_text(answer, encoding="utf-8")
        scratch.empty(temporary)
        job_parent.keep(task.folder, place, None)


def _imported_after(last: str) -> set[str]:
    """Return the packages, neither of Python nor ours, whose modules stand behind this one."""
    new = takewhile(lambda name: name != last, reversed(sys.modules))
    tops = {name.partition(".")[0] for name in new}
    return {top for top in tops - sys.stdlib_module_names if not top.startswith(OURS)}
