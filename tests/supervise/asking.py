"""Jobs that call torture.py, and the question what they left alive."""

import os
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import psutil

from aucbench.processes import Job, Limits, open_supervisor
from aucbench.processes.supervisor import MARK

HERE = "supervise.torture"


def job(name, request=None, steps=(), preload=(), **limits):
    """A job that calls a function of torture.py, never for ever."""
    call = name if ":" in name else f"{HERE}:{name}"
    most = Limits(**{"timeout": 20.0, "grace": 0.2, **limits})
    return Job(call, request or {}, most, steps, preload=preload)


def alive(pids):
    """Those processes that have not ended; a zombie has."""
    return {pid for pid in pids if psutil.pid_exists(pid) and not ended(pid)}


def ended(pid):
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def below(token):
    """Processes that carry the mark of a supervisor, and run."""
    found = psutil.process_iter(["environ"])
    return [p for p in found if (p.info["environ"] or {}).get(MARK) == token]


def strays(token):
    """Those of jobs only: not the fork server, nor job parents, which share its session.

    Of the portable supervisor, they are not its keeper nor its interpreters, but all below these.
    """
    found = [(p, parent, session) for p in below(token) for parent, session in family(p)]
    with_us = [p.pid for p, parent, _ in found if parent == os.getpid()]
    return [p for p, _, session in found if session not in with_us]


def family(process):
    """Parent and session of a process, unless it has just ended."""
    try:
        return [(process.ppid(), os.getsid(process.pid))]
    except (psutil.NoSuchProcess, ProcessLookupError):
        return []


def gone(token, seconds):
    """Whether all of them end in time; a zombie, which nobody may have reaped yet, has."""
    last = monotonic() + seconds
    while below(token):
        if monotonic() > last:
            return False
        sleep(0.01)
    return True


def outcome_of(supervisor, one):
    """Submit a job and wait for it; what other jobs leave meanwhile is an error."""
    ticket = supervisor.submit(one)
    ((ended, outcome),) = supervisor.wait()
    assert ended == ticket
    return outcome


@contextmanager
def supervising(**options):
    with open_supervisor(**{"preload": ("numpy",), **options}) as supervisor:
        yield supervisor
    assert not below(supervisor.token), "processes are left after close"


def until(true, seconds=20.0):
    """Wait for something that other processes do."""
    last = monotonic() + seconds
    while not true():
        assert monotonic() < last, "it did not happen in time"
        sleep(0.005)


def lines(path):
    """Complete lines of a file that others append to."""
    return Path(path).read_text().splitlines() if Path(path).exists() else []
