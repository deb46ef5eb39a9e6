"""`aucbench data`: the data sets that are known by name, and where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aucbench.cli.messages import format_columns, say
from aucbench.errors import UnknownNameError

if TYPE_CHECKING:
    from aucbench.datasets.catalogue import Entry
    from aucbench.datasets.collections import Source

LISTED = 25  # members, columns or labels that are shown; --json has all
UNSAID = ("raw", "labels")  # fields of an entry that `info` says otherwise, or not
AsJson = Annotated[bool, typer.Option("--json", help="One document for programs.")]

data = typer.Typer(
    help="The data sets that are known by name: list and fetch them.",
    no_args_is_help=True,
    add_completion=False,
)


@data.command("list")
def list_sets(*, json: AsJson = False) -> None:
    """List the sets, where they are, their shape and the share of positives; then the suites."""
    from aucbench.datasets.catalogue import suites
    from aucbench.datasets.collections import SOURCES

    rows, known_suites = [*_rows()], suites().values()
    if json:
        print_json(
            {
                "sets": rows,
                "collections": [_of_collection(one) for one in SOURCES],
                "suites": [asdict(suite) for suite in known_suites],
            }
        )
        return
    header = ("name", "where", "rows", "features", "positive", "what it is")
    lines = [
        (row["name"], _where(row), *map(_number, (row["n"], row["d"])), _share(row), row["title"])
        for row in rows
    ]
    typer.echo(format_columns([header, *lines]))
    typer.echo("\ncollections")
    typer.echo(format_columns([(f"{one.PREFIX}:NAME", one.TITLE) for one in SOURCES], "  "))
    typer.echo("\nsuites")
    told = [
        (str(s), f"version {s.version}", f"{s.title}: {_some(s.members)}") for s in known_suites
    ]
    typer.echo(format_columns(told, "  "))


@data.command("fetch")
def fetch(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names, or suite:NAME.")],
) -> None:
    """Download sets into the user's cache, unless they are in AUCBENCH_DATA or in the cache."""
    from aucbench.datasets.catalogue import entries, expanded, names_like
    from aucbench.datasets.collections import member_of
    from aucbench.datasets.located import available, bring, place_of
    from aucbench.registry.specs import parse_spec

    wanted = [*dict.fromkeys(parse_spec(spec).name for spec in expanded(names))]
    for name in wanted:
        if member_of(name) is None and name not in {*entries(), *available()}:
            raise UnknownNameError("data set", name, {*available(), *names_like(name)})
    brought = bring(wanted, progress=True)
    for name in wanted:
        where = f" ({place_of(name)})" if member_of(name) is None else ""
        what = "downloaded" if name in brought else f"is here already{where}"
        say(f"{name}: {what}")


def facts_of(name: str) -> dict[str, Any]:
    """Return what is known of a set, a set of a collection, or a suite; nothing of another name."""
    from aucbench.datasets.catalogue import entries, entry_of, suite_of
    from aucbench.datasets.collections import member_of
    from aucbench.datasets.located import available

    if (suite := suite_of(name)) is not None:
        return {key: value for key, value in asdict(suite).items() if value}
    if (member := member_of(name)) is not None:
        return {"name": name, "at_hand": member.source.at_hand(member.name)} | _of_collection(
            member.source
        )
    return _of_entry(entry_of(name)) if name in {*entries(), *available()} else {}


def lines_of(facts: Mapping[str, Any]) -> str:
    """Return what is known of a set as lines of text."""
    return format_columns(
        _once([(key, line) for key, own in facts.items() for line in _lines(key, own)])
    )


def _rows() -> Iterator[dict[str, Any]]:
    """Yield what `list` says of each set: those of the catalogue, then others of the folder."""
    from aucbench.datasets.catalogue import entries, entry_of
    from aucbench.datasets.located import available, place_of, remark

    others = [name for name in available() if name not in entries()]
    for name in (*entries(), *others):
        entry = entry_of(name)
        yield {
            "name": name,
            "place": str(place_of(name)),
            "kind": entry.kind if entry.title else None,
            "n": entry.n or None,
            "d": entry.d or None,
            "positives": entry.positives,
            "bytes": entry.size,
            "title": entry.title or remark(name) or "a file that the catalogue does not know",
        }


def _of_entry(entry: Entry) -> dict[str, Any]:
    """Return what is known of a set, without what is empty."""
    from aucbench.datasets.located import columns_of, place_of, remark

    told: dict[str, Any] = {"name": entry.name, "place": str(place_of(entry.name))}
    if entry.title:
        told |= {key: value for key, value in asdict(entry).items() if key not in UNSAID}
        told["counts"] = _counts(entry)
        told["positives"] = entry.positives
    else:
        told["note"] = remark(entry.name) or "the catalogue does not know it"
    told["columns"] = columns_of(entry.name)
    return {key: value for key, value in told.items() if value}


def _counts(entry: Entry) -> dict[str, int]:
    """Return how many rows each class has, or how many errors are possible."""
    labels = ("false positives", "false negatives") if entry.kind == "changepoint" else entry.labels
    return {str(label): n for label, n in zip(labels, entry.counts, strict=False)}


def _of_collection(source: Source) -> dict[str, Any]:
    """Return what is known of a collection."""
    return {
        "collection": source.PREFIX,
        "title": source.TITLE,
        "address": source.ADDRESS,
        "cites": source.CITES,
    }


def _lines(key: str, value: Any) -> Iterator[str]:
    """Yield the lines that say a value."""
    if isinstance(value, Mapping):
        yield "; ".join(f"{name}: {held}" for name, held in value.items())
    elif key == "files":
        for file in value:
            size = "size unknown" if file["size"] is None else _size(file["size"])
            yield f"{file['name']} ({size}), sha256 {file['sha256']}, {' or '.join(file['urls'])}"
    elif isinstance(value, tuple | list):
        yield _some(value)
    elif key == "auc":
        yield f"{value}, the mean test AUC of LogisticRegression after max-abs scaling, in 5 folds"
    else:
        yield str(value)


def _some(values: Sequence[Any]) -> str:
    more = f" and {len(values) - LISTED} more" if len(values) > LISTED else ""
    return f"{', '.join(map(str, values[:LISTED]))}{more}"


def _once(lines: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    before = None
    for key, line in lines:
        yield "" if key == before else key, line
        before = key


def _where(row: Mapping[str, Any]) -> str:
    size = row["bytes"] if row["place"] == "download" else None
    return f"{row['place']} {_size(size)}" if size else str(row["place"])


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _share(row: Mapping[str, Any]) -> str:
    return f"{row['positives'] / row['n']:.1%}" if row["positives"] else ""


def print_json(document: Any) -> None:
    """Print a document for programs."""
    import json

    typer.echo(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False))
