"""`aucbench list`, `show` and `plugins`: what exists and what it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from itertools import groupby
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.cli.messages import format_columns, line_width, say, warn, wrapped
from aucbench.errors import UnknownNameError, shown

if TYPE_CHECKING:
    from aucbench.registry import Description
    from aucbench.registry.discovery import PluginEntry

FOLDER = "AUCBENCH_DATA"
WIDEST = 80  # characters of a heading
MARKS = "s: sparse weights  c: certified gap  r: row by row, from streams  w: weights of rows"


class Kind(StrEnum):
    """What `aucbench list` lists."""

    SOLVERS = "solvers"
    DATASETS = "datasets"
    OBJECTIVES = "objectives"
    PROJECTORS = "projectors"
    FEATURES = "features"
    PAIRS = "pairs"
    METRICS = "metrics"


def list_names(
    kind: Annotated[
        Kind | None, typer.Argument(help="Kind to list. [default: all kinds, in short]")
    ] = None,
    *,
    json: Annotated[
        bool, typer.Option("--json", help="One document for programs, with all that is known.")
    ] = False,
) -> None:
    """List what can be named: what it is for, and where it comes from."""
    if json:
        from aucbench.cli.data import print_json
        from aucbench.registry.describing import document

        found = document()
        known = [one for one in found["plugins"] if kind in (None, one["kind"])]
        print_json({**found, "plugins": known})
        warn_of_broken_plugins()
        return
    typer.echo("\n".join(_all_kinds() if kind is None else _lines_of(kind)))
    if broken := [(e.name, e.distribution, f"broken: {why}") for e, why in _broken()]:
        typer.echo(f"\nplugins without an answer\n{format_columns(broken, '  ')}")


def _all_kinds() -> Iterator[str]:
    """Yield the lines of a list of everything that is registered."""
    from aucbench import registry
    from aucbench.registry.discovery import KINDS

    known = [d for kind in KINDS for d in registry.described(kind)]
    yield format_columns([(d.kind, d.name, d.distribution, _purpose(d)) for d in known])


def _lines_of(kind: Kind) -> Iterator[str]:
    """Yield the lines of a list of one kind."""
    from aucbench import registry
    from aucbench.datasets.located import available, remark

    known = registry.described(kind)
    if kind is Kind.SOLVERS:
        yield from _by_family(known)
        return
    lines = [(d.name, d.distribution, _purpose(d)) for d in known]
    if kind is Kind.DATASETS:
        lines += [(name, FOLDER, remark(name)) for name in available()]
    yield format_columns(lines) if lines else f"no plugin registers {kind.replace('_', ' ')}"


def show(
    name: Annotated[
        str, typer.Argument(help="Such as sht-auc, ./mine.py:Class, ijcnn1 or suite:spdam.")
    ],
    *,
    json: Annotated[bool, typer.Option("--json", help="One document for programs.")] = False,
) -> None:
    """Show all that is known of whatever has this name.

    Of a plugin: parameters, defaults, grid, docstring and origin. Of a data set: shape, labels,
    files, licence and place.
    """
    from aucbench.cli.data import facts_of, lines_of, print_json
    from aucbench.datasets.catalogue import names_like
    from aucbench.datasets.located import available
    from aucbench.registry.describing import descriptions_of
    from aucbench.registry.discovery import KINDS
    from aucbench.registry.lookup import suggested_names

    things, facts = [*descriptions_of(name)], facts_of(name)
    if not things and not facts:
        known = {known for kind in KINDS for known in suggested_names(kind)}
        raise UnknownNameError("name", name, known | {*available(), *names_like(name)})
    if json:
        print_json({"plugins": [asdict(thing) for thing in things], "data": facts})
    else:
        pages = ["\n".join(map(shown, _page(thing))).rstrip() for thing in things]
        typer.echo("\n\n".join([*pages, *([lines_of(facts)] if facts else [])]))
    warn_of_broken_plugins()


def cite(
    folder: Annotated[Path, typer.Argument(metavar="RESULTS", help="A results folder.")],
) -> None:
    """Print the BibTeX of all solvers and data sets of a results folder, and of aucbench."""
    from aucbench.bench.citations import citations_of
    from aucbench.bench.results.store import Store

    citations = citations_of(record.cell for record in Store(folder).records())
    entries = ("\n".join(map(shown, entry.splitlines())) for entry in citations.entries)
    typer.echo("\n\n".join(entries))
    for phrase in citations.missing:
        say(f"no reference is known of the {phrase}", err=True)
    warn_of_broken_plugins()


def guide() -> None:
    """Print how to write a plugin, from the contract to the package."""
    from importlib.resources import files

    typer.echo((files("aucbench") / "guide.md").read_text(encoding="utf-8"), nl=False)


def list_plugins(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Plugins to check. [default: third parties']"),
    ] = None,
    *,
    check: Annotated[
        bool,
        typer.Option("--check", help="Find too what their imports change for all other code."),
    ] = False,
) -> None:
    """Import plugins, each in a process of its own; exit 1 if one is broken.

    It prints the versions too that a report of a fault needs.
    """
    from aucbench.bench.versions import versions
    from aucbench.registry.isolated_imports import import_plugins
    from aucbench.report.grid import align_columns

    typer.echo(format_columns([(name, shown(text)) for name, text in versions()]))
    imported = import_plugins(names or None, watched=check)
    header = ("plugin", "distribution", "version", "import", "seconds", "reason")
    rows = [
        (e.name, e.distribution, e.version, one.ending, f"{one.seconds:.2f}", one.failure or "")
        for e, one in imported.items()
    ]
    if rows:
        typer.echo(f"\n{align_columns([header, *rows], right={4})}")
    else:
        typer.echo("\nno plugin of a third party is installed; name one to check it")
    if any(one.ending != "ok" for one in imported.values()):
        raise typer.Exit(1)


def warn_of_broken_plugins() -> None:
    """One line on stderr for each plugin whose import has failed."""
    for entry, failure in _broken():
        warn(f"the plugin {entry.qualified} is broken: {failure}")


def _broken() -> list[tuple[PluginEntry, str]]:
    """Return the plugins whose import was tried and has failed, and why."""
    from aucbench.registry.discovery import is_enabled
    from aucbench.registry.lookup import broken_plugins

    return [(entry, why) for entry, why in broken_plugins().items() if is_enabled(entry)]


def _purpose(d: Description) -> str:
    return d.missing or d.purpose or d.doc.partition("\n")[0]


def _by_family(solvers: Sequence[Description]) -> Iterator[str]:
    """Yield the lines of a list of solvers, those of aucbench first."""
    for heading, group in groupby(sorted(solvers, key=_place), key=_heading):
        yield from wrapped(heading, min(line_width(), WIDEST))
        yield format_columns([(d.name, _marks(d), _purpose(d)) for d in group], "  ")
        yield ""
    yield from wrapped(MARKS, min(line_width(), WIDEST))


def _place(d: Description) -> tuple[bool, str, str, str]:
    from aucbench.hookspecs import PROJECT

    return d.distribution != PROJECT, d.distribution, d.family, d.name


def _heading(d: Description) -> str:
    origin = f"{d.distribution} {d.version}, {d.licence or 'no licence is stated'}"
    return shown(f"{d.family}: {origin}" if d.family else origin)


def _marks(d: Description) -> str:
    told = {
        "s": d.sparse,
        "c": d.certified,
        "r": d.streaming,
        "w": "weights" in (d.needs or {}).get("capabilities", ()),
    }
    return "".join(mark if holds else "-" for mark, holds in told.items())


def _page(d: Description) -> Iterator[str]:
    kind = d.kind if d.kind == "pairs" else d.kind.removesuffix("s").replace("_", " ")
    yield f"{d.name}: {kind} of {d.distribution} {d.version} (plugin {d.plugin})"
    yield ""
    if d.purpose:
        yield from (f"For: {d.purpose}", "")
    yield from d.doc.splitlines()
    yield ""
    if d.missing:
        yield from (d.missing, "")
    yield "Defaults" if d.parameters else "No parameters"
    for p in d.parameters:
        default = "required" if p.required else f"= {p.shown}"
        yield f"  {p.name}: {p.type or 'any'} {default}"
    for number, grid in enumerate(d.space, 1):
        yield "Grid" if len(d.space) == 1 else f"Grid {number} of {len(d.space)}"
        for name, axis in grid.items():
            yield f"  {name}: {axis['text']}"
    if d.metric is not None:
        better = "greater" if d.metric["greater_is_better"] else "smaller"
        low, high = (d.metric[name] for name in ("low", "high"))
        low, high = (-inf if low is None else low), (inf if high is None else high)
        yield f"A {better} value is better; values are in [{low:g}, {high:g}]"
        yield f"Takes {'weights' if d.metric['weights'] else 'no weights'} of rows"
    if d.pairs:
        yield f"Kind {', judged by '.join(d.pairs.values())}"
    if d.needs is not None:
        from aucbench.contract import CAPABILITIES

        for capability in d.needs["capabilities"]:
            yield f"{capability}: {CAPABILITIES[capability]}"
