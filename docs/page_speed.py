"""Make the tables of "How fast" from `docs/data/speed_*.json`, which two commands write.

`python -m benchmarks.peers` writes the parts kernels, objectives, curves and groups, and
`python -m benchmarks.bounds` the part bounds. A page asks for a table with `<!-- speed NAME -->`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

DATA = Path(__file__).with_name("data")
SHARE = 0.995  # of the best AUC
GROUPS = ("kernels", "passes", "pairs")
Row = dict[str, Any]


def read(part: str) -> dict[str, Any]:
    """Return a file of a run: its rows, the machine, and what was asked for."""
    return dict(json.loads((DATA / f"speed_{part}.json").read_text(encoding="utf-8")))


def rows(part: str) -> list[Row]:
    """Return the rows of a run."""
    return list(read(part)["rows"])


def span(seconds: float) -> str:
    """Return a time with two digits and its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.995 * size or unit == "µs":
            return f"{two(seconds / size)} {unit}"
    raise AssertionError


def two(value: float) -> str:
    """Return a number with two digits, and no exponent."""
    return grouped(round(float(f"{value:.2g}"))) if value >= 9.95 else f"{value:.2g}"


def times(ratio: float) -> str:
    """Return how many times as fast, or as slow."""
    return f"{two(ratio)} × faster" if ratio >= 1 else f"{two(1 / ratio)} × slower"


def of_kernels(group: str) -> Iterator[str]:
    """Yield a table of calls in turns."""
    yield "| what | time | against | its time | ratio | quartiles | memory |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows("kernels"):
        if row["group"] == group:
            middle, low, high = row["ratio"]
            cells = (
                *(row["what"], span(row["ours"]), row["peer"], span(row["theirs"])),
                *(times(middle), f"{two(low)} to {two(high)}", megabytes(row["megabytes"])),
            )
            yield f"| {' | '.join(cells)} |"


def megabytes(both: list[float | None]) -> str:
    """Return the memory of both sides."""
    return ", ".join("–" if each is None else f"{each:.0f}" for each in both) + " MB"


def of_objectives() -> Iterator[str]:
    """Yield the table of equal objectives."""
    yield "| data | λ | peer | its time | above the optimum | ours | its time | ratio | memory |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in rows("objectives"):
        name = f"{row['set']}, {grouped(row['n'])} × {grouped(row['d'])}"
        ours, theirs, ratio = ended(row)
        excess = "–" if row["excess"] is None else small(row["excess"])
        cells = (name, f"{row['lam']:.1g}", row["peer"], theirs, excess)
        cells = (*cells, f"`{row['solver']}`", ours, ratio, megabytes(row["megabytes"]))
        yield f"| {' | '.join(cells)} |"


def of_groups() -> Iterator[str]:
    """Yield the table of equal objectives over pairs within groups."""
    yield "| data | pairs | λ | its time | above the optimum | `rank-svm` | ratio |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows("groups"):
        if row["what"] == "objective":
            name = f"{row['set']}, {grouped(row['n'])} × {grouped(row['d'])}"
            ours, theirs, ratio = ended(row)
            excess = "–" if row["excess"] is None else small(row["excess"])
            cells = (name, grouped(row["pairs"]), f"{row['lam']:.1g}", theirs, excess, ours, ratio)
            yield f"| {' | '.join(cells)} |"


def of_grouped_auc() -> Iterator[str]:
    """Yield the table of the grouped AUC of test groups, and of seconds."""
    yield "| data | method | grouped AUC | CPU time of the fit |"
    yield "|---|---|---|---|"
    for row in rows("groups"):
        if row["what"] == "quality":
            name = row["method"] if " " in row["method"] else f"`{row['method']}`"
            yield f"| {row['set']} | {name} | {row['gauc']:.4f} | {span(row['seconds'])} |"


def small(share: float) -> str:
    """Return a small share with one digit; what rounding may hide is 0."""
    return "0" if share < 1e-9 else f"{share:.0e}".replace("e-0", "e-")


def ended(row: Row) -> tuple[str, str, str]:
    """Return the times of ours and theirs and their ratio; a time may be missing."""
    if row["theirs"] is None:
        return "–", "too long", "–"
    if row["ours"] is None:
        return "not reached", span(row["theirs"]), "–"
    return span(row["ours"]), span(row["theirs"]), times(row["theirs"] / row["ours"])


def grouped(n: int) -> str:
    """Return an integer with spaces between groups of three digits."""
    return f"{n:,}".replace(",", " ") if n >= 10_000 else str(n)


def of_bounds() -> Iterator[str]:
    """Yield the table of bounds."""
    yield "| kernel | time | bound | its time | share |"
    yield "|---|---|---|---|---|"
    for row in rows("bounds"):
        cells = (row["what"], span(row["time"]), row["bound"], span(row["least"]))
        yield f"| {' | '.join((*cells, percent(row['share'][0])))} |"


def percent(share: float) -> str:
    """Return a share in per cent, with two digits."""
    return f"{two(100 * share)} %"


def of_rates() -> Iterator[str]:
    """Yield what the machine does in one thread."""
    found = read("bounds")["rates"]
    yield f"| {' | '.join(found)} |"
    yield f"|{'---|' * len(found)}"
    yield f"| {' | '.join(two(value) for value in found.values())} |"


def of_levels(part: str = "levels") -> Iterator[str]:
    """Yield the table of levels of instructions and of sorts; a ratio is to the first column."""
    titles = list(rows(part)[0]["seconds"])
    yield f"| kernel | {' | '.join(titles)} |"
    yield f"|---|{'---|' * len(titles)}"
    for row in rows(part):
        found = list(row["seconds"].values())
        first = next(quartiles[1] for quartiles in found if quartiles)
        cells = (of_level(quartiles, first) for quartiles in found)
        yield f"| {row['kernel']} | {' | '.join(cells)} |"


def of_level(quartiles: list[float] | None, first: float) -> str:
    """Return median, spread, and how many times as fast as the first."""
    if quartiles is None:
        return "–"
    low, middle, high = quartiles
    return f"{span(middle)} ± {round(100 * (high - low) / middle)} %, {two(first / middle)} ×"


def of_threads() -> Iterator[str]:
    """Yield the table of one thread and two."""
    yield "| what | 1 thread | 2 threads | ratio | ratio of least times |"
    yield "|---|---|---|---|---|"
    for row in rows("threads"):
        (one, two_), (least, least_two) = row["median"], row["least"]
        ratios = (f"{two(one / two_)} ×", f"{two(least / least_two)} ×")
        yield f"| {' | '.join((row['what'], span(one), span(two_), *ratios))} |"


def of_published() -> Iterator[str]:
    """Yield our passes beside what was measured of the authors' code on a similar machine."""
    yield "| what | time | published code | ratio |"
    yield "|---|---|---|---|"
    for row, seconds in published():
        cells = (row["what"], span(row["time"]), span(seconds), times(seconds / row["time"]))
        yield f"| {' | '.join(cells)} |"


def published() -> list[tuple[Row, float]]:
    """Return the rows of the bounds of which a published program was measured, and its seconds."""
    named = {row["name"]: row for row in rows("bounds")}
    with (DATA / "speed_published.csv").open(encoding="utf-8", newline="") as file:
        told = {row["kernel"]: float(row["seconds"]) for row in csv.DictReader(file)}
    return [(named[name], seconds) for name, seconds in told.items() if name in named]


def soonest(linear: bool) -> dict[str, dict[str, tuple[float | None, float]]]:
    """Return for each set and method the seconds to the AUC that counts, and its best AUC.

    Seconds are None where it is never reached. Linear scores compete with linear scores; the
    others with all. A method that cannot run on a set is left out.
    """
    curves = rows("curves")
    found: dict[str, dict[str, tuple[float | None, float]]] = {row["set"]: {} for row in curves}
    for name, of in found.items():
        here = [row for row in curves if row["set"] == name and row["points"]]
        rivals = [row for row in here if row["linear"] or not linear]
        wanted = SHARE * max((best(row) for row in rivals), default=0.0)
        for row in here:
            if row["linear"] == linear:
                first = next((seconds for seconds, auc in row["points"] if auc >= wanted), None)
                of[row["method"]] = (first, best(row))
    return found


def best(row: Row) -> float:
    """Return the largest AUC of a curve."""
    return float(max(auc for _, auc in row["points"]))


def of_curves(linear: bool) -> Iterator[str]:
    """Yield the table of seconds to an AUC; the fastest of a set is bold."""
    found = soonest(linear)
    known = dict.fromkeys(row["method"] for row in rows("curves") if row["linear"] == linear)
    yield f"| method | {' | '.join(found)} |"
    yield f"|---|{'---|' * len(found)}"
    fastest = {
        name: min((s for s, _ in of.values() if s), default=None) for name, of in found.items()
    }
    for method in known:
        cells = []
        for name, of in found.items():
            seconds, reached = of.get(method, (None, None))
            if reached is None:
                cells.append("–")
            elif seconds is None:
                cells.append(f"({reached:.4f})")
            else:
                mark = "**" if seconds == fastest[name] else ""
                cells.append(f"{mark}{span(seconds)}{mark}")
        yield f"| {method} | {' | '.join(cells)} |"
    most = (f"{max((auc for _, auc in of.values()), default=0.0):.4f}" for of in found.values())
    yield f"| best AUC | {' | '.join(most)} |"


def of_losses() -> Iterator[str]:
    """Yield a line for each comparison that a peer wins."""
    lost = 0
    for row in rows("kernels"):
        if row["ratio"][0] < 1:
            lost += 1
            yield f"- {row['what']}: {times(row['ratio'][0])} than {row['peer']}."
    for row in rows("objectives"):
        if row["theirs"] is not None and (row["ours"] is None or row["theirs"] < row["ours"]):
            lost += 1
            how = ended(row)[2] if row["ours"] is not None else "never as low"
            where = f"`{row['solver']}` on {row['set']}, λ = {row['lam']:.1g}"
            yield f"- {where}: {how} than {row['peer']}."
    ours = {row["method"] for row in rows("curves") if row["ours"]}
    for linear, scores in ((True, "linear scores"), (False, "trees and kernels")):
        for name, of in soonest(linear).items():
            reached = {method: s for method, (s, _) in of.items() if s is not None}
            if reached and (first := min(reached, key=reached.__getitem__)) not in ours:
                lost += 1
                mine = min((s for method, s in reached.items() if method in ours), default=None)
                after = "none of ours reaches it" if mine is None else f"ours {span(mine)}"
                yield f"- {name}, {scores}: {first} is first, {span(reached[first])}; {after}."
    if not lost:
        yield "Nowhere, in these tables."


def conditions() -> Iterator[str]:
    """Yield where, when and with which versions all parts were measured."""
    loads: dict[str, list[float]] = {}
    for part in ("kernels", "objectives", "curves", "bounds", "levels", "builds", "threads"):
        run = read(part)
        loads.setdefault(_conditions(run), []).append(run["machine"]["load"])
    for line, found in loads.items():
        yield f"- {line} The load at the start was {min(found)} to {max(found)}."


def _conditions(run: dict[str, Any]) -> str:
    here = run["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in here["versions"].items())
    named = ", ".join(f"`{variable}`" for variable in run.get("programs", []))
    chosen = "".join(f" {name}={value}." for name, value in here["environment"].items())
    programs = f" Programs: {named}." if named else ""
    cores = f"{here['cores']} cores"
    return f"{run['date']}, {here['cpu']} ({here['simd']}), {cores}: {versions}.{programs}{chosen}"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "<!-- speed conditions -->": conditions,
    **{f"<!-- speed {group} -->": partial(of_kernels, group) for group in GROUPS},
    "<!-- speed objectives -->": of_objectives,
    "<!-- speed groups -->": of_groups,
    "<!-- speed grouped AUC -->": of_grouped_auc,
    "<!-- speed linear -->": partial(of_curves, True),
    "<!-- speed curved -->": partial(of_curves, False),
    "<!-- speed rates -->": of_rates,
    "<!-- speed bounds -->": of_bounds,
    "<!-- speed levels -->": of_levels,
    "<!-- speed builds -->": partial(of_levels, "builds"),
    "<!-- speed threads -->": of_threads,
    "<!-- speed published -->": of_published,
    "<!-- speed losses -->": of_losses,
}
