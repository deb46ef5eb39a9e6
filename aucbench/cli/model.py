"""`aucbench fit`, `predict` and `explain`: a table becomes a model, and a model scores tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from aucbench.bench.text import cell_text
from aucbench.cli.groups import Group, grouped
from aucbench.cli.options import FILES, FITS, NO_ENGINE, RUNS, Fits, Options, specs
from aucbench.cli.running import opened, print_tables, records_of, width
from aucbench.cli.saying import say
from aucbench.datasets.reading import Reading
from aucbench.errors import ParameterError

if TYPE_CHECKING:
    from aucbench.metrics import Aim
    from aucbench.models import Model
    from aucbench.models.incoming import Scored

AUTO = "auto"
ALL_FAILED = 1  # exit code when no row has a score
STDOUT = Path("-")
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that fit has written.")]


@dataclass(frozen=True, slots=True)
class Aims:
    """What the threshold is chosen for.

    Attributes
    ----------
    sensitivity : float, optional
        Share of the positives that must be found.
    specificity : float, optional
        Share of the negatives that must be left out.
    precision : float, optional
        Share of the rows found that must be positive.
    flags : float, optional
        Rows that may be found, of --per rows.
    per : float, optional
        Rows that --flags counts in.
    cost_fp : float, optional
        Cost of a negative that is found.
    cost_fn : float, optional
        Cost of a positive that is missed.
    """

    sensitivity: float | None = None
    specificity: float | None = None
    precision: float | None = None
    flags: float | None = None
    per: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None

    @property
    def aim(self) -> Aim:
        """The one aim that is given.

        Raises
        ------
        ParameterError
            As `Aim`, and when `flags` or `per` is given alone.
        """
        from aucbench.metrics import Aim

        wanted = asdict(self)
        per = wanted.pop("per")
        if (self.flags is None) != (per is None):
            raise ParameterError("--flags and --per belong together, as in --flags 50 --per 10000")
        if per is not None and per <= 0:
            raise ParameterError(f"--per is {per:g}; give a number of rows above 0")
        return Aim(**{**wanted, "flags": self.flags and self.flags / per})


@grouped
def fit(
    data: Annotated[str, typer.Option(help="The training table: a file, or a name.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File that takes the model.")],
    solver: Annotated[
        list[str] | None,
        typer.Option(
            help="auto, or names such as svm-or[lam=.1],logistic, of which the best is taken; "
            "repeatable. auto tunes logistic, svm-or, sht-auc, roc-svm-nystrom, and lightgbm or "
            "else random-forest: they can be saved. [default: auto]"
        ),
    ] = None,
    features: Annotated[
        str,
        typer.Option("--features", "--preprocess", help="The feature map, as in compare."),
    ] = AUTO,
    calibration: Annotated[
        str, typer.Option(help="Of probabilities: sigmoid, isotonic or none.")
    ] = "sigmoid",
    tune: Annotated[
        bool | None,
        typer.Option(help="Tune solvers over their grids. [default: with auto only]"),
    ] = None,
    *,
    files: Annotated[Reading, Group(FILES, first=("target", "positive"))],
    aims: Annotated[Aims, Group("Which rows are found")],
    fits: Annotated[Fits, Group(FITS, without=("repeats", "gap_tol"))],
    options: Annotated[Options, Group(RUNS, without=NO_ENGINE)],
) -> None:
    """Compare solvers on a table, fit the best to all rows, and save it as a model.

    The threshold maximises sensitivity + specificity (Youden), or serves one of the aims
    --sensitivity, --specificity, --precision, --flags with --per, --cost-fp with --cost-fn.
    """
    from aucbench.models import building
    from aucbench.models.explain import lines
    from aucbench.store import require_writable

    named = specs(solver or (AUTO,))
    if AUTO in named and len(named) > 1:
        raise ParameterError("--solver auto names the solvers itself; leave the others out")
    require_writable(out)
    plan = building.ModelPlan(
        source=data,
        solvers=building.auto_solvers() if named == (AUTO,) else named,
        tune=named == (AUTO,) if tune is None else tune,
        reading=files,
        aim=aims.aim,
        calibration=None if calibration == "none" else calibration,
        features=features,
        splits=fits.splits,
        holdout=fits.holdout,
        seed=fits.seed,
        passes=fits.passes,
        seconds=fits.seconds,
    )
    building.require_savable(plan)
    silent = replace(options, quiet=True)
    way_on = "no model was made"
    with opened(None) as store:
        records = records_of(options.limited(plan.plan), store, options, way_on)
        findings = building.compared(plan, records, store)
        print_tables(findings, width())
        model = building.built(
            plan,
            records,
            findings,
            store,
            lambda again: records_of(options.limited(again), store, silent, way_on),
        )
    model.save(out)
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
    from aucbench.models import Model
    from aucbench.models.incoming import scored

    require_whole(1, rows=rows)
    loaded = Model.load(model)
    done = flagged = faulty = 0
    first = ""  # fault
    separator = separator or loaded.provenance.get("separator")
    with _written(out) as text:
        for piece in pieces(table, rows, separator):
            with naming(table):
                result = scored(loaded, piece.frame, named=piece.named, uneven=piece.uneven)
                keys = _keys(piece.frame, key, done)
            if not done:
                _say_columns(loaded, result.ignored, table)
            _write(text, loaded, result, keys, key or "row", first=not done)
            done += len(result.faults)
            flagged += int(result.positive.sum())
            faulty += sum(map(bool, result.faults))
            first = first or next(filter(None, result.faults), "")
    named = _label(loaded.positive, "positive")
    note = f"; {faulty} without a score, see the column problem" if faulty else ""
    say(f"{done} rows: {flagged} {named}{note}", err=True)
    if faulty == done:
        say(f"error: no row of {table} has a score: {first}", err=True)
        raise typer.Exit(ALL_FAILED)


def explain(
    model: ModelFile,
    *,
    json: Annotated[bool, typer.Option("--json", help="All of it, as one JSON object.")] = False,
) -> None:
    """Say what a model learnt, from what, how good it is, and what its threshold does."""
    from json import dumps

    from aucbench.models import Model
    from aucbench.models.explain import explanation, lines

    loaded = Model.load(model)
    if json:
        typer.echo(dumps(explanation(loaded), indent=1, allow_nan=False))
        return
    for line in lines(loaded):
        say(line)


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


def _say_columns(model: Model, ignored: tuple[str, ...], table: Path) -> None:
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
    text: TextIO, model: Model, result: Scored, keys: Iterator[object], name: str, *, first: bool
) -> None:
    import csv

    lines = csv.writer(text, lineterminator="\n")
    if first:
        chance = [] if result.probability is None else ["probability"]
        lines.writerow([cell_text(name), "score", *chance, "decision", "problem"])
    negative, positive = ((model.negative, "negative"), (model.positive, "positive"))
    labels = [cell_text(_label(*own_labels)) for own_labels in (negative, positive)]
    chances = None if result.probability is None else result.probability.tolist()
    each = zip(keys, result.scores.tolist(), result.positive.tolist(), result.faults, strict=True)
    for i, (key, score, flagged, fault) in enumerate(each):
        chance = [] if chances is None else ["" if fault else repr(chances[i])]
        numbers = ["" if fault else repr(score), *chance, "" if fault else labels[flagged]]
        own = cell_text(key) if isinstance(key, str) else key
        lines.writerow([own, *numbers, cell_text(fault)])


def _label(labels: tuple[object, ...], other: str) -> str:
    """Return the label of a class, or the name of the class if it has several labels."""
    return str(labels[0]) if len(labels) == 1 else other
