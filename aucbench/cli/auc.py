"""`aucbench auc`: the AUC of a column of scores, of more rows than memory holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.cli.groups import Group, grouped
from aucbench.cli.options import FILES
from aucbench.cli.saying import say
from aucbench.datasets.reading import Reading

if TYPE_CHECKING:
    from aucbench.metrics import AucBounds
    from aucbench.scale import Engine

FIRST = ("target", "positive")
NOT_OF_SCORES = (
    *("drop", "missing", "text", "unlabelled", "time", "test"),
    *("labels", "time_to_event", "event", "groups", "weights", "rows"),
)


@grouped
def auc(
    data: Annotated[
        str,
        typer.Option(help="Rows with scores: Parquet, CSV, a folder, or 'rows/*.parquet'."),
    ],
    score: Annotated[str, typer.Option(help="Column of the scores.")] = "score",
    *,
    exact: Annotated[
        bool, typer.Option("--exact", help="The AUC itself; up to 4 million rows it always is.")
    ] = False,
    max_fpr: Annotated[
        float | None,
        typer.Option(help="Only the ROC curve up to this false-positive rate, as pauc."),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Column by which rows count; a pair counts for the product.")
    ] = None,
    groups: Annotated[
        str | None, typer.Option(help="Column of numbers; only pairs of one group count, as gauc.")
    ] = None,
    each: Annotated[
        str | None, typer.Option(help="pair or group: what counts the same. [default: pair]")
    ] = None,
    memory: Annotated[
        float, typer.Option(help="MB for scores that are sorted, of --exact and --groups.")
    ] = 1000.0,
    engine: Annotated[str, typer.Option(help="What reads: here, or dask=ADDRESS.")] = "here",
    threads: Annotated[
        int | None, typer.Option(help="Threads that read here. [default: AUCBENCH_THREADS, or 1]")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No bar.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One object for programs.")] = False,
    files: Annotated[Reading, Group(FILES, without=NOT_OF_SCORES, first=FIRST)],
) -> None:
    """Say how well a column of scores orders the rows: certain bounds of the AUC, or its value.

    The rows are read in parts, so that they need not fit in memory.
    """
    from json import dumps

    from aucbench.kernels.parallel import count
    from aucbench.kernels.parallel import threads as computing
    from aucbench.metrics.by_parts import auc_of_file

    own = count() if threads is None else threads
    with computing(own), _watched(engine, quiet=quiet) as (reads, tell):
        told = auc_of_file(
            data,
            score,
            reading=files,
            weights=weights,
            groups=groups,
            each=each,  # type: ignore[arg-type]  # refused there
            exact=exact,
            max_fpr=max_fpr,
            memory=memory,
            engine=reads,
            tell=tell,
        )
    if json:
        typer.echo(dumps({**asdict(told), "exact": told.is_exact}, indent=1, allow_nan=False))
        return
    for line in lines(told):
        say(line)


@contextmanager
def _watched(engine: str, *, quiet: bool) -> Iterator[tuple[Engine, Callable[[str], object]]]:
    """Give an engine that moves a bar in a terminal, and what says what is done besides."""
    from aucbench.bench.show.reading import told
    from aucbench.models.parted_telling import Watched
    from aucbench.scale.engines import engine_of

    say_it = partial(say, err=True)
    with told(say_it, quiet=quiet) as hear:
        done = 0

        def begin(rows: int) -> None:
            nonlocal done
            done = 0
            hear({"reading": rows})

        def move(rows: int) -> None:
            nonlocal done
            done += rows
            hear({"read": done})

        reads = Watched(engine_of(engine, move), begin)
        yield reads, say_it if quiet else lambda sentence: hear({"stage": sentence})


def lines(told: AucBounds) -> list[str]:
    """Return what is said of an AUC."""
    name = "AUC" if told.measure == "auc" else told.measure
    if told.is_exact:
        said = [f"{name} {told.low!r}, exact"]
    else:
        low, high = digits(told.low, told.high)
        said = [f"{name} between {low} and {high}, for certain"]
    if (interval := told.interval) is not None:
        ends = f"{interval.low:.4f} to {interval.high:.4f}"
        said.append(f"{100 * interval.level:g} % interval {ends} ({interval.method})")
    readings = "one reading" if told.readings == 1 else f"{told.readings} readings"
    said.append(f"{told.n_pos} positive and {told.n_neg} negative rows, {readings} of the scores")
    return [*said, told.note] if told.note else said


def digits(low: float, high: float) -> tuple[str, str]:
    """Return bounds with two digits of their width, rounded outward."""
    from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
    from math import floor, log10

    unit = Decimal(10) ** (floor(log10(high - low)) - 1)
    return (
        f"{Decimal(low).quantize(unit, ROUND_FLOOR):f}",
        f"{Decimal(high).quantize(unit, ROUND_CEILING):f}",
    )
