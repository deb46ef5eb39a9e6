"""`aucbench new`: write the package of a plugin."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from aucbench.bench.text import shown
from aucbench.cli.saying import say


def new(
    kind: Annotated[
        str,
        typer.Argument(
            help="solver, objective, projector, features, pairs, dataset, metric, or kernel: a "
            "solver with a compiled loop."
        ),
    ],
    name: Annotated[str, typer.Argument(help="Such as heavy-ball.")],
    *,
    into: Annotated[
        Path, typer.Option(help="The folder in which the folder aucbench-NAME is made.")
    ] = Path(),
) -> None:
    """Write a package with one plugin that works, its tests and its benchmarks, to be edited.

    Nothing is overwritten.
    """
    from aucbench.scaffold.package import new_package

    written = new_package(kind, name, into)
    say(f"{written.folder} has {len(written.files)} files:")
    for path in written.files:
        typer.echo(f"  {path}")
    typer.echo("\nNext:")
    for command in (f"cd {shlex.quote(str(written.folder))}", *written.commands):
        typer.echo(f"  {shown(command)}")
    typer.echo(f"\nThen edit {written.plugin}. README.md says more.")
