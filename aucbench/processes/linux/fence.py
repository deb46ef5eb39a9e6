"""Keep the process of a job from files that it has no need of, where the kernel has Landlock.

Design
  a. Landlock knows only what stays allowed. Here all files stay readable but a few. So in each
     folder above a closed one, all entries are allowed but those that are closed or lead there.
  b. Rules are made once for all jobs of a job parent, since that takes far longer than to obey
     them. When one of those folders has changed since, rules for what is new in it are added.
  c. A closed folder may hold code: a virtual environment, modules, files of plugins. That stays
     readable.
  d. A job parent has a folder of its own for its jobs, one after another. Besides devices and
     shared memory it is the only place to which their processes can write.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib.machinery import all_suffixes
from pathlib import Path

from aucbench.processes import scratch
from aucbench.processes.linux import landlock
from aucbench.processes.records import Fence

OPEN = "AUCBENCH_OPEN"  # folders in which fenced processes may read and write, with colons between
DEVICES, SHARED_MEMORY = "/dev", "/dev/shm"
NONE = "none"  # the first word of a level at which nothing is closed
CODE = (*all_suffixes(), ".dist-info", ".egg-info")


def level() -> str:
    """Return what keeps fenced processes of this host from files, as records hold it."""
    opened = os.environ.get(OPEN, "")
    if "/" in opened.split(os.pathsep):
        return f"{NONE}: {OPEN} opens all"
    if not landlock.version():
        return f"{NONE}: this kernel has no Landlock"
    return f"landlock {landlock.version()}" + (f", open: {opened}" if opened else "")


def told(fence: Fence) -> Fence:
    """Return what processes of this host are told of a fence: no path that they could then read."""
    return Fence(hidden=fence.hidden) if level().startswith(NONE) else fence


@dataclass
class Rules:
    """The rules of one fence for the jobs of one job parent."""

    fence: Fence
    base: Path  # the folder of the supervisor
    own: Path  # the folder of the job parent
    _allowed: set[tuple[str, int]] = field(init=False, default_factory=set)
    _times: dict[str, int] = field(init=False, default_factory=dict)

    def descriptor(self) -> int:
        """Return the descriptor of the rules, with those for files that are new."""
        for folder in self._listed:
            with suppress(FileNotFoundError, PermissionError):  # nothing in it can be allowed
                self._allow_entries(folder)
        return self._rules

    @cached_property
    def _rules(self) -> int:
        """The rules that do not depend on what is in a folder."""
        change = 0 if self.fence.writes else landlock.changing()
        rules = landlock.ruleset(landlock.READ_FILE | change, alone=not self.fence.writes)
        for path in self._code - self._listed:
            landlock.allow(rules, path, landlock.READ_FILE)
        opened = os.environ.get(OPEN, "").split(os.pathsep)
        for path in (str(self.own), *_real((SHARED_MEMORY, *opened))):
            landlock.allow(rules, path, landlock.READ_FILE | change)
        if change:
            landlock.allow(rules, DEVICES, change & landlock.OF_FILES)
        return rules

    @cached_property
    def _closed(self) -> frozenset[str]:
        return frozenset(_resolved((*self.fence.closed, str(self.base))))  # also what comes later

    @cached_property
    def _code(self) -> frozenset[str]:
        return frozenset(_real((*self.fence.code, *sys.path, sys.prefix, sys.base_prefix)))

    @cached_property
    def _listed(self) -> frozenset[str]:
        """The folders whose entries are allowed one by one."""
        above = {path for closed in self._closed for path in _above(closed)}
        return frozenset(filter(self._is_around, above)) | (self._code & self._closed)

    def _is_around(self, path: str) -> bool:
        """Whether a folder is in no closed one, or in code that is in a closed one."""
        for folder in (path, *_above(path)):
            if folder in self._code or folder in self._closed:
                return folder in self._code
        return True

    def _allow_entries(self, folder: str) -> None:
        now = os.stat(folder).st_mtime_ns  # noqa: PTH116 - at each job, and Path takes longer
        if self._times.get(folder) == now:
            return
        with os.scandir(folder) as entries:
            for entry in entries:
                known = (entry.path, entry.inode())
                if known not in self._allowed and self._is_open(entry, folder in self._closed):
                    with suppress(FileNotFoundError):  # it has gone just now
                        landlock.allow(self._rules, entry.path, landlock.READ_FILE)
                        self._allowed.add(known)
        self._times[folder] = now

    def _is_open(self, entry: os.DirEntry[str], only_code: bool) -> bool:
        # What a link leads to is allowed or not as the file that it is.
        if entry.is_symlink() or entry.path in self._closed or entry.path in self._listed:
            return False
        if only_code and not entry.name.endswith(CODE):
            return _holds(entry, ("__init__.py",))
        return not entry.name.startswith(scratch.BEGIN) and not _holds(entry, self.fence.marks)


class Fences:
    """The rules of a job parent, for each fence that its jobs have; `own` is its folder."""

    def __init__(self, base: Path):
        self._base = base
        self._rules: dict[Fence, Rules] = {}
        self.own = base / f"of-{os.getpid()}"
        scratch.remove(self.own)  # of another process, which had this number and was killed
        self.own.mkdir()

    def rules(self, fence: Fence | None) -> int | None:
        """Return the descriptor of the rules for a job; None where nothing keeps it from files."""
        if fence is None or level().startswith(NONE):
            return None
        if fence not in self._rules:
            self._rules[fence] = Rules(fence, self._base, self.own)
        return self._rules[fence].descriptor()


def enter(fence: Fence, rules: int | None, temporary: Path) -> None:
    """Let this process and all that it starts stay within a fence; `temporary` is inside."""
    for name in fence.hidden:
        os.environ.pop(name, None)
    if rules is not None:
        landlock.enter(rules)
        # Numba refuses functions with `cache=True` where it finds no cache that it can write to.
        os.environ.setdefault("NUMBA_CACHE_DIR", str(temporary))


def hint(error: BaseException | None) -> str:
    """Return what to do about an error of a fenced process; empty if it is of another kind."""
    while error is not None:
        if isinstance(error, PermissionError):
            return f"; it may not read or write there: {OPEN} names folders where it may"
        error = error.__cause__ or error.__context__
    return ""


def _real(paths: Iterable[str]) -> Iterator[str]:
    """Yield the existing files and folders among paths, as `_resolved`."""
    return filter(os.path.exists, _resolved(paths))


def _resolved(paths: Iterable[str]) -> Iterator[str]:
    """Yield absolute paths without links, `~` and variables."""
    for path in paths:
        whole = os.path.expandvars(os.path.expanduser(path))  # noqa: PTH111 - Path has no expandvars
        if os.path.isabs(whole):  # noqa: PTH117
            yield os.path.realpath(whole)


def _above(path: str) -> Iterator[str]:
    return map(str, Path(path).parents)


def _holds(entry: os.DirEntry[str], names: Iterable[str]) -> bool:
    """Whether an entry is a folder with a file of one of these names."""
    return any(Path(entry.path, name).exists() for name in names)
