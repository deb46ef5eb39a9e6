"""`aucbench new` and `check`: write a solver, and hold plugins to the laws of their kind."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.cli.messages import say
from aucbench.errors import shown

if TYPE_CHECKING:
    from aucbench.records import Finding

VERDICT = "not asked"  # the longest word
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


def check(
    targets: Annotated[
        list[str],
        typer.Argument(
            help="name[k=3], distribution:name, module:Class, file.py or file.py:Class."
        ),
    ],
    *,
    law: Annotated[
        list[str] | None, typer.Option(help="Ask only this law; may be given several times.")
    ] = None,
    thorough: Annotated[
        bool,
        typer.Option("--thorough", help="Ask on 2000 x 50 and 300 x 3000 rows too."),
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(
            help="Seconds after which the process of a plugin is killed; with --thorough ten times "
            "as many."
        ),
    ] = 120.0,
) -> None:
    """Hold plugins to the laws of their kind, in processes of their own; exit 1 if one is broken.

    The laws are on the page "Test a plugin" of the documentation.
    """
    from aucbench.bench.lawful import check_targets
    from aucbench.records import Verdict
    from aucbench.testing.asking import require_laws

    laws = tuple(law or ())
    require_laws(laws)
    findings = check_targets(targets, laws, thorough=thorough, timeout=timeout)
    broken = set[str]()
    for line, finding in _lines(findings):
        typer.echo(line)
        if finding is not None and finding.verdict is Verdict.BROKEN:
            broken.add(finding.law)
    if broken:
        raise typer.Exit(1)


def _lines(findings: Iterable[Finding]) -> Iterator[tuple[str, Finding | None]]:
    """Yield the lines of one table for each thing as they are known, and what came out of it."""
    before: list[Finding] = []
    for finding in findings:
        if not before or _title(before[0]) != _title(finding):
            if before:
                yield f"{_summed(before)}\n", None
            before = []
            yield f"{finding.thing}{finding.extent and f' on {finding.extent}'}", None
            yield _row(finding.kind, f"law of {finding.kind}", "verdict", "seconds", "reason"), None
        before.append(finding)
        cells = (finding.law, finding.verdict.value, f"{finding.seconds:.2f}", finding.reason)
        yield _row(finding.kind, *cells), finding
    if before:
        yield _summed(before), None


def _summed(findings: Iterable[Finding]) -> str:
    """Return how many laws hold, are broken, and so on, in one line."""
    verdicts = [f.verdict.value for f in findings]
    counts = {word: verdicts.count(word) for word in WORDS}
    return ", ".join(f"{count} {WORDS[word]}" for word, count in counts.items() if count)


def _title(finding: Finding) -> tuple[str, str, str]:
    return finding.kind, finding.thing, finding.extent


def _row(kind: str, *cells: str) -> str:
    """Return a row as wide as the longest row of its table can be."""
    from aucbench.report.grid import align_columns
    from aucbench.testing import LAWS

    names = [law.name for law in LAWS.get(kind, ())]
    widest = max([f"law of {kind}", *names], key=len)
    return align_columns([(widest, VERDICT, "seconds", ""), cells], right={2}).splitlines()[1]
