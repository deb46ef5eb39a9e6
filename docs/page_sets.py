"""The tables of data sets and suites, from the catalogue in the package."""

from __future__ import annotations

from collections.abc import Iterator

from aucbench.datasets import Entry, entries, suites

MOST_MEMBERS = 25  # of a suite, that the table names


def sets() -> Iterator[str]:
    """Yield the table of the sets."""
    yield "| set | what it is | rows | features | positive | which are positive | terms | files |"
    yield "|---|---|---|---|---|---|---|---|"
    for entry in entries().values():
        cells = (
            _linked(entry),
            entry.title,
            f"{entry.n:,}".replace(",", " "),
            f"{entry.d:,}".replace(",", " "),
            f"{entry.positives / entry.n:.1%}" if entry.positives else "",
            "; ".join([entry.why, *(f"without {name}: {why}" for name, why in entry.drop.items())]),
            entry.licence,
            _files(entry),
        )
        yield f"| {' | '.join(cells)} |"


def named_suites() -> Iterator[str]:
    """Yield the table of the suites."""
    yield "| suite | version | members |"
    yield "|---|---|---|"
    for suite in suites().values():
        members = ", ".join(f"`{member}`" for member in suite.members[:MOST_MEMBERS])
        if len(suite.members) > MOST_MEMBERS:
            members += f" and {len(suite.members) - MOST_MEMBERS} more"
        package = f" ({suite.package})" if suite.package else ""
        yield f"| `{suite}`: {suite.title}{package} | {suite.version} | {members} |"


def _linked(entry: Entry) -> str:
    return f"[`{entry.name}`]({entry.source})" if "://" in entry.source else f"`{entry.name}`"


def _files(entry: Entry) -> str:
    if not entry.in_files:
        return entry.kind
    if entry.lacking:
        return f"none: {entry.lacking}"
    return "download" if entry.size is None else f"download, {entry.size / 1e6:.2g} MB"
