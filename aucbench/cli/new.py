"""`aucbench new`: write the package of a solver."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from aucbench.bench.text import shown
from aucbench.cli.saying import say


def new(
    name: Annotated[str, typer.Argument(help="Such as heavy-ball.")],
    *,
    kernel: Annotated[
        bool, typer.Option("--kernel", help="Write a solver with a loop compiled by Cython.")
    ] = False,
    into: Annotated[
        Path, typer.Option(help="Folder in which the folder aucbench-NAME is made.")
    ] = Path(),
) -> None:
    """Write a package with one solver that works, and its tests, to be edited.

    Nothing is overwritten. `aucbench guide` has a plugin of each other kind.
    """
    from aucbench.testing.scaffold import new_package

    written = new_package(name, into, kernel=kernel)
    say(f"{written.folder} has {len(written.files)} files:")
    for path in written.files:
        typer.echo(f"  {path}")
    typer.echo("\nNext:")
    for command in (f"cd {shlex.quote(str(written.folder))}", *written.commands):
        typer.echo(f"  {shown(command)}")
    typer.echo(f"\nThen edit {written.plugin}. README.md says more.")
