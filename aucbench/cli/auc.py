"""`aucbench auc`: the AUC of a column of scores, of more rows than memory holds."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.cli.groups import FILES, grouped
from aucbench.cli.messages import say
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import UnsupportedError
from aucbench.options import OptionGroup

if TYPE_CHECKING:
    from aucbench.metrics import AucBounds, ScoreComparison

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
    score: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the scores; two or more are compared, and read into memory. "
            "[default: score]"
        ),
    ] = None,
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
    files: Annotated[ReadOptions, OptionGroup(FILES, without=NOT_OF_SCORES, first=FIRST)],
) -> None:
    """Say how well a column of scores orders the rows: certain bounds of the AUC, or its value.

    The rows are read in chunks, so that they need not fit in memory. Two columns or more are
    compared: each AUC with an interval, and each difference with an interval and a test.
    """
    from aucbench.kernels.parallel import count
    from aucbench.kernels.parallel import threads as computing
    from aucbench.metrics import auc_of_file, compare_aucs_of_file
    from aucbench.progress import show_progress
    from aucbench.scale.engines import engine_of

    own, columns = count() if threads is None else threads, score or ["score"]
    message = partial(say, err=True)
    with computing(own), show_progress(write=message, quiet=quiet) as progress:
        reads = engine_of(engine, progress)
        if len(columns) > 1:
            _refuse(groups=groups, each=each, max_fpr=max_fpr)
            compared = compare_aucs_of_file(
                data,
                columns,
                reading=files,
                weights=weights,
                memory=memory,
                engine=reads,
                tell=message,
            )
            _show(asdict(compared), comparison_lines(compared), json=json)
            return
        told = auc_of_file(
            data,
            columns[0],
            reading=files,
            weights=weights,
            groups=groups,
            each=each,  # type: ignore[arg-type]  # refused there
            exact=exact,
            max_fpr=max_fpr,
            memory=memory,
            engine=reads,
            tell=message,
        )
    _show({**asdict(told), "exact": told.is_exact}, lines(told), json=json)


def _refuse(**given: object) -> None:
    """Raise `UnsupportedError` where an option is given that a comparison of columns ignores."""
    if named := [f"--{name.replace('_', '-')}" for name, value in given.items() if value]:
        raise UnsupportedError(
            f"several columns of scores are compared by their AUCs of all rows, without "
            f"{' and '.join(named)}; leave the option out, or give one --score"
        )


def _show(numbers: dict[str, object], sentences: list[str], *, json: bool) -> None:
    """Print an object for programs, or sentences."""
    from json import dumps

    if json:
        typer.echo(dumps(numbers, indent=1, allow_nan=False))
        return
    for line in sentences:
        say(line)


def comparison_lines(told: ScoreComparison) -> list[str]:
    """Return what is said of several columns of scores."""
    said = []
    for name, auc in told.aucs.items():
        ends = f"{100 * auc.level:g} % interval {auc.low:.4f} to {auc.high:.4f}"
        said.append(f"AUC of {name} {auc.estimate:.6f}, {ends} ({auc.method})")
    for one in told.differences:
        difference = one.difference
        low, high = difference.ends()
        many = f", {one.p_holm:.3g} by Holm" if len(told.differences) > 1 else ""
        said.append(
            f"{one.first} - {one.second} {difference.estimate:+.4f}, "
            f"{100 * difference.level:g} % interval {low} to {high}, p {difference.p:.3g}{many} "
            f"({difference.method})"
        )
        if difference.note:
            said.append(difference.note)
    return [*said, f"{told.n_pos} positive and {told.n_neg} negative rows, one reading"]


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
