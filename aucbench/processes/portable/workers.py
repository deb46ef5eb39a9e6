"""Interpreters that wait for a call, and what the client does with one of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from aucbench.processes import endings
from aucbench.processes.answers import Answer
from aucbench.processes.environment import environment, search_path
from aucbench.processes.metering import Samples
from aucbench.processes.portable.errands import LOOK, Errand
from aucbench.processes.portable.family import Family
from aucbench.processes.portable.hearing import Hearing
from aucbench.processes.portable.wire import packed
from aucbench.processes.portable.worker import STACKS
from aucbench.processes.records import Limits, Outcome

CALL = "AUCBENCH_CALL"  # variable of the processes of a call: which one
# What all have in common comes first through stdin: a file could be changed by a job.
START_CODE = """\
import json, os, sys
def take(size):
    taken = b""
    while len(taken) < size:
        taken += os.read(0, size - len(taken)) or sys.exit(1)
    return taken
setup = json.loads(take(int(take({digits}))))
sys.path[:] = setup["path"]
from aucbench.processes.portable import {module}
{module}.main(setup)
"""
DIGITS = 12  # of the length of the setup
# On Windows a group gets Ctrl-C, which is for the client alone, and a program without a console
# would get a window; elsewhere a session gets it.
FLAGS: int = sum(
    getattr(subprocess, name, 0) for name in ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW")
)
STACKS_PATIENCE, STACKS_PAUSE = 0.3, 0.03  # seconds for the stacks of Python, and between two looks


class Starts:
    """Starts interpreters; all have the same modules and variables."""

    def __init__(
        self,
        folder: Path,
        *,
        threads: int,
        token: str,
        preload: Sequence[str],
        hidden: Collection[str],
    ) -> None:
        self._token, self._numbers = token, count()
        self._variables = environment(threads, token, hidden)
        setup = {
            "path": search_path(),
            "preload": [*preload],
            "folder": str(folder),
            "token": token,
            "client": os.getpid(),
        }
        text = json.dumps(setup).encode()
        self._setup = b"%0*d" % (DIGITS, len(text)) + text

    def worker(self) -> Worker:
        """Start an interpreter for calls."""
        name = f"{self._token}-{next(self._numbers)}"
        process = self._started("worker", {CALL: name}, subprocess.PIPE)
        return Worker(process, (CALL, name))

    def keeper(self) -> subprocess.Popen[bytes]:
        """Start the process that waits for the end of this one."""
        return self._started("keeper", {}, subprocess.DEVNULL)

    def _started(
        self, module: str, more: Mapping[str, str], output: int
    ) -> subprocess.Popen[bytes]:
        code = START_CODE.format(module=module, digits=DIGITS)
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env={**self._variables, **more},
            start_new_session=os.name == "posix",
            creationflags=FLAGS,
        )
        assert process.stdin is not None
        with suppress(OSError):  # it has ended, as the other pipe will tell
            process.stdin.write(self._setup)
            process.stdin.flush()
        return process


class Worker:
    """An interpreter, its pipes and its family."""

    def __init__(self, process: subprocess.Popen[bytes], mark: tuple[str, str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.process, self._inbox = process, process.stdin
        self.hearing = Hearing(process.stderr, process.stdout)
        self._family = Family(process.pid, mark)
        self._folder = Path()

    def ask(self, told: Mapping[str, Any], blobs: Sequence[bytes]) -> None:
        """Send a call; if the process has ended, its other pipe says so."""
        self._folder = Path(told["folder"])
        self.hearing.again()
        with suppress(OSError):
            self._inbox.write(packed(told, blobs))
            self._inbox.flush()

    def begins(self, errand: Errand) -> bool:
        """Wait until the call can begin, and let it; False when the process ends before."""
        hearing = self.hearing
        while not hearing.until(monotonic() + LOOK, lambda: hearing.has_begun):
            errand.require()
            self._family.resume()
            if self._has_ended() and not hearing.has_begun:
                return False
        if hearing.has_begun:
            self._family.begin()
            with suppress(OSError):
                self._inbox.write(b".")
                self._inbox.flush()
        return hearing.has_begun

    def follow(self, limits: Limits, errand: Errand) -> tuple[Outcome, Answer]:
        """Follow a call that has begun to its end; nothing of it is left then."""
        samples, begin = Samples(limits.memory), monotonic()
        try:
            broken = self._broken(limits, samples, errand, begin)
        finally:
            seconds, gone = monotonic() - begin, self.end()
        outcome = broken or self.hearing.answer.ending
        if outcome is None:
            code = self.process.returncode
            outcome = endings.died(code, self._family.words(), samples.peak, limits.memory)
        if not gone:
            left = f"{outcome.reason or 'returned'}; a process that it left could not be killed"
            outcome = replace(outcome, reason=left)
        outcome = replace(
            outcome,
            wall_seconds=seconds,
            peak_memory=samples.peak,
            log=self.hearing.log(self._stacks()),
        )
        return outcome, self.hearing.answer

    def answers(
        self, seconds: float, errand: Errand, told: Mapping[str, Any], blobs: Sequence[bytes]
    ) -> Answer | None:
        """Do a light call and return its answer; None where there is none, or none in time."""
        self.ask(told, blobs)
        if not self.begins(errand):
            return None
        last = monotonic() + seconds
        while not self.hearing.until(min(last, monotonic() + LOOK), lambda: False):
            errand.require()
            if monotonic() >= last:
                return None
        return self.hearing.answer

    def end(self) -> bool:
        """End it and all that it has left; False when a process cannot be ended."""
        gone = self._family.end(endings.KILL_PATIENCE)
        self.process.wait()
        with suppress(OSError):
            self._inbox.close()
        self.hearing.to_the_end()
        return gone

    def how_it_ended(self) -> str:
        """Return how it ended, in words, after `end`."""
        return endings.exit_text(self.process.returncode) + self._family.words()

    def last_line(self) -> str:
        """Return the last line that it wrote."""
        lines = self.hearing.log(b"").splitlines()
        return lines[-1][:1000] if lines else "it wrote nothing to stderr"

    def _wait_for_stacks(self) -> None:
        """Let it write the stacks of Python: its clock for that began a moment later than ours."""
        last = monotonic() + STACKS_PATIENCE
        while not self._stacks() and monotonic() < last:
            sleep(STACKS_PAUSE)

    def _stacks(self) -> bytes:
        try:
            return (self._folder / STACKS).read_bytes()
        except OSError:  # the function has removed the folder
            return b""

    def _broken(
        self, limits: Limits, samples: Samples, errand: Errand, begin: float
    ) -> Outcome | None:
        """Wait until the call is over (None) or has broken a limit."""
        deadline = float("inf") if limits.timeout is None else begin + limits.timeout
        sample_at = begin
        while not self.hearing.until(min(sample_at, deadline), lambda: False):
            errand.require()
            if (now := monotonic()) >= deadline:
                self._wait_for_stacks()
                self._family.terminate()
                obeyed = self.hearing.until(now + limits.grace, self._has_ended)
                return endings.late(limits.timeout or 0.0, obeyed=obeyed)
            if now >= sample_at:
                if broken := self._sampled(samples):
                    return broken
                sample_at = now + samples.pause(now - begin)
                if self._has_ended():  # what it has left may keep its pipe open
                    return None
        return endings.FLOODED if self.hearing.is_flooded else None

    def _sampled(self, samples: Samples) -> Outcome | None:
        self._family.resume()
        some = self._family.look()
        if len(some) > endings.MOST_PROCESSES:
            return endings.CROWDED
        if self._family.is_over(samples, some):
            return endings.too_large(samples.budget or 0)
        return None

    def _has_ended(self) -> bool:
        return self.process.poll() is not None
