"""The tables of the page on history, from what `make bench-history` has kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("data") / "history.json"
YARDSTICK = "Yardstick."  # code that is not ours
CHANGED = 1.3  # a smaller factor may be the machine's


@dataclass(frozen=True)
class Series:
    """Seconds of a benchmark at the commits that have it, the oldest first."""

    name: str
    commits: Sequence[dict[str, str]]
    seconds: Sequence[float]

    @property
    def change(self) -> float:
        """How many times as fast the last commit is as the first."""
        return self.seconds[0] / self.seconds[-1]

    @property
    def step(self) -> tuple[float, dict[str, str]]:
        """The largest change from one commit to the next, and the commit that has it."""
        steps = [a / b for a, b in zip(self.seconds, self.seconds[1:], strict=False)]
        at = max(range(len(steps)), key=lambda i: abs(log(steps[i])))
        return steps[at], self.commits[at + 1]

    @property
    def best(self) -> tuple[float, dict[str, str]]:
        """The least seconds, and their commit."""
        at = min(range(len(self.seconds)), key=self.seconds.__getitem__)
        return self.seconds[at], self.commits[at]


def series(document: dict[str, Any] | None = None) -> list[Series]:
    """Return the benchmarks that at least two commits have."""
    known = document or json.loads(FILE.read_text(encoding="utf-8"))
    found = []
    for name, seconds in known["seconds"].items():
        there = [i for i, value in enumerate(seconds) if value is not None]
        if len(there) > 1:
            commits = [known["commits"][i] for i in there]
            found.append(Series(name, commits, [seconds[i] for i in there]))
    return found


def states() -> Iterator[str]:
    """Yield the table of the commits, with the time of the yardsticks there."""
    known = json.loads(FILE.read_text(encoding="utf-8"))
    yards = {n: v for n, v in known["seconds"].items() if n.startswith(YARDSTICK)}
    names = [f"`{name.removeprefix(YARDSTICK)}`" for name in yards]
    yield f"| commit | date | its last change | benchmarks | {' | '.join(names)} |"
    yield "|---" * (4 + len(yards)) + "|"
    for i, commit in enumerate(known["commits"]):
        count = sum(v[i] is not None for v in known["seconds"].values())
        times = [duration(v[i]) for v in yards.values()]
        told = commit["subject"].replace("|", "\\|")
        cells = [f"`{commit['hash']}`", commit["date"], told, str(count), *times]
        yield f"| {' | '.join(cells)} |"


def changes() -> Iterator[str]:
    """Yield the table of all that changed, from the first commit that has it to the last."""
    yield "| benchmark | since | then | now | change | of it in one step |"
    yield "|---|---|---|---|---|---|"
    ours = [one for one in series() if not one.name.startswith(YARDSTICK)]
    for one in sorted(ours, key=lambda one: -abs(log(one.change))):
        if max(one.change, 1 / one.change) < CHANGED:
            continue
        step, commit = one.step
        yield (
            f"| `{one.name}` | `{one.commits[0]['hash']}` | {duration(one.seconds[0])} "
            f"| {duration(one.seconds[-1])} | {factor(one.change)} "
            f"| {factor(step)} at `{commit['hash']}` |"
        )


def slower() -> Iterator[str]:
    """Yield the table of what was faster once than it is now."""
    yield "| benchmark | best | at | now | now |"
    yield "|---|---|---|---|---|"
    for one in sorted(series(), key=lambda one: -one.seconds[-1] / one.best[0]):
        best, commit = one.best
        if one.seconds[-1] >= CHANGED * best and not one.name.startswith(YARDSTICK):
            yield (
                f"| `{one.name}` | {duration(best)} | `{commit['hash']}` "
                f"| {duration(one.seconds[-1])} | {factor(best / one.seconds[-1])} |"
            )


def factor(ratio: float) -> str:
    """Return a ratio of speeds in words."""
    return f"{ratio:.2g} × faster" if ratio >= 1.0 else f"{1 / ratio:.2g} × slower"


def duration(seconds: float | None) -> str:
    """Return seconds with two digits and a unit; nothing where there is no number."""
    if seconds is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    return f"{float(f'{seconds / 1e-6:.2g}'):g} µs"
