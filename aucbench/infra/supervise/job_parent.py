"""The parent process of a job: it does the missing steps, then the job, and writes the report."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from aucbench.infra import scratch
from aucbench.infra.supervise import fence, job_folder, orders, proc, watch
from aucbench.infra.supervise.child import Task
from aucbench.infra.supervise.fence import Fences
from aucbench.infra.supervise.orders import Order
from aucbench.infra.supervise.plain import from_plain, to_plain
from aucbench.infra.supervise.records import Ending, Report
from aucbench.infra.supervise.wire import Inbox, packed

FIRST_FREE = 3  # descriptor after stdin, stdout and stderr


def main(wire: int, folder: Path, server: int) -> NoReturn:
    """Do the jobs that the fork server sends, one after the other, and end this process.

    After each job this process has no descendants left, so that it can do the next one.
    """
    serve(wire, server, partial(_report, base=folder, fences=Fences(folder)))


def serve(wire: int, server: int, do: Callable[[Mapping[str, Any]], bool]) -> NoReturn:
    """Do what each message of the fork server asks, say so, and end this process.

    It ends with the fork server, or when `do` returns False.
    """
    code = 1
    try:
        wire = _keep_only_wire(wire, server)
        inbox, more = Inbox(wire), True
        while more and (messages := inbox.read()) is not None:
            for message in messages:
                more = do(message)
                os.write(wire, packed({"ended": message["run"]}))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _keep_only_wire(wire: int, server: int) -> int:
    """Keep one descriptor of the fork server, and none of its signal handlers."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    proc.die_with(server)
    proc.adopt_orphans()
    os.dup2(wire, FIRST_FREE)
    os.closerange(FIRST_FREE + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    return FIRST_FREE


def _report(message: Mapping[str, Any], base: Path, fences: Fences) -> bool:
    name, file = str(message["run"]), orders.file_of(base, message["run"])
    with orders.opened(file) as requests:
        file.unlink()
        order = from_plain(Order, message["job"])
        report = _done(order, requests, fences, fences.own / name, job_folder.steps_in(base))
    job_folder.move(fences.own / name, base / name)
    scratch.empty(fences.own)  # the next job may have nothing of this one
    job_folder.write(base / name / job_folder.REPORT, json.dumps(to_plain(report)))
    return True


def _done(order: Order, requests: int, fences: Fences, folder: Path, kept: Path) -> Report:
    steps: dict[str, Path] = {}
    for number, step in enumerate(order.steps):
        rules = fences.rules(step.call.fence)
        task = Task(step.call, requests, rules, folder / f"step-{number}", steps)
        handed = folder / job_folder.ROOM / job_folder.HANDED / step.key
        place = kept / step.identity
        failure = _ensure(task, place, handed if step.key in order.handed else None)
        if failure is not None:
            return replace(failure, step=step.key)
        steps = {**steps, step.key: place}
    rules = fences.rules(order.call.fence)
    report = watch.run(Task(order.call, requests, rules, folder, steps))
    return replace(report, fence=fence.level() if order.call.fence else None)


def _ensure(task: Task, place: Path, handed: Path | None) -> Report | None:
    """Do a step, unless it was done before; return how it failed, now or before.

    Its folder becomes `place`. Its room/out becomes the folder `handed`, and is deleted if
    that is None.
    """
    if place.is_dir():
        return None
    with locked(place):
        before = failure_file(place)
        if place.is_dir():
            return None
        if before.exists():
            return from_plain(Report, json.loads(before.read_text(encoding="utf-8")))
        report = _kept(watch.run(task), task, place, handed)
        if report.ending is Ending.OK:
            return None
        job_folder.write(before, json.dumps(to_plain(report)))
        return report


def _kept(report: Report, task: Task, place: Path, handed: Path | None) -> Report:
    """Move the room of a step that succeeded to `place`, where jobs find it; see `_ensure`."""
    if report.ending is not Ending.OK:
        return report
    try:
        job_folder.result_of(task.folder)
        keep(task.folder, place, handed)
        scratch.remove(task.folder)  # its temporary files
    except (OSError, job_folder.UnfitFileError) as error:
        return replace(report, ending=Ending.ERROR, reason=f"its files cannot be kept: {error}")
    return report


def keep(folder: Path, place: Path, handed: Path | None) -> None:
    """Move the room of the step that was done in `folder` to `place`; see `_ensure`.

    Raises
    ------
    OSError
        When a file cannot be moved.
    """
    room = folder / job_folder.ROOM
    job_folder.take_out(room, handed)
    (folder / job_folder.RESULT).rename(room / job_folder.RESULT)
    for file in room.rglob("*"):
        if file.is_file() and not file.is_symlink():
            file.chmod(0o444)  # many jobs read it at the same time
    room.rename(place)


def failure_file(place: Path) -> Path:
    """Return where the report of a step that failed is kept."""
    return place.with_suffix(".failed")


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Hold the lock of a step; the kernel releases it when this process is killed."""
    with place.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
