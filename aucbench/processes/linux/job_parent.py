"""The parent process of a step or a job: it has it done under its limits, and says how it ended."""

from __future__ import annotations

import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from aucbench.processes import scratch
from aucbench.processes.linux import fence, proc, watch
from aucbench.processes.linux.child import Task
from aucbench.processes.linux.described import DescribedAnswer, SealedKept
from aucbench.processes.linux.fence import Fences
from aucbench.processes.linux.fixed import sealed, stamp_of
from aucbench.processes.linux.orders import Call
from aucbench.processes.linux.wire import Inbox, close_all, packed, send
from aucbench.processes.records import Outcome

FIRST_FREE = 3  # descriptor after stdin, stdout and stderr


class Reply(NamedTuple):
    """What the fork server is told at the end of a call."""

    message: dict[str, Any]
    descriptors: list[int]  # those of the answer
    more: bool = True  # whether this process can do another call


def main(wire: int, folder: Path, server: int) -> NoReturn:
    """Do the calls that the fork server asks for, one after the other, and end this process.

    After each one this process has no descendants left, so that it can do the next one.
    """
    serve(wire, server, partial(_done, fences=Fences(folder)))


def serve(wire: int, server: int, do: Callable[[Mapping[str, Any]], Reply]) -> NoReturn:
    """Do what each message of the fork server asks, reply, and end this process.

    It ends with the fork server, or when a reply says so.
    """
    code = 1
    try:
        wire = _keep_only_wire(wire, server)
        inbox, more = Inbox(wire), True
        while more and (messages := inbox.read()) is not None:
            for message in messages:
                told, descriptors, more = do(message)
                close_all(message["descriptors"])
                line = packed({"ended": message["run"], **told}, descriptors)
                send(wire, line, lambda: None, descriptors)
                close_all(descriptors)
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


def task_of(message: Mapping[str, Any], folder: Path, fences: Fences | None = None) -> Task:
    """Return the task that a message of the fork server describes."""
    descriptors = iter(message["descriptors"])
    requests = next(descriptors)
    steps = {}
    for key, stamp, handed in message["steps"]:
        kept, stamp = next(descriptors), None if stamp is None else tuple(stamp)
        steps[key] = SealedKept(kept, stamp, tuple(islice(descriptors, handed)))
    call = Call.of(message["call"])
    rules = fences.rules(call.fence) if fences else None
    return Task(call, requests, rules, folder, steps)


def reply_of(outcome: Outcome, answer: DescribedAnswer, changed: Collection[str] = ()) -> Reply:
    """Return the reply about a call that has ended."""
    descriptors = [sealed(answer.stream), *answer.descriptors]
    told: dict[str, Any] = {"report": outcome.report(), "changed": [*changed], "kept": None}
    if answer.kept is not None:
        told["kept"] = [descriptors.index(answer.kept), stamp_of(answer.kept)]
    return Reply(told, descriptors)


def _done(message: Mapping[str, Any], fences: Fences) -> Reply:
    task = task_of(message, fences.own / message["folder"], fences)
    outcome, answer = watch.run(task)
    changed = [key for key, step in task.steps.items() if step.is_changed()]
    scratch.empty(fences.own)  # no other process shall find what it has left there
    level = fence.level() if task.call.fence else None
    return reply_of(replace(outcome, fence=level), answer, changed)
