"""`aucbench fit`, `predict` and `explain`: a table becomes a model, and a model scores tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from aucbench.bench.options import NO_ENGINE, ONE_MODEL, Fits, Options
from aucbench.bench.text import cell_text
from aucbench.cli.groups import Group, grouped
from aucbench.cli.options import FILES, FITS, RUNS
from aucbench.cli.running import opened, print_tables, records_of, width
from aucbench.cli.saying import say
from aucbench.datasets.reading import Reading
from aucbench.models.options import Aims, Carding, Making

if TYPE_CHECKING:
    from pandas import DataFrame

    from aucbench.bench.plan.plan import Plan
    from aucbench.bench.results.record import Record
    from aucbench.models import ClassModel, Model

MODEL, FIRST = (
    "How the model is made",
    ("solver", "minutes", "stack", "features", "calibration", "tune"),
)
ALL_FAILED = 1  # exit code when no row has a score
STDOUT = Path("-")
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that fit has written.")]


@grouped
def fit(
    data: Annotated[str, typer.Option(help="The training table: a file, or a name.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File that takes the model.")],
    *,
    files: Annotated[Reading, Group(FILES, first=("target", "positive"))],
    making: Annotated[Making, Group(MODEL, first=FIRST)],
    aims: Annotated[Aims, Group("Which rows are found")],
    carding: Annotated[Carding, Group("A scorecard")],
    fits: Annotated[Fits, Group(FITS, without=ONE_MODEL)],
    options: Annotated[Options, Group(RUNS, without=NO_ENGINE)],
) -> None:
    """Compare solvers on a table, fit the best to all rows, and save it as a model.

    The threshold maximises sensitivity + specificity (Youden), or serves one of the aims
    --sensitivity, --specificity, --precision, --flags with --per, --cost-fp with --cost-fn.
    """
    from aucbench.models import building
    from aucbench.models.choosing import ModelPlan
    from aucbench.models.telling import lines
    from aucbench.store import require_writable

    require_writable(out)
    carding.require_writable()
    plan = ModelPlan.of(data, making, aims, fits, files, carding=carding)
    with opened(None) as store:

        def run(part: Plan) -> Sequence[Record]:
            return records_of(options.limited(part), store, options, "no model was made")

        model = building.fitted(
            plan, run, store, lambda found: print_tables(found, width()), options.jobs
        )
    model.save(out)
    carding.keep(model)
    typer.echo()
    for line in lines(model):
        say(line)
    say(f"saved as {out}")


def predict(
    model: ModelFile,
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="Rows, with labels or without.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="CSV file that takes the scores; - is stdout.")
    ] = STDOUT,
    key: Annotated[
        str | None,
        typer.Option("--id", help="Column that names the rows. [default: their number]"),
    ] = None,
    separator: Annotated[
        str | None,
        typer.Option(help="Of the cells of text files, as in fit. [default: found]"),
    ] = None,
    rows: Annotated[int, typer.Option(help="Rows of a text file at a time.")] = 20_000,
) -> None:
    """Score the rows of a table, in their order, with a decision for each."""
    from aucbench.datasets.endings import naming
    from aucbench.datasets.frames import pieces
    from aucbench.errors import require_whole
    from aucbench.models import load_model
    from aucbench.models.telling import Decided, answered, scored

    require_whole(1, rows=rows)
    loaded = load_model(model)
    decided, done, faulty = Decided(loaded), 0, 0
    first = ""  # fault
    separator = separator or loaded.provenance.get("separator")
    with _written(out) as text:
        for piece in pieces(table, rows, separator):
            with naming(table):
                result = scored(loaded, piece.frame, named=piece.named, uneven=piece.uneven)
                keys = _keys(piece.frame, key, done)
            if not done:
                _say_columns(loaded, result.ignored, table)
            answer = answered(loaded, result)
            _write(text, answer, keys, key or "row", first=not done)
            decided.add(answer)
            done += len(result.faults)
            faulty += sum(map(bool, result.faults))
            first = first or next(filter(None, result.faults), "")
    note = f"; {faulty} without a score, see the column problem" if faulty else ""
    say(f"{done} rows{decided}{note}", err=True)
    if told := decided.surprise(done - faulty):
        say(f"warning: {told}", err=True)
    if faulty == done:
        say(f"error: no row of {table} has a score: {first}", err=True)
        raise typer.Exit(ALL_FAILED)


def explain(
    model: ModelFile,
    *,
    json: Annotated[bool, typer.Option("--json", help="All of it, as one JSON object.")] = False,
    html: Annotated[Path | None, typer.Option(help="File that takes a page about it.")] = None,
) -> None:
    """Say what a model learnt, from what, how good it is, and what its threshold does."""
    from json import dumps

    from aucbench.models import load_model
    from aucbench.models.telling import explanation, lines

    loaded = load_model(model)
    if html is not None:
        _write_page(loaded, f"Model {model.stem}", html)
    if json:
        typer.echo(dumps(explanation(loaded), indent=1, allow_nan=False))
        return
    for line in lines(loaded):
        say(line)


def _write_page(model: Model | ClassModel, title: str, path: Path) -> None:
    from aucbench.models.telling import page_of
    from aucbench.store import require_writable

    require_writable(path)
    page = page_of(model, title)
    page.save(path)
    say(f"{len(page.content) / 1e6:.1f} MB in {path}", err=True)


@contextmanager
def _written(out: Path) -> Iterator[TextIO]:
    """Open stdout, or a file that is complete at the end or as it was before."""
    if out == STDOUT:
        yield sys.stdout
        return
    from aucbench.store.files import own_file

    with own_file(out) as file:
        text = TextIOWrapper(file, "utf-8", newline="", write_through=True)
        yield text
        text.detach()


def _say_columns(model: Model | ClassModel, ignored: tuple[str, ...], table: Path) -> None:
    about = model.provenance
    say(
        f"{table}: {model.width} columns for {about.get('solver', 'the model')}"
        + (f"; not read: {', '.join(ignored)}" if ignored else ""),
        err=True,
    )


def _keys(frame: object, key: str | None, done: int) -> Iterator[object]:
    from aucbench.datasets.label import column_at

    if key is None:
        return iter(range(done + 1, done + 1 + len(frame)))  # type: ignore[arg-type]
    names = [str(name).strip() for name in frame.columns]  # type: ignore[attr-defined]
    return iter(frame.iloc[:, column_at(key, names, len(names))])  # type: ignore[attr-defined]


def _write(
    text: TextIO, answer: DataFrame, keys: Iterator[object], name: str, *, first: bool
) -> None:
    import csv

    lines = csv.writer(text, lineterminator="\n")
    if first:
        lines.writerow([cell_text(name), *answer.columns])
    for key, row in zip(keys, answer.itertuples(index=False, name=None), strict=True):
        own = cell_text(key) if isinstance(key, str) else key
        lines.writerow([own, *map(_cell, row)])


def _cell(value: object) -> str:
    """Return a cell of an answer as text; nothing where it is missing."""
    if value is None or value != value:
        return ""
    return repr(value) if isinstance(value, float) else cell_text(str(value))
