"""What the operating system says of this machine and of this process.

Design
  a. Only this room asks a system in its own way; a test looks for other places.
  b. Linux answers by files, in microseconds. Other systems are asked by psutil.
  c. What a system cannot say is None, and never a number that could be wrong.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
CPUINFO_BYTES = 4096  # the first bytes are enough; the kernel would compute an entry for each core
MEMINFO, STAT, TASKS = Path("/proc/meminfo"), Path("/proc/self/stat"), Path("/proc/self/task")
BOOT = Path("/proc/sys/kernel/random/boot_id")
CORE, BEGAN = 39, 22  # fields of STAT: the core on which a process runs, and its begin in ticks
STATUS, DATA = Path("/proc/self/status"), re.compile(rb"^VmData:\s+(\d+) kB", re.M)
PR_SET_CHILD_SUBREAPER = 36  # of linux/prctl.h
AVAILABLE = re.compile(rb"^MemAvailable:\s+(\d+) kB", re.M)
OWN_GROUPS, GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
# Of control groups of version 2, and of version 1: their folder, limit and use.
IN_GROUPS = {
    "": (GROUPS, "memory.max", "memory.current"),
    "memory": (GROUPS / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
}
KB = 1024
BRAND = ("sysctl", "-n", "machdep.cpu.brand_string")  # what macOS calls its processor


def cores() -> int:
    """Return how many cores this process may use."""
    return len(core_numbers()) or os.cpu_count() or 1


def core_numbers() -> list[int]:
    """Return the numbers of the cores that this process may use; none where they have none."""
    if sys.platform != "linux":
        return []
    return sorted(os.sched_getaffinity(0))


def this_core() -> int | None:
    """Return the core on which this process runs at the moment."""
    return _field_of_stat(CORE) if sys.platform == "linux" else None


def keep_to(cores: Collection[int]) -> bool:
    """Keep this process and all that it starts to some cores; False where the system refuses."""
    if sys.platform != "linux":
        return False
    try:
        os.sched_setaffinity(0, cores)
    except OSError:
        return False
    return True


def cpu() -> str:
    """Return what the processor is called."""
    import platform  # here: a command that only needs its limits starts sooner

    if sys.platform == "darwin":
        return _brand() or platform.processor()
    try:
        with CPUINFO.open(encoding="utf-8", errors="replace") as file:
            lines = file.read(CPUINFO_BYTES).splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _brand() -> str:
    """Return what macOS calls its processor; nothing where it does not say."""
    import subprocess

    try:
        return subprocess.run(BRAND, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def load() -> float | None:
    """Return how many processes wanted to compute in the last minute; None on Windows."""
    if sys.platform == "win32":
        return None
    return os.getloadavg()[0]


def free_memory() -> int:
    """Return how many bytes of memory the machine and the control groups have left."""
    if sys.platform != "linux":
        import psutil

        available: int = psutil.virtual_memory().available
        return available
    known = AVAILABLE.search(MEMINFO.read_bytes())
    left = [int(known[1]) * KB] if known else []
    return max(0, min([*left, *_left_to_groups()], default=0))


def began() -> float:
    """Return when this process began, in seconds as `time.time()` counts them."""
    if sys.platform != "linux":
        import psutil

        seconds: float = psutil.Process().create_time()
        return seconds
    since_boot = _field_of_stat(BEGAN) / os.sysconf("SC_CLK_TCK")
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + since_boot


def boot() -> bytes:
    """Return what is another one after each start of the machine; nothing where it has none."""
    return BOOT.read_bytes() if sys.platform == "linux" and BOOT.exists() else b""


def children() -> frozenset[int]:
    """Return the processes that this one has started and that have not ended."""
    if sys.platform != "linux":
        import psutil

        return frozenset(child.pid for child in psutil.Process().children())
    listed: list[str] = []
    for task in TASKS.glob("*/children"):
        try:
            listed += task.read_text(encoding="ascii").split()
        except OSError:  # a thread that has ended meanwhile
            continue
    return frozenset(map(int, listed))


def kill_group(leader: int) -> None:
    """End the processes of a group; without effect where there is none, and on Windows."""
    if sys.platform == "win32":
        return
    import signal

    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def adopt_orphans() -> None:
    """Make this process the new parent of descendants whose own parent ends; Linux only."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def limit_memory(most: int | None) -> Callable[[], None]:
    """Let this process allocate `most` bytes more than it has; return what lifts the limit.

    An allocation above it fails at once. Only Linux has such a limit, RLIMIT_DATA, which does not
    count read-only maps of files. It holds for one process, and not for shared memory.
    """
    if most is None or sys.platform != "linux":
        return lambda: None
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = DATA.search(STATUS.read_bytes())
    limit = (int(known[1]) * KB if known else 0) + most
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    return partial(resource.setrlimit, resource.RLIMIT_DATA, (hard, hard))


def raised(descriptor: int, first: int) -> int:
    """Give a descriptor a number from `first` on; on Windows, which chooses, the same one."""
    if sys.platform == "win32":
        return descriptor
    import fcntl

    try:
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, first)
    except OSError:  # fewer are allowed
        return descriptor
    os.close(descriptor)
    return moved


def _field_of_stat(number: int) -> int:
    # Field 2, the name of the program, is in brackets and may hold anything.
    return int(STAT.read_bytes().rpartition(b")")[2].split()[number - 3])


def _left_to_groups() -> Iterator[int]:
    """Yield what is left to each control group of this process that has a limit."""
    for line in OWN_GROUPS.read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in {*controllers.split(",")} & {*IN_GROUPS}:
            root, *names = IN_GROUPS[controller]
            group = root / path.lstrip("/")
            for folder in (group, *group.parents[: len(group.parents) - len(root.parents)]):
                try:
                    limit, used = ((folder / name).read_text().strip() for name in names)
                except OSError:  # of another namespace, or the root, which has none
                    continue
                if limit.isdigit():
                    yield int(limit) - int(used)
