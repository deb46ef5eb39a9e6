"""`aucbench new` and `check`: write a solver, and hold plugins to the laws of their kind."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.cli.messages import format_columns, say
from aucbench.errors import shown

if TYPE_CHECKING:
    from aucbench.records import Finding

SHOWN = ("BROKEN", "warning", "expected")  # verdicts with a line for each cause
WORDS = {
    "holds": "hold",
    "BROKEN": "broken",
    "warning": "warned of",
    "expected": "expected",
    "not asked": "not asked",
}


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


def list_laws(wanted: bool) -> None:
    """Print the laws of each kind with a sentence each, and end."""
    if not wanted:
        return
    from aucbench.testing import LAWS

    for kind, laws in LAWS.items():
        typer.echo(f"{kind}:")
        typer.echo(format_columns([(law.name, law.sentence) for law in laws], "  "))
    raise typer.Exit


def check(
    targets: Annotated[
        list[str],
        typer.Argument(
            help="name[k=3], distribution:name, module:Class[k=3], file.py or file.py:Class."
        ),
    ],
    *,
    law: Annotated[
        list[str] | None,
        typer.Option(
            help="Ask only this law; may be given several times. 'ranks on 2000 x 50' asks it on "
            "other rows."
        ),
    ] = None,
    thorough: Annotated[
        bool,
        typer.Option("--thorough", help="Ask on larger rows too, which are drawn anew each time."),
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(
            help="Seconds after which the process of a plugin is killed; with --thorough ten times "
            "as many."
        ),
    ] = 120.0,
    laws: Annotated[
        bool,
        typer.Option(
            "--laws", callback=list_laws, is_eager=True, help="List all laws, and check nothing."
        ),
    ] = False,
) -> None:
    """Hold plugins to the laws of their kind, in processes of their own; exit 1 if one is broken.

    So are losses for torch, and those that are functions of scores and labels.
    Laws that hold or are not asked are only counted, unless they say what they found.
    """
    from aucbench.bench.lawful import check_targets
    from aucbench.records import Verdict
    from aucbench.testing.asking import require_laws

    some = tuple(law or ())
    require_laws(some)
    broken = False
    findings = check_targets(targets, some, thorough=thorough, timeout=timeout)
    for _, of_one in groupby(findings, lambda one: (one.kind, one.thing, one.extent)):
        found = list(of_one)
        broken |= any(finding.verdict is Verdict.BROKEN for finding in found)
        for line in _lines(found):
            say(line)
    if broken:
        raise typer.Exit(1)


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield what came out of the laws of one thing on some rows, the worst first."""
    from aucbench.testing.laws import causes

    first, found = findings[0], causes(findings)
    counts: Counter[str] = Counter()
    for cause in found:
        counts[cause.verdict.value] += len(cause.laws)
    told = ", ".join(f"{count} {WORDS[verdict]}" for verdict, count in counts.items())
    on = f" on {first.extent}" if first.extent else ""
    yield f"{first.thing} ({first.kind}){on}: {told}"
    for cause in found:
        has_finding = cause.reason and cause.verdict.value == "holds"
        if has_finding or cause.verdict.value in SHOWN:
            yield f"  {cause.verdict.value:<9}{', '.join(cause.laws)}: {cause.reason}"
