"""The tables of kinds of pairs, and of the solvers that train on them, from the registry."""

from __future__ import annotations

from collections.abc import Iterator

from aucbench.registry import Description, described, get_pairs

COLUMNS = ("group", "range", "order")


def kinds() -> Iterator[str]:
    """Yield a line for each kind of pairs: what it is, and what judges it."""
    yield "| `--pairs` | kind | which pairs | default measure |"
    yield "|---|---|---|---|"
    for known in described("pairs"):
        pairs = get_pairs(known.name)
        what = known.purpose or known.doc.partition("\n")[0]
        yield f"| `{known.name}` | {pairs.kind} | {what} | `{pairs.measure}` |"


def solvers() -> Iterator[str]:
    """Yield a line for each solver: the kinds that it trains on."""
    yield "| solver | group | range | order | classes |"
    yield "|---|---|---|---|---|"
    for known in described("solvers"):
        if known.needs is not None:
            yield f"| `{known.name}` | {' | '.join([*_own(known), _classes(known)])} |"


def _own(known: Description) -> Iterator[str]:
    return ("yes" if f"{kind}-pairs" in _capabilities(known) else "" for kind in COLUMNS)


def _classes(known: Description) -> str:
    even = {"weights", "class-pairs"}.intersection(_capabilities(known))
    return "Hand–Till" if even else "one-vs-rest"


def _capabilities(known: Description) -> list[str]:
    return known.needs["capabilities"] if known.needs else []
