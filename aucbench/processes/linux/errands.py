"""Which jobs the fork server has, what each one needs next, and the steps that were done.

Design
  a. A step is known by its identity. The first job that needs it does it; others that come
     meanwhile wait. When the process that does it is lost, one of these does it again.
  b. What a step has kept is a descriptor, which every later job gets. No file has a name, so that
     no process can remove what others need, or put something else in its place.
  c. What a step has handed over is an answer. The job for which it was done gets it, if it asked
     for it; otherwise nobody does.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import chain
from typing import Any

from aucbench.processes.linux.fixed import sealed
from aucbench.processes.linux.wire import close_all
from aucbench.processes.records import Ending


class Due(Enum):
    """What comes next for a job."""

    STEP = auto()  # its next step is to be done, for it
    WAIT = auto()  # another job does that step
    CALL = auto()  # all its steps are done
    FAILED = auto()  # a step has failed


@dataclass(slots=True, eq=False)
class Errand:
    """A job, and how far it has come."""

    ticket: int
    order: Mapping[str, Any]  # see `orders.ordered`
    requests: list[int]  # their descriptor, which is never read here; empty when it is closed
    at: int = 0  # how many of its steps are done
    # Descriptors of the answers of its steps, by their keys, where it gets them.
    handed: dict[str, list[int]] = field(default_factory=dict)
    is_withdrawn: bool = False  # whether it was killed
    is_heavy: bool = False  # whether its steps are kept from the process of light steps

    @property
    def step(self) -> dict[str, Any] | None:
        """Its next step; None when all are done."""
        steps: list[dict[str, Any]] = self.order["steps"]
        return steps[self.at] if self.at < len(steps) else None

    def close(self) -> None:
        """Close its descriptors; without effect the second time."""
        close_all([*self.requests, *chain(*self.handed.values())])
        self.requests.clear()
        self.handed.clear()


@dataclass(slots=True)
class _Step:
    """A step that was begun: the jobs that wait for it, what it has kept, or how it failed."""

    waiting: list[Errand] | None = field(default_factory=list)
    kept: int | None = None
    stamp: list[int] | None = None
    failure: dict[str, Any] | None = None
    answer: list[int] = field(default_factory=list)  # of one that failed


class Steps:
    """The steps of all jobs, by their identities."""

    def __init__(self) -> None:
        self._begun: dict[str, _Step] = {}
        self._killed: set[str] = set()  # identities of those that were killed once

    def due(self, errand: Errand) -> Due:
        """Say what comes next for a job; a step that nobody does is its own from now on."""
        errand.at = 0  # a step that was done may have been forgotten
        while (wanted := errand.step) is not None:
            step = self._begun.get(wanted["identity"])
            if step is None:
                self._begun[wanted["identity"]] = _Step()
                return Due.STEP
            if step.waiting is not None:
                step.waiting.append(errand)
                return Due.WAIT
            if step.failure is not None:
                return Due.FAILED
            errand.at += 1
        return Due.CALL

    def task(self, errand: Errand) -> tuple[dict[str, Any], list[int]]:
        """Return the message about what is next for a job, and the descriptors that go with it."""
        done = errand.order["steps"][: errand.at]
        handed = errand.handed if errand.step is None else {}
        steps, descriptors = [], [*errand.requests]
        for key, step in ((step["key"], self._begun[step["identity"]]) for step in done):
            assert step.kept is not None
            steps.append([key, step.stamp, len(handed.get(key, ()))])
            descriptors += [step.kept, *handed.get(key, ())]
        part = "" if errand.step is None else f"/step-{errand.at}"
        message = {
            "run": errand.ticket,
            "folder": f"{errand.ticket}{part}",
            "is_step": errand.step is not None,
            "call": (errand.step or errand.order)["call"],
            "steps": steps,
        }
        return message, descriptors

    def settle(self, errand: Errand, message: Mapping[str, Any]) -> list[Errand]:
        """Take how the step of a job ended; return the jobs that have waited for it."""
        assert errand.step is not None
        key, identity = errand.step["key"], errand.step["identity"]
        step = self._begun[identity]
        waiting, step.waiting = step.waiting or [], None
        answer = message["descriptors"]
        if message["report"]["killed"] and identity not in self._killed:
            self._killed.add(identity)
            close_all(answer)
            del self._begun[identity]  # another job may have killed it: it is done once more
            return waiting
        if message["report"]["ending"] != Ending.OK:
            step.failure, step.answer = {**message["report"], "step": key}, answer
            return waiting
        number, step.stamp = message["kept"] or (None, None)
        step.kept = sealed() if number is None else os.dup(answer[number])
        wanted = key in errand.order["handed"] and key not in errand.handed
        errand.handed |= {key: answer} if wanted else {}
        close_all([] if wanted else answer)
        return waiting

    def abandon(self, errand: Errand) -> list[Errand]:
        """Forget the step of a job that was lost; return the jobs that have waited for it."""
        assert errand.step is not None
        return self._begun.pop(errand.step["identity"]).waiting or []

    def failure(self, errand: Errand) -> tuple[dict[str, Any], list[int]]:
        """Return the report of a step that failed, and descriptors of its answer."""
        assert errand.step is not None
        step = self._begun[errand.step["identity"]]
        assert step.failure is not None
        return step.failure, [os.dup(fd) for fd in step.answer]

    def withdraw(self, errand: Errand) -> None:
        """Let a job wait for its step no longer."""
        errand.is_withdrawn = True
        for step in self._begun.values():
            if step.waiting and errand in step.waiting:
                step.waiting.remove(errand)

    def forget(self, identity: str) -> None:
        """Let go what a step has kept; a later job does it again. A failure stays known."""
        step = self._begun.get(identity)
        if step is not None and step.kept is not None:
            os.close(step.kept)
            del self._begun[identity]
