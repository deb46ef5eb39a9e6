"""Jobs in processes of their own, and other programs with their CPU seconds and peak of memory."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

# The peak of a process counts what the process that started it held at that moment, so a small
# one starts the program: without NumPy, it holds 10 MB.
STARTER = """
import resource, subprocess, sys
CPU, limit = resource.RLIMIT_CPU, int(sys.argv[1])
done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                      preexec_fn=lambda: resource.setrlimit(CPU, (limit, limit + 5)))
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.stdout.buffer.write(done.stdout)
print(f"\\n{done.returncode} {used.ru_utime + used.ru_stime} {used.ru_maxrss}")
"""
LIMIT = 100  # seconds of CPU of a program, of which reading its file may be 20


class Ended(NamedTuple):
    """What a program printed and used."""

    text: str
    seconds: float  # of CPU
    megabytes: float  # its peak


def apart(job: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a function, run in a new process; its exceptions are raised here."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=spawn) as pool:
        return pool.submit(job, *arguments).result()


def program(command: Sequence[str], limit: int = LIMIT) -> Ended | None:
    """Run a program to its end; None when it takes more than `limit` seconds of CPU.

    Raises
    ------
    RuntimeError
        When it fails.
    """
    starter = [sys.executable, "-I", "-S", "-c", STARTER, str(limit), *command]
    done = subprocess.run(starter, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} did not start: {done.stderr.strip()}")
    text, _, last = done.stdout.rstrip("\n").rpartition("\n")
    code, seconds, kilobytes = last.split()
    if int(code) == -signal.SIGXCPU:  # the system ended it
        return None
    if int(code):
        raise RuntimeError(f"{' '.join(command)} ended with {code}: {text.strip()[-500:]}")
    return Ended(text, float(seconds), int(kilobytes) / 1024)
