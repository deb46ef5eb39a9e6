"""What the tests let the engines run; found by PYTHONPATH, in processes of their own."""

import os
import signal
import time
from pathlib import Path

import psutil


def echo(request, room, steps):
    """Tell that it began, and return the number at once."""
    (Path(request["folder"]) / f"{request['n']}.{os.getpid()}").touch()
    return {"n": request["n"]}


def wait(request, room, steps):
    """Tell that it began, and in which process, then wait until the gate is open."""
    answer = echo(request, room, steps)
    while not (Path(request["folder"]) / "open").exists():
        time.sleep(0.02)
    return answer


def kill_host(request, room, steps):
    """Kill the process that holds the supervisor: a worker of dask, a job of SLURM."""
    me = psutil.Process()
    host = next(p for p in me.parents() if request["host"] in " ".join(p.cmdline()))
    with (Path(request["folder"]) / "kills").open("a") as kills:
        kills.write(f"{host.pid}\n")
    host.send_signal(signal.SIGKILL)
    time.sleep(60)
    return {}
