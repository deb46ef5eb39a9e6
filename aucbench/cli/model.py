"""`aucbench fit`, `predict` and `explain`: a table becomes a model, and a model scores tables."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aucbench.cli.groups import grouped
from aucbench.cli.messages import say
from aucbench.cli.running import width
from aucbench.errors import INTERRUPTED, DataError
from aucbench.models.options import FitOptions
from aucbench.options import OptionGroup

if TYPE_CHECKING:
    from pandas import Series

    from aucbench.models import Model
    from aucbench.scale import ChunkedData

MADE = OptionGroup("How the model is made", first=("calibration",))
LOG_PACE = 30.0  # seconds between two lines of a log
ALL_FAILED = 1  # exit code when no row has a score
STDOUT = Path("-")
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file of fit.")]


@grouped
def fit(
    data: Annotated[
        str, typer.Option(help="Training table: a file, a name, or a folder of files.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write the model to.")],
    *,
    options: Annotated[FitOptions, MADE],
) -> None:
    """Compare solvers on a table, fit the best to all rows, and save it as a model.

    The threshold maximises sensitivity + specificity, or serves one of the aims
    --sensitivity, --specificity, --precision, --flags with --per, --cost-fp with --cost-fn.
    """
    from aucbench.models.chunked import open_large
    from aucbench.models.summary import describe_fit
    from aucbench.store import require_writable

    require_writable(out)
    options.scorecard.require_writable()
    shown: list[str] = []
    held = open_large(data, options, partial(say, err=True))
    model = _fitted(data, options, held, shown)
    model.save(out)
    options.scorecard.write(model)
    typer.echo()
    for line in describe_fit(model, shown):
        say(line)
    say(f"saved as {out}; aucbench explain {shlex.quote(str(out))} says what it has learnt")


def _fitted(table: str, options: FitOptions, held: ChunkedData | None, shown: list[str]) -> Model:
    """Return the best model of a table; `shown` gets lines about it.

    `held` are its rows if they are read in chunks.
    """
    from aucbench.models.building import fit_rows, read_table
    from aucbench.models.summary import describe_table
    from aucbench.progress import show_progress

    rows = read_table(table, options, held)
    shown.extend(describe_table(table, rows))
    for line in shown:
        say(line)
    try:
        log = partial(say, err=True)
        with show_progress(write=log, quiet=options.run.quiet, pace=LOG_PACE) as progress:
            return fit_rows(rows, table, options, progress)
    except KeyboardInterrupt:
        say("interrupted: no model was made", err=True)
        raise typer.Exit(INTERRUPTED) from None


def predict(
    model: ModelFile,
    table: Annotated[
        Path,
        typer.Argument(metavar="TABLE", help="Rows, with labels or without; also of a folder."),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="CSV or Parquet file to write to; - is stdout."),
    ] = STDOUT,
    key: Annotated[
        str | None,
        typer.Option("--id", help="Column with the names of the rows. [default: their numbers]"),
    ] = None,
    separator: Annotated[
        str | None,
        typer.Option(
            help="Separator of the cells of text files, as in fit. [default: found in the first "
            "lines]"
        ),
    ] = None,
    rows: Annotated[int, typer.Option(help="Rows of a large file to read at a time.")] = 20_000,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Refuse a table with columns unlike those of training."),
    ] = False,
) -> None:
    """Score the rows of a table, in their order, with a decision for each.

    Those of a folder, or of a pattern such as 'rows/*.parquet', are in the order of the names of
    its files. A warning names each column that lacks more values than in training, or has others.
    """
    from aucbench.cli.predictions import open_output
    from aucbench.datasets.endings import naming
    from aucbench.errors import require_whole
    from aucbench.models.model import Model
    from aucbench.models.prediction import DecisionCounts, prediction_frame, score_files

    require_whole(1, rows=rows)
    loaded = Model.load(model)
    decided, done, faulty = DecisionCounts(loaded), 0, 0
    first = ""  # fault
    with open_output(out, key or "row") as write:
        for file, frame, result in score_files(loaded, table, rows, separator):
            with naming(file):
                keys = _keys(frame, key, done)
            if not done:
                unread = f"; not read: {', '.join(result.ignored)}" if result.ignored else ""
                solver = loaded.provenance.get("solver", "the model")
                say(f"{table}: {loaded.width} columns for {solver}{unread}", err=True)
            predictions = prediction_frame(loaded, result)
            write(predictions, keys)
            decided.add(result, predictions)
            done += len(result.faults)
            faulty += sum(map(bool, result.faults))
            first = first or next(filter(None, result.faults), "")
        if strict and decided.changes:
            raise DataError(f"{table} is refused by --strict: {'; '.join(decided.changes)}")
    note = f"; {faulty} without a score, see the column problem" if faulty else ""
    say(f"{done} rows{decided}{note}", err=True)
    for warning in decided.warnings:
        say(f"warning: {warning}", err=True)
    if faulty == done:
        say(f"error: no row of {table} has a score: {first}", err=True)
        raise typer.Exit(ALL_FAILED)


def explain(
    model: ModelFile,
    *,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    html: Annotated[Path | None, typer.Option(help="File to write a page about it to.")] = None,
) -> None:
    """Say what a model learnt, from what, how good it is, and what its threshold does.

    The page has more: curves of effects, other rankings, reliability and groups of rows.
    """
    from json import dumps

    from aucbench.models.explain import explanation, page_of, sections
    from aucbench.models.model import Model
    from aucbench.report.document import text
    from aucbench.store import require_writable

    loaded = Model.load(model)
    if html is not None:
        require_writable(html)
        page = page_of(loaded, f"Model {model.stem}")
        page.save(html)
        say(f"{len(page.content) / 1e3:.0f} kB in {html}", err=True)
    if json:
        typer.echo(dumps(explanation(loaded), indent=1, allow_nan=False))
        return
    typer.echo(text(sections(loaded, brief=True), width()))


def _keys(frame: Any, key: str | None, done: int) -> Series:
    """Return the names of rows as they stand in their column, or else their numbers."""
    from pandas import RangeIndex

    from aucbench.datasets.label import column_at

    if key is None:
        return RangeIndex(done + 1, done + 1 + frame.shape[0]).to_series()
    if not hasattr(frame, "columns"):
        raise DataError(f"svmlight has no column {key!r}; leave --id out, and rows have numbers")
    names = [str(name).strip() for name in frame.columns]
    column: Series = frame.iloc[:, column_at(key, names, len(names))]
    return column
