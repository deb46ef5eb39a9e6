"""Where the rows of a data set are while a process computes: in memory, or read in chunks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psutil

from aucbench.datasets.chunked.footers import Footer
from aucbench.datasets.download import is_url
from aucbench.datasets.endings import PARQUET, TEXT
from aucbench.datasets.located import has_folder, names_file
from aucbench.registry.lookup import owner

COPIES = 3  # of all rows as float64, which a fit in memory takes at most
NUMBER = 8  # bytes
GB = 1e9
MARKS = "*?"
OWN_GROUPS, GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
# Of control groups of version 2, and of version 1: their folder, limit and use.
IN_GROUPS = {
    "": (GROUPS, "memory.max", "memory.current"),
    "memory": (GROUPS / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
}


def why_in_chunks(source: str, folder: str = ".", memory: int | None = None) -> str | None:
    """Return in a sentence why a source is read in chunks; None: it is read into memory.

    It is if it is a folder or a pattern of files, or a file that is too large for the memory.

    Parameters
    ----------
    folder : str
        Where relative paths start.
    memory : int, optional
        Bytes that a fit may take; None: what is free now.
    """
    if names_files(source, folder):
        return f"{source}: the files are read in chunks, again and again"
    return why_too_large(Path(os.fspath(Path(folder) / source)), memory)


def names_files(source: str, folder: str = ".") -> bool:
    """Return whether a text is a folder or a pattern of files, and no data set that has its name.

    Relative paths start in `folder`. A pattern has * or ?; brackets are those of a data set with
    parameters, such as linear[n=100].
    """
    if is_url(source):
        return False
    path = Path(folder) / source
    if any(mark in source for mark in MARKS):
        return not path.exists()
    if not path.is_dir():
        return False
    return has_folder(source) or not (owner("datasets", source) or names_file(source))


def why_too_large(path: Path, memory: int | None = None) -> str | None:
    """Return why a file is too large for the memory of a fit; None where it is not.

    Numbers in text take about as many characters as a float64 has bytes.

    Parameters
    ----------
    memory : int, optional
        Bytes that a fit may take; None: what is free now.
    """
    if path.suffix.lower() not in (PARQUET, *TEXT) or not path.is_file():
        return None
    limit = free_memory() if memory is None else memory
    needed, what = path.stat().st_size * COPIES, "its rows"
    if path.suffix.lower() == PARQUET:
        footer = Footer.of(path)
        n, d = sum(footer.rows), len(footer.fields)
        needed, what = n * d * NUMBER * COPIES, f"{n} rows of {d} columns"
    if needed <= limit:
        return None
    room = "are free" if memory is None else "are allowed by --memory"
    return (
        f"{path}: a fit in memory to {what} takes about {needed / GB:.1f} GB, and "
        f"{limit / GB:.1f} GB {room}: the rows are read in chunks, again and again"
    )


def free_memory() -> int:
    """Return how many bytes of memory the machine and the control groups have left."""
    left: list[int] = [psutil.virtual_memory().available, *_left_to_groups()]
    return max(0, min(left))


def _left_to_groups() -> Iterator[int]:
    """Yield what is left to each control group of this process that has a limit."""
    lines = OWN_GROUPS.read_text(encoding="utf-8").splitlines() if OWN_GROUPS.exists() else ()
    for line in lines:
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
