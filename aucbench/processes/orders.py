"""Jobs as the processes below the client get them: what they ask for is in a file without a name.

Design
  a. A process that is forked has the memory of its parents, also what they have thrown away. So no
     process above that of a job ever reads a request: that of a cell holds the labels of its
     training rows, and those of one split are test rows of another.
  b. The client writes the requests of a job and of its steps into one file, of which the other
     processes get a descriptor. What crosses the sockets says where in it each one is. The process
     of the job or step reads its own request, and closes the file.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from aucbench.processes.fence import told
from aucbench.processes.records import Fence, Job, Limits, Step
from aucbench.processes.wire import packed


@dataclass(frozen=True, slots=True)
class Call:
    """A function to call, and where its request is.

    Attributes
    ----------
    call : str
        "package.module:function".
    at : (int, int)
        First byte and number of bytes of its request.
    limits : Limits
    fence : Fence or None
    """

    call: str
    at: tuple[int, int]
    limits: Limits
    fence: Fence | None


@dataclass(frozen=True, slots=True)
class StepOrder:
    """A `Step`: its key, its identity, its call, and whether it is light."""

    key: str
    identity: str
    call: Call
    light: bool


@dataclass(frozen=True, slots=True)
class Order:
    """A `Job`: its call, its steps, and so on."""

    call: Call
    steps: tuple[StepOrder, ...]
    handed: tuple[str, ...]
    preload: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sent:
    """What the client sends to run a job: its order, and the content of the file of requests."""

    order: dict[str, Any]
    requests: bytes


def ordered(job: Job) -> tuple[Order, bytes]:
    """Return the order for a job, and the content of the file of its requests.

    Raises
    ------
    TypeError, ValueError
        When a request is not JSON.
    """
    texts: list[bytes] = []
    steps = tuple(
        StepOrder(step.key, step.identity, _call(step, texts), step.light) for step in job.steps
    )
    order = Order(_call(job, texts), steps, job.handed, job.preload)
    return order, b"".join(texts)


def _call(asked: Job | Step, texts: list[bytes]) -> Call:
    first = sum(map(len, texts))
    texts.append(packed(asked.request))
    fence = asked.fence and told(asked.fence)
    return Call(asked.call, (first, len(texts[-1])), asked.limits, fence)


def request_at(fd: int, at: tuple[int, int]) -> dict[str, Any]:
    """Return a request from a file that is open."""
    first, count = at
    found: dict[str, Any] = json.loads(os.pread(fd, count, first))
    return found
