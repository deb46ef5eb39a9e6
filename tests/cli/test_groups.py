"""Dataclasses as options, and help by groups."""

from dataclasses import dataclass, field
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from aucbench.cli.groups import GroupedCommand, grouped
from aucbench.options import OptionGroup


@dataclass(frozen=True)
class Toys:
    """Toys.

    Attributes
    ----------
    size : float, optional
        Of a toy,
        in metres.
    kinds : tuple of str
        What they are; none means no toy.
    words : tuple of str
        Texts.
    """

    size: float | None = None
    kinds: tuple[str, ...] | str = field(default=(), metadata={"alone": ("none",)})
    words: tuple[str, ...] = field(default=(), metadata={"whole": True})
    hidden: int = 3


app = typer.Typer(rich_markup_mode=None)


@app.command(cls=GroupedCommand)
@grouped
def play(
    name: str,
    *,
    toys: Annotated[Toys, OptionGroup("Of toys", without=("hidden",), first=("size",))],
) -> None:
    typer.echo(f"{name} {toys}")


def ran(*arguments):
    ended = CliRunner().invoke(app, arguments)
    assert ended.exit_code == 0, ended.output
    return ended.output


@pytest.mark.parametrize(
    ("arguments", "toys"),
    [
        ("--size 2", Toys(size=2.0)),
        ("--kinds a,b --kinds c", Toys(kinds=("a", "b", "c"))),
        ("--kinds none,a", Toys(kinds=("none", "a"))),
        ("--words a,b --words c", Toys(words=("a,b", "c"))),
    ],
)
def test_a_command_gets_an_instance(arguments, toys):
    assert ran("me", *arguments.split()) == f"me {toys}\n"


def test_help_has_groups_and_what_the_docstring_says():
    said = ran("--help")
    options, toys = said.index("Options:"), said.index("Of toys:")
    assert options < said.index("--size <float>") < said.index("--help") < toys
    assert "Of a toy, in metres." in said
    assert toys < said.index("--kinds") < said.index("--words")
