"""What jobs do to the process that runs them; called by name, or as the code of a request."""

import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np
import psutil

from aucbench.errors import AucbenchError, DataError
from aucbench.kernels import parallel

MB = 2**20
# What codes use.
__all__ = ["AucbenchError", "ctypes", "parallel", "shutil", "threading"]


def run_code(request, room, steps):
    """Run a code, which may set `result`."""
    names = {**globals(), "room": room, "result": {}}
    exec(request["code"], names)
    return names["result"]


def echo(request, room, steps):
    return {"asked": request}


def hang(room):
    room.line({"pid": os.getpid()})
    while True:
        signal.pause()


def leave_orphan(room, then=hang):
    """Run `then` in a process that forked twice and leads a session of its own."""
    ready, written = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            room.line({"pid": os.getpid()})
            os.write(written, b".")
            then(room)
        os._exit(0)
    os.read(ready, 1)


def hang_with_orphans(request, room, steps):
    """Sign, as two orphans do, and stay in spite of SIGTERM."""

    def stay(room):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sign(request, room, steps)
        hang(room)

    leave_orphan(room, stay)
    leave_orphan(room, stay)
    stay(room)


def sign(request, room, steps):
    """Leave a file whose name is a number and that of this process."""
    (Path(request["folder"]) / f"{request['n']}.{os.getpid()}").touch()
    return {"n": request["n"]}


def wait(request, room, steps):
    """Sign, and wait until the gate is open."""
    answer = sign(request, room, steps)
    while not (Path(request["folder"]) / "open").exists():
        time.sleep(0.01)
    return answer


def kill_host(request, room, steps):
    """Sign, and kill the process that holds the supervisor, as often as it is asked."""
    answer = sign(request, room, steps)
    if len([*Path(request["folder"]).glob(f"{request['n']}.*")]) <= request["times"]:
        parents = psutil.Process().parents()
        next(p for p in parents if request["host"] in " ".join(p.cmdline())).kill()
        time.sleep(60)
    return answer


def describe_process(request, room, steps):
    """What a job finds, before its code changes or breaks it."""
    found = {
        "pid": os.getpid(),
        "leads": os.getsid(0) == os.getpid(),
        "stdin": sys.stdin.read(),
        "cwd": str(Path.cwd()),
        "temporary": tempfile.mkdtemp(),
        "threads": [os.environ[name] for name in ("OMP_NUM_THREADS", "AUCBENCH_THREADS")],
        "drawn": [random.random(), float(np.random.random())],  # noqa: NPY002
        "limit": resource.getrlimit(resource.RLIMIT_DATA)[0],
        "precision": np.get_printoptions()["precision"],
        "leaked": os.environ.get("LEAKED"),
    }
    run_code(request, room, steps)
    return found


def say_from_threads(room):
    """Long lines from two threads at once."""
    line = {"x": "x" * MB}
    with ThreadPoolExecutor(2) as pool:
        [*pool.map(lambda _: room.line(line), range(18))]


def raise_what_has_no_text():
    class Worse(Exception):
        def __str__(self):
            raise KeyError("no")

    raise Worse


def ignore_signals():
    for number in {*signal.Signals} - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)


def obey(room):
    """Take SIGTERM as a request to end; what was written before is kept."""

    def end(*_):
        room.line({"ended": True})
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    room.line({"started": True})
    while True:
        signal.pause()


def fill(room):
    mine = bytearray(80 * MB)
    room.line({"pid": os.getpid(), "has": len(mine)})
    hang(room)


def share_memory_with_children():
    mine = np.ones(100 * MB // 8)
    pids = [os.fork() for _ in range(3)]
    time.sleep(0.3)  # several samples
    if not all(pids):
        os._exit(int(mine[0]))
    for pid in pids:
        os.waitpid(pid, 0)


def map_a_file(room):
    """Read a map that is larger than the budget."""
    with (room.path / "rows").open("wb") as file:
        file.truncate(300 * MB)
    np.memmap(room.path / "rows", np.uint8, mode="r").sum()
    time.sleep(0.2)


def die_full(size):
    mine = bytearray(size)
    time.sleep(0.3)  # several samples
    os.abort()
    return mine


def leave_shared_memory(room):
    segment = SharedMemory(create=True, size=MB)
    room.line({"memory": segment.name})
    return segment


def leave_a_program(room):
    """With an empty environment, in a session of its own."""
    program = subprocess.Popen(["/bin/sleep", "1000"], env={}, start_new_session=True)
    room.line({"pid": program.pid})


def fork_and_end():
    """Processes that end while others are looked for, each in a session of its own."""
    for _ in range(50):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(1000)
            os._exit(0)


def read_files(request, room, steps):
    """Which files this process can read, and which one that it starts."""

    def can_read(path):
        try:
            return bool(Path(path).read_bytes())
        except OSError:
            return False

    cat = {p: subprocess.call(["cat", p], stdout=-3, stderr=-3) for p in request["read"]}
    return {
        "read": [path for path in request["read"] if can_read(path)],
        "below": [path for path, code in cat.items() if not code],
    }


def prepare_rows(request, room, steps):
    """Keeps numbers, counts how often it was called, and fails as its request says."""
    with Path(request["count"]).open("a") as count:
        count.write("x")
    time.sleep(request.get("seconds", 0.0))
    np.save(room.kept / "x.npy", np.arange(request["n"]))
    (room.kept / "earlier").write_text(" ".join(steps))
    (room.kept / "pid").write_text(str(os.getpid()))
    is_first = Path(request["count"]).stat().st_size == 1
    match request.get("then"):
        case "fail" | "refuse" as way:
            sys.stdout.write("about to fail\n")
            raise {"fail": ValueError, "refuse": DataError}[way]("no such data")
        case "hang once" if is_first:
            leave_orphan(room)
            hang(room)
        case "crash once" if is_first:
            os._exit(1)
    return {}


def use_steps(request, room, steps):
    """What is in the folder of each step."""
    room.line({"pid": os.getpid()})
    sums = {key: int(np.load(path / "x.npy", mmap_mode="r").sum()) for key, path in steps.items()}
    earlier = {key: (path / "earlier").read_text().split() for key, path in steps.items()}
    return {"sums": sums, "earlier": earlier, "folders": {k: str(p) for k, p in steps.items()}}


def segfaults(request, room, steps):
    ctypes.string_at(0)
