"""What is measured beside peers and beside bounds: calls in turns, memory, and the file of a run.

A number counts only beside another one of the same process: machines differ, and minutes differ.
"""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from statistics import median, quantiles
from time import process_time
from typing import Any, NamedTuple

DATA = Path(__file__).resolve().parents[1] / "docs" / "data"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "AUCBENCH_THREADS")
CHOICES = ("AUCBENCH_SORT", "AUCBENCH_SIMD")  # what decides which path a kernel takes
VERSIONS = ("numpy", "scipy", "scikit-learn")
LONGEST = 1000  # rounds of a call, whatever the time that is left


class Side(NamedTuple):
    """A call that is measured, and what makes it ready, which is not."""

    call: Callable[[], object]
    before: Callable[[], object] = lambda: None


class Ratio(NamedTuple):
    """How many times as long the second side takes, over the rounds: median and quartiles."""

    median: float
    low: float
    high: float


def in_turns(sides: Sequence[Side], seconds: float, least: int) -> list[list[float]]:
    """Return the CPU seconds of each call, in turns, after one round that does not count.

    What reading the clock takes, a third of a microsecond, is subtracted. Ends after `seconds` for
    each side, but not before `least` rounds.
    """
    taken: list[list[float]] = [[] for _ in sides]
    rounds, clock = 0, of_the_clock()
    while rounds <= least or sum(map(sum, taken)) < seconds * len(sides):
        for side, times in zip(sides, taken, strict=True):
            side.before()
            begin = process_time()
            side.call()
            if rounds:
                times.append(max(process_time() - begin - clock, 1e-9))
        rounds += 1
        if rounds > LONGEST:
            break
    return taken


def of_the_clock() -> float:
    """Return the seconds between two readings of the clock, one after the other."""
    return median(-process_time() + process_time() for _ in range(101))


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """Return theirs / ours of each round, in short."""
    each = [b / a for a, b in zip(ours, theirs, strict=True)]
    if len(each) < 2:
        return Ratio(each[0], each[0], each[0])
    low, middle, high = quantiles(each, n=4, method="inclusive")
    return Ratio(middle, low, high)


def memory(side: Side) -> float:
    """Return the megabytes that a first call adds to the peak of a process that has its input.

    Raises
    ------
    RuntimeError
        When the call ends its process.
    """
    fork = multiprocessing.get_context("fork")
    receive, send = fork.Pipe(duplex=False)

    def report() -> None:
        side.before()
        # What was freed may stay in the process, and a call that takes it again adds nothing.
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is what is now
        begin = status("VmRSS")
        side.call()
        send.send(max(status("VmHWM") - begin, 0.0))

    process = fork.Process(target=report)
    process.start()
    send.close()
    try:
        return float(receive.recv())
    except EOFError as error:
        raise RuntimeError("the process of a call ended before it reported its memory") from error
    finally:
        process.join()


def status(field: str) -> float:
    """Return a field of /proc/self/status in megabytes: VmRSS is now, VmHWM the peak."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    [line] = [line for line in lines if line.startswith(f"{field}:")]
    return int(line.split()[1]) / 1024


def one_thread() -> None:
    """Give this process, and all that it starts, one thread each; before NumPy is imported."""
    os.environ.update(dict.fromkeys(THREADS, "1"))


def machine(packages: Sequence[str] = ()) -> dict[str, Any]:
    """Return processor, cores, load, and the versions of those packages that are installed."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    flags = next((line.split() for line in lines if line.startswith("flags")), [])
    return {
        "cpu": next(named, platform.machine()),
        "simd": next((name for name in ("avx512f", "avx2", "sse4_2") if name in flags), "none"),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "versions": {name: version for name in (*VERSIONS, *packages) if (version := _of(name))},
        "environment": {name: os.environ[name] for name in CHOICES if name in os.environ},
    }


def _of(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def write(path: Path, rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> None:
    """Write a run as JSON: its rows, one a line, and under which conditions they were measured."""
    head = {"date": datetime.now(UTC).date().isoformat(), **about}
    lines = [json.dumps(rounded(row), ensure_ascii=False) for row in rows]
    text = json.dumps(head, indent=1, ensure_ascii=False)[:-2]
    body = ",\n  ".join(lines)
    path.write_text(f'{text},\n "rows": [\n  {body}\n ]\n}}\n', encoding="utf-8")


def rounded(value: Any) -> Any:
    """Return a value of a row with four significant digits in every number."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, Mapping):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    return value


def middle(times: Sequence[float]) -> float:
    """Return the median of the seconds of a call."""
    return median(times)
