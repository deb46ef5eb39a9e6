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
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from aucbench.processes.linux import limits
from aucbench.processes.linux.fence import told
from aucbench.processes.linux.wire import packed
from aucbench.processes.records import Fence, Job, Limits, Step


@dataclass(frozen=True, slots=True)
class Call:
    """A function to call, "package.module:function", and where its request is in the file."""

    call: str
    at: tuple[int, int]  # first byte, and number of bytes
    limits: Limits
    fence: Fence | None

    def limit_memory(self) -> None:
        """Let this process allocate no more than its limit."""
        if self.limits.memory is not None:
            limits.set_memory_limit(int(self.limits.memory))

    @staticmethod
    def of(plain: Mapping[str, Any]) -> Call:
        """Return the call that an order has."""
        fence = plain["fence"]
        lists = ("closed", "code", "marks", "hidden")
        return Call(
            plain["call"],
            tuple(plain["at"]),
            Limits(**plain["limits"]),
            fence and Fence(**{**fence, **{name: tuple(fence[name]) for name in lists}}),
        )


def ordered(job: Job) -> tuple[dict[str, Any], bytes]:
    """Return the order for a job as JSON, and the content of the file of its requests.

    Raises
    ------
    TypeError, ValueError
        When a request is not JSON.
    """
    texts: list[bytes] = []
    steps = [
        {"key": s.key, "identity": s.identity, "call": _call(s, texts), "light": s.light}
        for s in job.steps
    ]
    call = _call(job, texts)
    order = {"call": call, "steps": steps, "handed": job.handed, "preload": job.preload}
    return order, b"".join(texts)


def _call(asked: Job | Step, texts: list[bytes]) -> dict[str, Any]:
    first = sum(map(len, texts))
    texts.append(packed(asked.request))
    fence = asked.fence and told(asked.fence)
    return asdict(Call(asked.call, (first, len(texts[-1])), asked.limits, fence))


def request_at(fd: int, at: tuple[int, int]) -> dict[str, Any]:
    """Return a request from a file that is open."""
    first, count = at
    request: dict[str, Any] = json.loads(os.pread(fd, count, first))
    return request
