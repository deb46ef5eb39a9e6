"""Jobs that call torture.py, and the question what they left."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import psutil

from aucbench.processes import Job, Limits, Supervisor
from aucbench.processes.records import MARK
from aucbench.processes.starting import FORK, start_method

HERE = "supervise.torture"
SHARED_MEMORY = Path("/dev/shm")


def job(name, request=None, steps=(), *, key=None, preload=(), fence=None, trusted=False, **limits):
    """A job that calls a function of torture.py, never for ever."""
    call = name if ":" in name else f"{HERE}:{name}"
    most = Limits(**{"timeout": 60.0, "grace": 0.2, **limits})
    return Job(call, request or {}, most, steps, key, preload, fence, trusted)


def code(text):
    """The request of a job that runs a code."""
    return {"code": text}


def alive(pids):
    """Those processes that have not ended; a zombie has."""
    found = psutil.process_iter(["status"])
    return {*pids} & {p.pid for p in found if p.info["status"] != psutil.STATUS_ZOMBIE}


def below(folder):
    """Processes that carry the mark of the supervisor with this folder, and run."""
    found = psutil.process_iter(["environ"])
    return [p for p in found if (p.info["environ"] or {}).get(MARK) == str(folder)]


def strays(supervisor):
    """Those of jobs only: not the fork server, nor interpreters that wait for another job."""
    own = {process.pid for process in supervisor._idle}
    if start_method() == FORK:
        own |= {process.pid for process in psutil.Process().children()}
    return [process for process in below(supervisor.folder) if process.pid not in own]


def call_all(supervisor, jobs, most=4):
    """Outcomes of jobs that run at the same time; nothing of any of them may be left."""

    def call(one):
        outcome = supervisor.call(one)
        memory = [SHARED_MEMORY / line["memory"] for line in outcome.lines if "memory" in line]
        assert not alive(line["pid"] for line in outcome.lines if "pid" in line), one
        assert not any(path.exists() for path in memory), one
        return outcome

    with ThreadPoolExecutor(most) as pool:
        outcomes = [*pool.map(call, jobs)]
    assert not strays(supervisor)
    return outcomes


@contextmanager
def supervising(**options):
    with Supervisor(**{"preload": ("numpy",), **options}) as supervisor:
        yield supervisor
    assert not below(supervisor.folder), "processes are left after close"
    assert not supervisor.folder.exists()


def until(condition, seconds=60.0):
    """Wait for something that other processes do, also on a machine that has much else to do."""
    last = monotonic() + seconds
    while not condition():
        assert monotonic() < last, "it did not happen in time"
        sleep(0.02)


def signs_in(folder):
    """Number and process of each job that has signed a folder, in order."""
    names = [path.name.split(".") for path in Path(folder).glob("*.*")]
    return sorted((int(number), int(pid)) for number, pid in names)
