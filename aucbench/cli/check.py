"""`aucbench check`: hold plugins to the laws of their kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.bench.text import aligned

if TYPE_CHECKING:
    from aucbench.testing import Finding


def check(
    targets: Annotated[
        list[str],
        typer.Argument(help="name[k=3], distribution:name, module:Class, file.py or file.py:Class"),
    ],
    *,
    timeout: Annotated[
        float, typer.Option(help="Seconds after which the process of a plugin is killed.")
    ] = 120.0,
) -> None:
    """Hold plugins to the laws of their kind, in processes of their own; exit 1 if one is broken.

    The laws are on the page "Test a plugin" of the documentation.
    """
    from aucbench.bench.lawful import check_targets
    from aucbench.testing import Verdict

    found = check_targets(targets, timeout=timeout)
    typer.echo("\n\n".join(_tables(found)))
    if any(f.verdict is Verdict.BROKEN for f in found):
        raise typer.Exit(1)


def _tables(found: tuple[Finding, ...]) -> Iterator[str]:
    """One table for each thing, and what came out in one line."""
    from aucbench.bench.lawful import summed

    for kind, thing in dict.fromkeys((f.kind, f.thing) for f in found):
        mine = [f for f in found if (f.kind, f.thing) == (kind, thing)]
        header = (f"law of {kind}", "verdict", "seconds", "reason")
        rows = [(f.law, f.verdict.value, f"{f.seconds:.2f}", f.reason) for f in mine]
        yield f"{thing}\n" + aligned([header, *rows], right={2}) + f"\n{summed(mine)}"
