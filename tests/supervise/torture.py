"""What jobs do to the process that runs them; called by name."""

import ctypes
import json
import mmap
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from threading import Barrier

import numpy as np

from aucbench.errors import AucbenchError, DataError
from aucbench.kernels import parallel
from aucbench.processes.answers import FILE, HEAD, LINE, RESULT, frame
from aucbench.processes.linux import child
from aucbench.processes.linux.wire import send_descriptors

MB = 2**20
PUNCH_HOLE, KEEP_SIZE = 2, 1  # of linux/falloc.h
SECRET = "the labels of the test rows"


def fallocate(fd, mode, first, size):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.fallocate(fd, mode, ctypes.c_long(first), ctypes.c_long(size)):
        raise OSError(ctypes.get_errno(), "fallocate")


def hang(request, room, steps):
    room.line({"pid": os.getpid()})
    while True:
        signal.pause()


def deserted(then, request, room, steps):
    """Run `then` in a process that forked twice and leads a session of its own."""
    ready, told = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            room.line({"pid": os.getpid()})
            os.write(told, b".")
            then(request, room, steps)
        os._exit(0)
    os.read(ready, 1)


def healthy(request, room, steps):
    room.line({"pid": os.getpid()})
    room.hand("scores.bin", bytes([1, 2, 3]))
    sys.stdout.write("one\n"), sys.stderr.write("two\n")
    facts = {
        "cwd": str(Path.cwd()),
        "stdin": sys.stdin.read(),
        "leads": os.getsid(0) == os.getpid(),
    }
    threads = [os.environ[name] for name in ("OMP_NUM_THREADS", "AUCBENCH_THREADS")]
    return {"asked": request, **facts, "threads": threads}


def computes_with_two_threads(request, room, steps):
    met = Barrier(2, timeout=30)  # one thread alone would not pass
    return {"ranks": sorted(parallel.mapped(lambda _: met.wait(), range(2)))}


def echo(request, room, steps):
    return {"asked": request}


def remembers(request, room, steps):
    """How often the memory of this process holds what a pattern, but not its text, matches."""
    wanted, found = re.compile(request["pattern"].encode()), 0
    with Path("/proc/self/mem").open("rb", buffering=0) as memory:
        for line in Path("/proc/self/maps").read_text().splitlines():
            place, rights = line.split()[:2]
            first, last = (int(end, 16) for end in place.split("-"))
            if rights.startswith("rw"):
                memory.seek(first)
                found += len(wanted.findall(memory.read(last - first)))
    return {"found": found}


def tries(request, room, steps):
    """Which of some files it can read, which it can write, and which processes it can signal."""
    return {
        "read": [path for path in request.get("read", ()) if works(Path(path).read_bytes)],
        "written": [path for path in request.get("write", ()) if works(Path(path).write_text, "x")],
        "signalled": [pid for pid in (os.getpid(), os.getppid()) if works(os.kill, pid, 0)],
        "environment": [name for name in request.get("names", ()) if name in os.environ],
        "began": [n for n in request.get("names", ()) if f"{n}=".encode() in began_with()],
    }


def works(function, *given):
    try:
        function(*given)
    except OSError:
        return False
    return True


def began_with():
    """The variables with which the warm process began."""
    return Path("/proc/self/environ").read_bytes()


def computes_in_processes(request, room, steps):
    """Needs locks in shared memory, temporary files, and programs that also obey the fence."""
    with multiprocessing.get_context("fork").Pool(2) as pool:
        squares = pool.map(abs, [-1, 2])
    closed = subprocess.run(["cat", request["closed"]], capture_output=True).returncode
    TemporaryFile().close()
    return {"squares": squares, "closed": closed}


def finds(request, room, steps):
    """Names of the files below a folder that hold a text, as far as they can be read."""
    files = [path for path in Path(request["folder"]).rglob("*") if path.is_file()]
    files = [path for path in files if works(path.read_bytes)]
    return {"files": [f.name for f in files if request["text"] in f.read_text(errors="replace")]}


def loaded(request, room, steps):
    return {"loaded": [name for name in request["names"] if name in sys.modules]}


def raises(request, room, steps):
    room.line({"seen": 1})
    raise ValueError("first line\nsecond line")


def raises_unprintable(request, room, steps):
    class Worse(Exception):
        def __str__(self):
            raise KeyError("no")

    raise Worse


def raises_without_a_message(request, room, steps):
    raise KeyError


def refuses(request, room, steps):
    raise DataError("DataError: the rows are gone")


def refuses_by_a_class_of_its_own(request, room, steps):
    class Mine(DataError):
        pass

    raise Mine("no")


def runs_out_of_memory_on_purpose(request, room, steps):
    class Both(AucbenchError, MemoryError):
        pass

    raise Both("no")


def leaves_by_system_exit(request, room, steps):
    sys.exit(0)


def returns(request, room, steps):
    return {"list": [1], "nan": {"x": float("nan")}, "array": {"x": np.ones(2)}}[request["what"]]


def returns_much(request, room, steps):
    return {"x": "x" * (65 * MB)}


def leaves_many_files(request, room, steps):
    for name in "ab":
        room.hand(name, bytes(40 * MB))
    return {}


def hands_over_without_end(request, room, steps):
    while True:
        room.hand("x", b"x")


def says_without_end(request, room, steps):
    while True:
        room.line({"x": "x" * MB})


def holds_the_gil(request, room, steps):
    room.line({"passes": 1})
    return {"x": 7 ** (10**9)}


def holds_the_gil_and_ignores_sigterm(request, room, steps):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:  # any signal ends a sleep
        ctypes.PyDLL(None).sleep(1000)


def hangs_without_streams(request, room, steps):
    os.closerange(0, 900)
    hang(request, room, steps)


def floods_and_hangs(request, room, steps):
    threading.Thread(target=prints_for_ever, args=(request, room, steps)).start()
    hang(request, room, steps)


def segfaults_without_streams(request, room, steps):
    os.closerange(0, 900)
    ctypes.string_at(0)


def ignores_sigterm(request, room, steps):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hang(request, room, steps)


def stops_itself(request, room, steps):
    while True:
        os.kill(0, signal.SIGSTOP)


def leaves_a_child(request, room, steps):
    ready, told = os.pipe()
    if os.fork() == 0:
        os.write(told, b".")
        hang(request, room, steps)
    os.read(ready, 1)
    return {}


def leaves_an_orphan(request, room, steps):
    deserted(hang, request, room, steps)
    return {}


def leaves_an_orphan_and_hangs(request, room, steps):
    deserted(hang, request, room, steps)
    hang(request, room, steps)


def leaves_a_program(request, room, steps):
    """With an empty environment, in a session of its own."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.execve("/bin/sleep", ["sleep", "1000"], {})
    room.line({"pid": pid})
    return {}


def returns_twice(request, room, steps):
    """The process that it forked returns too, and later."""
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        return {"mine": True}
    return {"mine": False}


def leaves_a_thread(request, room, steps):
    from threading import Thread

    Thread(target=time.sleep, args=(1000,)).start()
    return {}


def patches_what_ends_it(request, room, steps):
    """All that could end its process, so that it would go on as the job parent does."""
    import atexit
    import threading as threads

    for name in ("_exit", "abort", "kill", "killpg", "getpid", "setsid", "write"):
        setattr(os, name, lambda *_: 1)
    sys.exit = signal.signal = lambda *_: None
    atexit.register(hang)
    threads._register_atexit(hang)
    return {"x": 1}


def exits_at_once(request, room, steps):
    os._exit(0)


def segfaults(request, room, steps):
    room.line({"before": 1})
    ctypes.string_at(0)


def overflows_the_stack(request, room, steps):
    sys.setrecursionlimit(10**9)
    deep = []
    for _ in range(10**5):
        deep = [deep]
    return {"x": repr(deep)}


def takes_memory(request, room, steps):
    return {"x": len(bytearray(4096 * MB))}


def takes_an_array(request, room, steps):
    return {"x": np.ones((4096, MB // 8)).sum()}


def maps_memory(request, room, steps):
    space = mmap.mmap(-1, 4096 * MB, flags=request["flags"] | mmap.MAP_ANONYMOUS)
    for at in range(0, len(space), MB):
        space[at : at + MB] = b"x" * MB
    return {}


def takes_memory_in_children(request, room, steps):
    for _ in range(4):
        if os.fork() == 0:
            mine = bytearray(request["each"] * MB)
            room.line({"pid": os.getpid(), "has": len(mine)})
            hang(request, room, steps)
    hang(request, room, steps)


def shares_memory_with_children(request, room, steps):
    mine = np.ones(request["all"] * MB // 8)
    pids = [os.fork() for _ in range(3)]
    time.sleep(0.3)  # several samples
    if all(pids):
        for pid in pids:
            os.waitpid(pid, 0)
        return {"x": float(mine[0])}
    os._exit(0)


def maps_a_file(request, room, steps):
    """Reads a map larger than its budget."""
    with (room.path / "rows").open("wb") as file:
        file.truncate(request["all"] * MB)
    rows = np.memmap(room.path / "rows", np.uint8, mode="r")
    total = int(rows.sum())
    time.sleep(0.2)
    return {"x": total}


def dies_full(request, room, steps):
    mine = bytearray(int(request["fill"] * MB))
    time.sleep(0.3)  # several samples
    os.abort()
    return {"x": len(mine)}


def prints_much(request, room, steps):
    for at in range(10 * MB // 64):
        sys.stdout.write(f"{at:063d}\n")
    sys.stdout.write("the end\n")
    return {}


def prints_for_ever(request, room, steps):
    while True:
        os.write(1, b"x" * MB)


def writes_to_a_map(request, room, steps):
    np.save(room.path / "x.npy", np.zeros(1000))
    rows = np.load(room.path / "x.npy", mmap_mode="r")
    if request["raw"]:
        ctypes.memset(rows.ctypes.data, 1, 8)
    rows[0] = 1.0
    return {}


def draws(request, room, steps):
    drawn = {"random": random.random(), "numpy": float(np.random.random())}  # noqa: NPY002
    random.seed(request["then"])
    np.random.seed(request["then"])  # noqa: NPY002
    np.set_printoptions(precision=1)
    os.environ["LEAKED"] = "yes"
    return drawn


def leaked(request, room, steps):
    return {"precision": np.get_printoptions()["precision"], "env": os.environ.get("LEAKED")}


def forks_much(request, room, steps):
    """A bomb that stops at some size."""
    for _ in range(request["levels"]):
        os.fork()
    time.sleep(1000)


def forks_and_ends(request, room, steps):
    """Processes that end while others are looked for, each in a session of its own."""
    for _ in range(50):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(1000)
            os._exit(0)
    return {}


def closes_everything(request, room, steps):
    os.closerange(0, 1000)
    return {"x": 1}


def closes_its_streams(request, room, steps):
    sys.stdout.close()
    sys.stderr.close()
    if request["then"]:
        raise ValueError("nobody hears this")
    return {"x": 1}


def kills_its_job_parent(request, room, steps):
    deserted(hang, request, room, steps)
    os.kill(os.getppid(), signal.SIGKILL)
    hang(request, room, steps)


def above(levels):
    """Number of the job parent (1), or of the fork server (2)."""
    pid = os.getpid()
    for _ in range(levels):
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid


def kills_the_fork_server(request, room, steps):
    deserted(hang, request, room, steps)
    os.kill(above(2), signal.SIGKILL)
    hang(request, room, steps)


def hangs_once(request, room, steps):
    """Ends when it runs the second time; says which of its runs this is."""
    with Path(request["told"]).open("a") as told:
        told.write(f"{os.getpid()}\n")
    runs = len(Path(request["told"]).read_text().splitlines())
    return {"runs": runs} if runs > 1 else hang(request, room, steps)


def stops(request, room, steps):
    os.kill(above(request["levels"]), signal.SIGSTOP)
    return {"x": 1}


def stops_again_and_again(request, room, steps):
    pids = [above(levels) for levels in request["levels"]]

    def stop(*_):
        while True:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            time.sleep(0.01)

    deserted(stop, request, room, steps)
    hang(request, room, steps)


def removes_its_room(request, room, steps):
    import shutil

    os.chdir("/")
    shutil.rmtree(room.path.parents[request["above"]])
    return {"x": 1}


def locks_its_room(request, room, steps):
    inner = room.path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "c").touch()
    inner.chmod(0)
    inner.parent.chmod(0)
    return {}


def says_nonsense(request, room, steps):
    """Two lines, and then what is no frame, or not the whole of one."""
    room.line({"x": 1}), room.line({"x": 2})
    nonsense = {
        "half": frame(LINE, b'{"x": 3}')[:-1],
        "kind": b"?" * 100,
        "length": HEAD.pack(LINE, 2**16 - 1, 2**64 - 1),
        "no json": frame(LINE, b"{") + frame(LINE, b"{}"),
        "a result": frame(RESULT, b'{"forged": 1}') + b"?",
    }
    with suppress(OSError):
        os.write(child.OWN + 1, nonsense[request["what"]])
    return {}


def hands_over_what_is_no_file(request, room, steps):
    """Descriptors that a careless reader would wait for, or read for ever."""
    ours, theirs = os.pipe()
    loose = os.memfd_create("loose", os.MFD_ALLOW_SEALING)
    os.write(loose, b"x")
    for fd in (os.open("/dev/zero", os.O_RDONLY), os.open("/", os.O_RDONLY), ours, theirs, loose):
        send_descriptors(child.OWN + 1, frame(FILE, b"", str(fd)), [fd])
    room.hand("file", b"x")
    return {}


def uses_temporary_files(request, room, steps):
    import tempfile

    return {"where": tempfile.mkdtemp()}


def obeys(request, room, steps):
    """Takes SIGTERM as a request to end; what it wrote before is kept."""

    def end(*_):
        room.line({"ended": True})
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    room.line({"started": True})
    while True:
        signal.pause()


def hangs_and_tells(request, room, steps):
    """Appends its number, and those of two orphans, to a file outside of its room."""
    os.chdir(Path(request["tell"]).parent)
    deserted(tell, request, room, steps)
    deserted(tell, request, room, steps)
    tell(request)


def tell(request, room=None, steps=None):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with Path(request["tell"]).open("a") as told:
        told.write(f"{os.getpid()}\n")
    while True:
        signal.pause()


# Steps


def prepares(request, room, steps, **more):
    with Path(request["count"]).open("a") as count:
        count.write("x")
    kept = {"x": [*range(request["n"])], "earlier": [*steps], **more}
    room.keep([json.dumps(kept).encode()])
    return {}


def known_of(step):
    return json.loads(bytes(step.content()))


def prepares_slowly(request, room, steps):
    time.sleep(1.0)
    return prepares(request, room, steps)


def prepares_and_hands_over(request, room, steps):
    """Hands something over to one job, and leaves it in its folders."""
    from tempfile import mkdtemp

    prepares(request, room, steps)
    Path(mkdtemp(), "copy").write_text(SECRET)
    (room.path / "copy").write_text(SECRET)
    room.hand("y", SECRET.encode())
    return {}


def receives(request, room, steps):
    """What was handed over, and which other files hold the secret."""
    handed = {key: step.files() for key, step in steps.items()}
    found = {f"{key}/{name}": text.decode() for key in handed for name, text in handed[key].items()}
    own = {str(fd) for step in steps.values() for fd in step.handed}
    opened = [path for path in Path("/proc/self/fd").iterdir() if path.name not in own]
    below = [Path(at, name) for at, _, names in os.walk(request["below"]) for name in names]
    return {"handed": found, "traces": [str(p) for p in (*opened, *below) if holds_the_secret(p)]}


def holds_the_secret(path):
    """Whether a file has it; other jobs may remove theirs meanwhile."""
    try:
        return path.is_file() and SECRET in path.read_text(errors="replace")
    except OSError:
        return False


def prepares_and_tells(request, room, steps):
    """Keeps what it found of its process, and does what is asked."""
    found = {"pid": os.getpid(), "random": random.random(), "cwd": str(Path.cwd() == room.path)}
    prepares(request, room, steps, found=found)
    if request["then"] == "import":
        import_module("supervise.asking")
    if request["then"] == "die once" and Path(request["count"]).stat().st_size == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if request["then"] == "hang once" and Path(request["count"]).stat().st_size == 1:
        hang(request, room, steps)
    return {}


def which(request, room, steps):
    return {"pid": os.getpid()}


def found(request, room, steps):
    return known_of(steps[request["key"]])["found"]


def prepares_and_fails(request, room, steps):
    with Path(request["count"]).open("a") as count:
        count.write("x")
    sys.stdout.write("about to fail\n")
    raise ValueError("no such data")


def prepares_and_refuses(request, room, steps):
    raise DataError("no such data")


def prepares_and_hangs_once(request, room, steps):
    with Path(request["count"]).open("a") as count:
        count.write("x")
    if Path(request["count"]).stat().st_size == 1:
        deserted(hang, request, room, steps)
        hang(request, room, steps)
    return {}


def uses(request, room, steps):
    known = known_of(steps[request["key"]])
    return {"sum": sum(known["x"]), "earlier": known["earlier"]}


def changes_what_is_shared(request, room, steps):
    """Tries all ways to change what other jobs read too; says which of them the kernel let it."""
    done = []
    for step in steps.values():
        fd = getattr(step, "descriptor", None) or os.open(step.path, os.O_RDONLY)
        path, size = Path(f"/proc/self/fd/{fd}"), os.fstat(fd).st_size
        tries = {
            "write": lambda to: os.pwrite(to, b"0" * 9, 0),
            "shorten": lambda to: os.ftruncate(to, 1),
            "lengthen": lambda to, size=size: os.ftruncate(to, 2 * size),
            "map": lambda to: mmap.mmap(to, 9).write(b"0" * 9),
            "punch": lambda to: fallocate(to, PUNCH_HOLE | KEEP_SIZE, 0, 9),
        }
        with suppress(OSError):
            path.chmod(0o777)
        for way, attempt in tries.items():
            for to in (fd, os.open(path, os.O_RDWR)):
                with suppress(OSError, ValueError):
                    attempt(to)
                    done.append(way)
    return {"done": done}


def does_in_turn(request, room, steps):
    """Do things, [key, what happens then] each, and say so as `in_turn` wants it."""
    file = request.get("lines")

    def say(line):
        if file is None:
            room.line(line)
        else:
            with Path(file).open("a") as out:
                out.write(json.dumps(line) + "\n")

    for key, then in request["things"]:
        say({"begin": key})
        if then == "inside":
            os._exit(1)
        if then == "hang":
            hang(request, room, steps)
        say({"end": key.upper()})
        if then == "after":
            os._exit(1)
    return {}
