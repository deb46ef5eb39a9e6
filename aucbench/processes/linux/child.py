"""The process of a job or of a step: it prepares itself, calls the function, and answers.

Design
  a. The function may replace any name of any module, `os._exit` too. So what ends this process is
     bound before it is called. Below it on the stack is the code of the job parent, to which this
     process must never return.
  b. Descriptors that it needs have high numbers: a function that closes what it did not open, as
     programs do before they go to the background, does not take them.
  c. The stacks of Python go to a pipe of their own, so that a function that closes or floods its
     streams does not lose them. The job parent asks for them by the signal `STACKS`.
     `faulthandler` answers without the interpreter, also inside compiled code that holds the GIL.
"""

from __future__ import annotations

import faulthandler
import fcntl
import json
import os
import resource
import signal
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from aucbench.processes import answers
from aucbench.processes.calling import called, failure, flush_streams, open_streams
from aucbench.processes.linux import fence, limits, orders, proc
from aucbench.processes.linux.described import SealedKept, described
from aucbench.processes.linux.orders import Call
from aucbench.processes.linux.wire import say
from aucbench.processes.room import ROOM, TEMPORARY, Bytes, Room, Tell, enter

STACKS = signal.SIGRTMAX - 2  # no runtime or library that we know of uses it
OWN = 1000  # descriptors from here on belong to us


@dataclass(frozen=True, slots=True)
class Voice:
    """What a process writes to, for the job parent to hear."""

    output: int  # gets stdout and stderr
    stacks: int  # gets those of Python, when the process crashes or gets the signal `STACKS`
    frames: int  # gets the answer, see `answers`

    @property
    def ends(self) -> tuple[int, ...]:
        """Its descriptors."""
        return self.output, self.stacks, self.frames


@dataclass(frozen=True, slots=True)
class Task:
    """One function call: that of a job or of a step."""

    call: Call
    requests: int  # descriptor of the file in which its request is
    rules: int | None  # descriptor of the rules of its fence, see `fence.Fences`
    folder: Path  # its room and its temporary files
    steps: Mapping[str, SealedKept]  # what the steps have kept that were done for it

    def request(self) -> dict[str, Any]:
        """Read its request; only the process that does the call may."""
        return orders.request_at(self.requests, self.call.at)


def main(task: Task, voice: Voice, parent: int) -> NoReturn:
    """Call the function, say its result or failure, and end this process."""
    code = 1
    try:
        request = task.request()
        if task.call.fence is not None:
            fence.enter(task.call.fence, task.rules, task.folder / TEMPORARY)
        tell, steps = _replace_inherited(task, voice, parent)
        _answer(task, request, tell, steps)
        flush_streams()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        _end(code)


def _end(
    code: int,
    leave: Callable[[int], object] = os._exit,
    kill: Callable[[int, int], object] = os.kill,
    me: Callable[[], int] = os.getpid,
) -> NoReturn:
    """End this process, whatever the function has made of the names that do it.

    Without the clean-up of Python: threads and exit handlers of a plugin could hang there.
    """
    try:
        leave(code)
    finally:
        while True:
            kill(me(), signal.SIGKILL)


def _replace_inherited(task: Task, voice: Voice, parent: int) -> tuple[Tell, dict[str, SealedKept]]:
    """Replace what was inherited: session, signals, descriptors, streams, working directory.

    Return the way to answer, and the steps, whose descriptors have other numbers.
    """
    os.setsid()
    proc.die_with(parent)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(voice.output, 1)
    os.dup2(voice.output, 2)
    descriptors = [fd for step in task.steps.values() for fd in (step.descriptor, *step.handed)]
    stacks, frames, *numbers = _keep_only(voice.stacks, voice.frames, *descriptors)
    open_streams()
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    faulthandler.enable(stacks)
    faulthandler.register(STACKS, stacks)
    os.environ["TMPDIR"] = tempfile.tempdir = str(enter(task.folder))
    moved = dict(zip(descriptors, numbers, strict=True))
    return partial(say_frame, frames), {key: step.moved(moved) for key, step in task.steps.items()}


def say_frame(frames: int, kind: bytes, chunks: Sequence[Bytes], name: str = "") -> None:
    """Write a frame to the socket `frames`; the bytes of files go as descriptors."""
    say(frames, *described(kind, chunks, name))


def _keep_only(*descriptors: int) -> list[int]:
    """Close all but the streams and these descriptors; return the numbers that they have then."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    first = min(OWN, most - len(descriptors))
    copies = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, first) for each in descriptors]
    for before, after in pairwise([2, *sorted(copies), most]):
        os.closerange(before + 1, after)
    return copies


def _answer(
    task: Task,
    request: Mapping[str, Any],
    tell: Tell,
    steps: Mapping[str, SealedKept],
    number: Callable[[], int] = os.getpid,
) -> None:
    me = number()
    try:
        room = Room(task.folder / ROOM, tell)
        text = called(task.call.call, request, room, steps, task.call.limit_memory)
        kind = answers.RESULT
    except BaseException as error:
        limits.lift_memory_limit()
        with suppress(OSError, ValueError):  # the function may have closed stderr
            traceback.print_exc()
        hint = fence.hint(error) if task.rules is not None else ""
        text, kind = json.dumps(failure(error, hint)), answers.FAILURE
    if number() == me:  # a process that the function forked must not answer
        tell(kind, [text.encode()])
