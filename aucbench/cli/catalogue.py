"""`aucbench list`, `show` and `plugins`: what exists and what it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.bench.text import aligned, shown
from aucbench.errors import PluginError, UnknownNameError
from aucbench.ranges import axis_text

if TYPE_CHECKING:
    from aucbench.registry import Description
    from aucbench.registry.lookup import Plugin

FOLDER = "AUCBENCH_DATA"


class Kind(StrEnum):
    """What `aucbench list` lists."""

    SOLVERS = "solvers"
    DATASETS = "datasets"
    OBJECTIVES = "objectives"
    PROJECTORS = "projectors"
    FEATURES = "features"
    PLUGINS = "plugins"


def list_names(kind: Annotated[Kind, typer.Argument(help="What to list.")]) -> None:
    """List what can be named, where it comes from, and its first line."""
    if kind is Kind.PLUGINS:
        list_plugins()
        return
    from aucbench import registry
    from aucbench.datasets.files import available, remark

    lines = [_line(kind, name) for name in registry.names(kind)]
    if kind is Kind.DATASETS:
        lines += [(name, FOLDER, remark(name)) for name in available()]
    typer.echo(aligned(lines))
    warn_of_broken_plugins()


def _line(kind: Kind, name: str) -> tuple[str, str, str]:
    """Name, distribution, and the first line of the docstring, or why it cannot be used."""
    from aucbench import registry
    from aucbench.registry.lookup import lookup

    try:
        d = registry.describe(kind, name)
    except PluginError as error:
        claim = lookup(kind, name)
        return name, claim.entry.distribution if claim else "", str(error)
    return name, d.distribution, d.missing or d.doc.partition("\n")[0]


def show(name: Annotated[str, typer.Argument(help="Such as sht-auc.")]) -> None:
    """Show parameters, defaults, grid, docstring and origin of whatever has this name."""
    from aucbench import registry
    from aucbench.datasets.files import available, remark
    from aucbench.registry.discovery import KINDS
    from aucbench.registry.lookup import lookup

    pages = [_page(registry.describe(kind, name)) for kind in KINDS if lookup(kind, name)]
    if not pages and name in available():
        pages = [iter([f"{name}: file of {FOLDER}", remark(name)])]
    if not pages:
        known = {known for kind in KINDS for known in registry.names(kind)}
        raise UnknownNameError("name", name, known | {*available()})
    typer.echo("\n\n".join("\n".join(map(shown, page)).rstrip() for page in pages))
    warn_of_broken_plugins()


def list_plugins(
    *,
    doctor: Annotated[
        bool, typer.Option("--doctor", help="Import each one in a process of its own.")
    ] = False,
) -> None:
    """List the installed plugins; they are imported only with --doctor."""
    typer.echo(aligned(_checked() if doctor else _installed()))


def warn_of_broken_plugins() -> None:
    """One line on stderr for each plugin whose import has failed in this process."""
    from aucbench.registry.lookup import plugins

    for plugin in plugins():
        if plugin.failure:
            named = f"{plugin.distribution}:{plugin.name}"
            typer.echo(shown(f"warning: the plugin {named} is broken: {plugin.failure}"), err=True)


def _checked() -> Sequence[Sequence[str]]:
    from aucbench.bench.doctor import check_plugins

    header = ("plugin", "distribution", "version", "status", "seconds", "registers")
    found = check_plugins()
    return [header] + [
        (
            c.name,
            c.distribution,
            c.version,
            c.status,
            f"{c.seconds:.2f}",
            _all(c.registers, c.reason),
        )
        for c in found
    ]


def _installed() -> Sequence[Sequence[str]]:
    from aucbench.registry.lookup import plugins

    header = ("plugin", "distribution", "version", "module", "state", "conflicts")
    found = plugins()
    return [header] + [
        (p.name, p.distribution, p.version, p.value, _state(p), _all(p.conflicts, p.failure))
        for p in found
    ]


def _all(phrases: tuple[str, ...], trouble: str | None) -> str:
    return ", ".join([*phrases, trouble] if trouble else phrases)


def _state(plugin: Plugin) -> str:
    if not plugin.enabled:
        return "switched off"
    if plugin.failure:
        return "broken"
    return "built-in" if plugin.builtin else "third party"


def _page(d: Description) -> Iterator[str]:
    kind = d.kind.removesuffix("s")
    yield f"{d.name}: {kind} of {d.distribution} {d.version} (plugin {d.plugin})"
    yield ""
    yield from d.doc.splitlines()
    yield ""
    if d.missing:
        yield from (d.missing, "")
    yield "Defaults" if d.parameters else "No parameters"
    for p in d.parameters:
        default = "required" if p.required else f"= {p.default!r}"
        yield f"  {p.name}: {p.type or 'any'} {default}"
    parts = [d.space] if isinstance(d.space, Mapping) else d.space
    for number, part in enumerate(parts, 1):
        if part:
            yield "Grid" if len(parts) == 1 else f"Grid {number} of {len(parts)}"
        for name, axis in part.items():
            yield f"  {name}: {axis_text(axis)}"
    if d.needs is not None:
        given = [f"--{option}" for option in ("objective", "projector") if getattr(d.needs, option)]
        yield f"Honours {' and '.join(given) or 'neither --objective nor --projector'}"
        errors_too = getattr(d.needs, "breakpoints", False)
        targets = "labels and error functions" if errors_too else "labels"
        weighted = " with weights of rows" if getattr(d.needs, "weights", False) else ""
        yield f"Learns from {targets}{weighted}"
