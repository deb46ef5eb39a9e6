"""The folder of a job: which files it has, and how they are read. They may hold anything.

JOB is in a folder of its job parent while it runs, and then in that of the supervisor.

JOB/room/             working directory of the function: room/lines.jsonl, room/out/
JOB/room/handed/KEY/  room/out of the step KEY, if that was done for this job
JOB/tmp/              temporary files of the function
JOB/result.json       written by the process of the job: the result of the function, or
JOB/failure.json      its exception
JOB/report.json       written last, by the job parent: how the process ended
JOB/step-N/           the same files for a step, while it is done
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import fields, replace
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from aucbench.infra import scratch
from aucbench.infra.supervise.records import Ending, Failure, Outcome, Report
from aucbench.numbers import float_of

ROOM, TEMPORARY, OUT, HANDED, LINES = "room", "tmp", "out", "handed", "lines.jsonl"
RESULT, FAILURE, REPORT = "result.json", "failure.json", "report.json"
MOST_BYTES = 64 * 2**20  # bytes of a result, of room/lines.jsonl, and of room/out


T = TypeVar("T")


def steps_in(folder: Path) -> Path:
    """Return the folder that keeps the steps of a supervisor, each one under its identity."""
    return folder / "steps"


class UnfitFileError(Exception):
    """The files of a job cannot be used; the message says why."""


def write(path: Path, text: str) -> None:
    """Write a file under another name and rename it: it is complete or absent."""
    draft = path.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.rename(path)


def collect(folder: Path) -> Outcome | None:
    """Return the outcome of a job; None when there is no report of its job parent."""
    report = _record(Report, folder / REPORT)
    if report is None:
        return None
    outcome = Outcome(**{field.name: getattr(report, field.name) for field in fields(report)})
    if report.step is not None:
        return outcome
    try:
        outcome = replace(outcome, lines=tuple(_lines(folder / ROOM / LINES)))
        outcome = replace(outcome, files=_files(folder / ROOM / OUT))
        if report.ending is Ending.OK:
            outcome = replace(outcome, result=result_of(folder))
    except UnfitFileError as unfit:
        if report.ending is Ending.OK:
            return replace(outcome, ending=Ending.ERROR, reason=str(unfit))
    return outcome


def result_of(folder: Path) -> dict[str, Any]:
    """Return the result of the function.

    Raises
    ------
    UnfitFileError
        When it is not a JSON object, or too large.
    """
    found = _object(read(folder / RESULT))
    if found is None:
        raise UnfitFileError(
            "the result is not a JSON object; return a dict of plain values, with numbers that a "
            "float holds"
        )
    return found


def failure_of(folder: Path) -> Failure | None:
    """Return the failure of the function; None when its process wrote none."""
    return _record(Failure, folder / FAILURE)


def read(path: Path) -> bytes | None:
    """Return the content of a regular file; None when there is no such file.

    Raises
    ------
    UnfitFileError
        When it is too large.
    """
    try:
        # Without O_NONBLOCK, opening a FIFO would block.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None  # absent, a symbolic link, or unreadable
    try:
        about = os.fstat(fd)
        if not stat.S_ISREG(about.st_mode):
            return None
        if about.st_size > MOST_BYTES:
            raise UnfitFileError(f"{path.name} has more than {MOST_BYTES >> 20} MiB; write less")
        with open(fd, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(fd)


def move(folder: Path, place: Path) -> None:
    """Move the folder of a job; make an empty one where the job has left none."""
    if folder.is_dir() and not folder.is_symlink():
        folder.chmod(stat.S_IRWXU)  # see `take_out`
        folder.rename(place)
    else:
        place.mkdir()


def take_out(room: Path, target: Path | None) -> None:
    """Move room/out to `target`, or delete it if that is None.

    Only a folder is moved: a symbolic link would hand over what it points to.

    Raises
    ------
    OSError
        When it cannot be moved or deleted.
    """
    out = room / OUT
    if out.is_symlink() or not out.is_dir():
        out.unlink(missing_ok=True)
    elif target is None:
        scratch.remove(out)
        if out.exists():
            raise OSError(f"{OUT} cannot be deleted")
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        out.chmod(stat.S_IRWXU)  # a folder cannot be moved without the permission to write to it
        out.rename(target)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON lines, up to the first line that is incomplete or damaged."""
    for line in (read(path) or b"").split(b"\n"):
        found = _object(line)
        if found is None:
            return
        yield found


def _files(folder: Path) -> dict[str, bytes]:
    try:
        names = sorted(os.listdir(folder)) if not folder.is_symlink() else []  # noqa: PTH208
    except OSError:
        return {}  # absent, not a folder, or unreadable
    files = {name: read(folder / name) for name in names}
    if sum(len(content or b"") for content in files.values()) > MOST_BYTES:
        raise UnfitFileError(f"{OUT} has more than {MOST_BYTES >> 20} MiB; write less")
    return {name: content for name, content in files.items() if content is not None}


def _record(kind: type[T], path: Path) -> T | None:
    """Return the object in a file; None when it is damaged, perhaps on purpose by the job."""
    from aucbench.infra.supervise.plain import MalformedError, from_plain  # slow: see `Supervisor`

    try:
        return from_plain(kind, _object(read(path)))
    except (UnfitFileError, MalformedError):
        return None


def _object(text: bytes | None) -> dict[str, Any] | None:
    """Return a JSON object whose numbers are finite floats, or ints of their range; else None."""
    if not text:
        return None
    try:
        found = json.loads(text, parse_constant=_refuse, parse_int=_whole, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _whole(digits: str) -> int:
    value = int(digits)
    return value if float_of(value) is not None else _refuse(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    return value if isfinite(value) else _refuse(digits)
