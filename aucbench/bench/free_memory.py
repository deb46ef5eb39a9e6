"""How much memory is left to this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil

OWN_GROUPS, GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
# Of control groups of version 2, and of version 1: their folder, limit and use.
IN_GROUPS = {
    "": (GROUPS, "memory.max", "memory.current"),
    "memory": (GROUPS / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
}


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
