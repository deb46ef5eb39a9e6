"""Make the tables of "Exact pair losses" from `docs/data/losses_*.json`.

`python -m benchmarks.losses` writes the parts gradients, large and tables. A page asks for a table
with `<!-- losses NAME -->`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

from page_scale import power
from page_speed import grouped, span, two

DATA = Path(__file__).with_name("data")
FAMILIES = ("LightGBM", "XGBoost", "CatBoost", "network")
PARTS = ("gradients", "large", "tables")
WORDS = (
    "better",
    "probably better",
    "equivalent",
    "not distinguishable",
    "probably worse",
    "worse",
)
Row = dict[str, Any]


def read(part: str) -> dict[str, Any]:
    """Return a file of a run: its rows, and the machine."""
    return dict(json.loads((DATA / f"losses_{part}.json").read_text(encoding="utf-8")))


def rows(part: str) -> list[Row]:
    """Return the rows of a run."""
    return list(read(part)["rows"])


def percent(share: float) -> str:
    """Return a share in per cent, with two digits."""
    return f"{two(100 * share)} %"


def of_gradients() -> Iterator[str]:
    """Yield CPU time of value and gradient, and how many times that of our squared hinge."""
    found = {(row["who"], row["what"], row["pairs"], row["n"]): row for row in rows("gradients")}
    sizes = sorted({n for *_, n in found})
    yield f"| who | loss | pairs | {' | '.join(f'n = {shown(n)}' for n in sizes)} |"
    yield f"|---|---|---|{'---|' * len(sizes)}"
    for way in dict.fromkeys(key[:3] for key in found):
        cells = (_of_time(found.get((*way, n))) for n in sizes)
        yield f"| {' | '.join((*way, *cells))} |"


def shown(n: int) -> str:
    """Return a number of scores, as a power of ten where it is one."""
    return power(n) if n == 10 ** (len(str(n)) - 1) else str(n)


def _of_time(row: Row | None) -> str:
    return "–" if row is None else f"{span(row['seconds'])}, {two(row['ratio'][0])} ×"


def of_large() -> Iterator[str]:
    """Yield the AUC and the CPU time of 100 trees at many rows, by rows and share of positives."""
    found = {(row["method"], row["n"], row["share"]): row for row in rows("large")}
    cases = sorted({key[1:] for key in found}, key=lambda case: (-case[1], case[0]))
    heads = (f"{power(n)} rows, {percent(share)} positive" for n, share in cases)
    yield f"| method | {' | '.join(heads)} |"
    yield f"|---|{'---|' * len(cases)}"
    for method in dict.fromkeys(key[0] for key in found):
        cells = []
        for case in cases:
            row = found.get((method, *case))
            cells.append("–" if row is None else f"{row['auc']:.4f}, {span(row['seconds'])}")
        yield f"| {' | '.join((method, *cells))} |"


def of_family(family: str) -> Iterator[str]:
    """Yield the mean AUC of the methods of a family on each table; a star: it may be the best."""
    mine = [row for row in rows("tables") if row["family"] == family]
    found = {(row["set"], row["method"]): row for row in mine}
    methods = [*dict.fromkeys(row["method"] for row in mine)]
    yield f"| table | {' | '.join(short(method) for method in methods)} |"
    yield f"|---|{'---|' * len(methods)}"
    for name in dict.fromkeys(row["set"] for row in mine):
        cells = (_of_auc(found.get((name, method))) for method in methods)
        yield f"| {name} | {' | '.join(cells)} |"


def short(method: str) -> str:
    """Return a method without its family."""
    return method.partition(", ")[2]


def _of_auc(row: Row | None) -> str:
    if row is None:
        return "–"
    return f"{row['auc']['mean']:.4f}{' ★' if row['auc']['best'] else ''}"


def of_sets() -> Iterator[str]:
    """Yield the tables that were learnt from."""
    yield "| table | rows | features | positive |"
    yield "|---|---|---|---|"
    for name, row in {row["set"]: row for row in rows("tables")}.items():
        cells = (name, grouped(row["n"]), str(row["d"]), percent(row["share"]))
        yield f"| {' | '.join(cells)} |"


def of_words() -> Iterator[str]:
    """Yield for each method how it compares with the loss of rows of the same library."""
    found = rows("tables")
    yield "| method | AUC: mean difference | AUC: on how many tables | pAUC: mean difference | pAUC: on how many tables | CPU time |"  # noqa: E501
    yield "|---|---|---|---|---|---|"
    for method in dict.fromkeys(row["method"] for row in found):
        mine = [row for row in found if row["method"] == method]
        if all("word" not in row["auc"] for row in mine):  # it is the base
            continue
        cells = [method]
        for key in ("auc", "pauc"):
            cells += [f"{fmean(row[key]['less'] for row in mine):+.4f}"]
            cells += [counted(row[key]["word"] for row in mine)]
        yield f"| {' | '.join((*cells, f'{two(_cost(mine, found))} ×'))} |"


def counted(words: Iterable[str]) -> str:
    """Return how often each word was said, in the order from better to worse."""
    found = Counter(word.removesuffix(" yet") for word in words)
    return ", ".join(f"{found[word]} {word}" for word in WORDS if found[word])


def _cost(mine: list[Row], found: list[Row]) -> float:
    """Return the median of the CPU time divided by that of the base."""
    bases = {
        (row["family"], row["set"]): row["seconds"] for row in found if "word" not in row["auc"]
    }
    return median(row["seconds"] / bases[row["family"], row["set"]] for row in mine)


def conditions() -> Iterator[str]:
    """Yield where, when and with which versions the parts were measured."""
    for part in PARTS:
        run = read(part)
        here = run["machine"]
        versions = ", ".join(f"{name} {version}" for name, version in here["versions"].items())
        cores = f"{here['cores']} cores"
        yield (
            f"- {part}: {run['date']}, {here['cpu']}, {cores}, of which one is used; "
            f"the load at the start was at most {here['load']}; {versions}."
        )
    yield f"- The ratios of `gradients` scatter: {_scatter()}."


def _scatter() -> str:
    """Return the quartiles of the ratios beside their medians, at the median and at worst."""
    each = [max(high / mid, mid / low) - 1 for mid, low, high in _ratios()]
    return (
        f"a quartile is {percent(median(each))} from the median in the middle of the rows, and "
        f"{percent(max(each))} at worst"
    )


def _ratios() -> Iterator[tuple[float, float, float]]:
    for row in rows("gradients"):
        middle, low, high = row["ratio"]
        if low > 0:
            yield middle, low, high


def times(what: str, who: str = "aucbench") -> tuple[list[int], list[float]]:
    """Return numbers of scores, and the seconds of a way."""
    mine = [row for row in rows("gradients") if (row["who"], row["what"]) == (who, what)]
    return [row["n"] for row in mine], [row["seconds"] for row in mine]


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "<!-- losses conditions -->": conditions,
    "<!-- losses gradients -->": of_gradients,
    "<!-- losses large -->": of_large,
    "<!-- losses sets -->": of_sets,
    "<!-- losses words -->": of_words,
    **{f"<!-- losses {family} -->": partial(of_family, family) for family in FAMILIES},
}
