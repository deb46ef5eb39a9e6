"""`aucbench submit` and `merge`: results that several people computed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.cli.saying import say

if TYPE_CHECKING:
    from aucbench.bench.joining.merging import Merged
    from aucbench.bench.joining.submitting import Submission


def submit(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A results folder whose run has ended.")
    ],
    *,
    solver: Annotated[
        list[str],
        typer.Option(help="As tables name it; without parameters, all its variants; repeatable."),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write, new or empty.")],
    name: Annotated[
        str | None, typer.Option(help="What to call it. [default: that of the solver]")
    ] = None,
    by: Annotated[str, typer.Option(help="Who has run it, as others may read it.")] = "",
) -> None:
    """Write the cells of a solver as a small folder, for others to merge: no rows, no labels."""
    from aucbench.bench import submit as write

    for line in _submitted(write(results, solver, out, name=name, by=by)):
        say(line)


def merge(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULTS...", help="Results folders; the first one says the protocol."
        ),
    ],
    *,
    out: Annotated[
        Path, typer.Option(help="A folder that is new or empty; or the first one, which grows.")
    ],
    own: Annotated[
        list[Path] | None,
        typer.Option(
            help="A run of your own: a cell that another folder has too is verified where the "
            "scores are the same; repeatable."
        ),
    ] = None,
) -> None:
    """Join results folders; refuse other data, another protocol, and altered numbers."""
    from aucbench.bench import merge as join

    for line in _merged(join(folders, out, own=own or (), tell=lambda text: say(text, err=True))):
        say(line)


def _submitted(done: Submission) -> list[str]:
    origin, size = done.origin, done.bytes / 1000
    each = size / max(1, done.cells)
    solvers = ", ".join(origin.solvers)
    machine = ", ".join(f"{name} {value}" for name, value in origin.machine.items())
    versions = {"aucbench": origin.aucbench, **origin.packages}
    lines = [
        f"{done.folder} has {done.cells} cells of {solvers}: {size:.0f} kB, {each:.1f} kB each.",
        f"It says of the machine: {machine}.",
        f"It says of packages: {', '.join(f'{name} {one}' for name, one in versions.items())}.",
    ]
    if done.failed:
        count, kinds = sum(done.failed.values()), sorted(done.failed.items())
        why = ", ".join(f"{status} {number}" for status, number in kinds)
        lines.append(f"{count} of the cells failed ({why}), and count as worst.")
    return lines


def _merged(done: Merged) -> list[str]:
    counts = f"{done.cells} cells of {len(done.solvers)} solver(s), {done.added} of them new"
    states = f"{done.failed} failed, {done.verified} verified"
    notes = (f"note: {note}" for note in done.notes)
    return [f"{done.folder} has {counts}: {states}.", *notes]
