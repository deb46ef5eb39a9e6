"""`aucbench compare`, `run`, `status` and `export`: plans, and results in folders."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from aucbench.bench.options import RunOptions, ShowOptions
from aucbench.bench.plan.plan import NOT_OF_COMPARE, Plan
from aucbench.cli.groups import grouped
from aucbench.cli.messages import say, warn
from aucbench.cli.running import open_store, print_estimate, run_and_print
from aucbench.errors import AucbenchError, DataError, ParameterError, shown
from aucbench.options import OptionGroup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aucbench.bench.answers import Wanted
    from aucbench.bench.cell import Cell
    from aucbench.bench.results.store import Store

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN.toml", help="A plan; see `run --example`.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")]
RUN, SHOW = "How cells are run", "What is shown"
LISTED = 20  # cells that a terminal shows
ID_SHOWN = 12  # characters of an id, which no other cell of a folder shares in practice
ESTIMATE = (
    "Say how long the cells that are left will take. One cell is run, and kept, of each data set "
    "and solver that has none."
)
# A plan, `run` and `report` have them, and all of them are keywords of the function `compare`.
IN_PLANS = ("holdout", "gap_tol", "inner_splits", "tune_seconds", "tune_work")
OF_RUN = ("threads", "engine", "cells_per_job", "retry", "timing")
OF_REPORT = ("rope", "level", "mixed")
FIRST = ("solvers", "data", "features", "tune", "splits", "passes")  # options of compare
FIRST_OF_RUN = ("out", "timeout", "memory", "jobs", "retry", "quiet")


@grouped
def compare(
    plan: Annotated[
        Plan,
        OptionGroup("What is computed", without=(*NOT_OF_COMPARE, *IN_PLANS), first=FIRST),
    ],
    *,
    options: Annotated[RunOptions, OptionGroup(RUN, without=OF_RUN, first=("out",))],
    show: Annotated[ShowOptions, OptionGroup(SHOW, without=OF_REPORT, first=("metrics",))],
    json: Annotated[Path | None, typer.Option(help="File that takes one object per fit.")] = None,
) -> None:
    """Fit every solver on every split of every data set; print the test AUC.

    `aucbench run` takes a plan in a file, which has more options, and `aucbench report` shows the
    results of a folder in other forms.
    """
    run_and_print(options.limit(plan), options, show, json)


def _print_example(wanted: bool) -> None:
    if wanted:
        from aucbench.bench.plan.toml import example

        typer.echo(example(), nl=False)
        raise typer.Exit


@grouped
def run(
    plan: PlanFile,
    *,
    estimate: Annotated[bool, typer.Option("--estimate", help=ESTIMATE)] = False,
    json: Annotated[
        Path | None,
        typer.Option(help="File that takes one object per fit; with --estimate, the estimate."),
    ] = None,
    options: Annotated[RunOptions, OptionGroup(RUN, first=FIRST_OF_RUN)],
    show: Annotated[ShowOptions, OptionGroup(SHOW, without=OF_REPORT, first=("metrics",))],
    example: Annotated[
        bool,
        typer.Option(
            "--example", callback=_print_example, is_eager=True, help="Print a plan to start from."
        ),
    ] = False,
) -> None:
    """Run the cells of a plan that are not in the folder yet; print the table."""
    from aucbench.bench.plan.toml import placed_in, read_plan

    if options.out is None:
        raise ParameterError("run keeps its results; name a folder by --out DIR")
    asked = options.limit(read_plan(plan))
    with placed_in(plan):
        if estimate:
            print_estimate(asked, options, json)
        else:
            run_and_print(asked, options, show, json)


def status(
    folder: Folder,
    *,
    cells: Annotated[
        bool,
        typer.Option("--cells", help="List the cells, those that failed first, with the reasons."),
    ] = False,
    log: Annotated[
        str | None,
        typer.Option(
            metavar="CELL",
            help="Print what a cell wrote, with the traceback; CELL is the begin of its id, as "
            "--cells shows it.",
        ),
    ] = None,
) -> None:
    """Count the cells of the plans of a results folder, and the measurements of papers."""
    if cells and log is not None:
        raise ParameterError("--cells lists all cells, and --log prints one; give one of them")
    if log is not None:
        _print_log(folder, log)
    elif cells:
        _print_cells(folder)
    else:
        _print_counts(folder)


def _print_counts(folder: Path) -> None:
    from aucbench.papers.measuring import read_measurements
    from aucbench.report.grid import align_columns

    with open_store(folder, create=False) as store:
        measured = Counter(one.status for one in read_measurements(folder))
        counts = [] if measured and not store.plans() else _cell_counts(store)
    if measured:
        counts += [("measurements", measured.total()), *_failures(measured)]
    typer.echo(align_columns([(name, str(number)) for name, number in counts], right=[1]))


def _cell_counts(store: Store) -> list[tuple[str, int]]:
    """Count done, failed, missing and stale cells."""
    from aucbench.bench.runner import folder_status

    counted = folder_status(store, _plans(store))
    return [
        ("planned", counted.planned),
        ("done", counted.planned - counted.missing),
        *_failures(counted.statuses),
        ("missing", counted.missing),
        ("stale", counted.stale),
        ("other settings", counted.other_settings),
    ]


def _failures(statuses: Mapping[str, int]) -> list[tuple[str, int]]:
    failed = {name: n for name, n in sorted(statuses.items()) if name != "ok"}
    return [("failed", sum(failed.values())), *((f"  {name}", n) for name, n in failed.items())]


def export(
    folder: Folder,
    path: Annotated[
        Path,
        typer.Argument(help="File that ends in .csv, .parquet or .json."),
    ],
    *,
    stale: Annotated[
        bool,
        typer.Option("--stale", help="Also rows whose data, plugin or aucbench has changed."),
    ] = False,
) -> None:
    """Write one row per record of a results folder to a table."""
    from aucbench.bench.results.export import export as write
    from aucbench.bench.results.export import table_rows
    from aucbench.bench.runner import folder_status

    with open_store(folder, create=False) as store:
        wanted = _wanted(store, stale=stale)
        missing = folder_status(store, _plans(store), wanted).missing if wanted else 0
        ids = wanted.ids if wanted else {}
        rows = table_rows(store.records, ids, interim=bool(missing) if wanted else None)
        count = write((row for row in rows if stale or not row["stale"]), path)
    say(f"{count} rows in {path}", err=True)
    if missing:
        warn(f"interim: the run has not ended, and {missing} cells are missing")


def _wanted(store: Store, *, stale: bool) -> Wanted | None:
    """Return the ids that count; None, with a warning, where stale rows are asked for anyway."""
    from aucbench.bench.runner import wanted_of

    try:
        return wanted_of(_plans(store))
    except AucbenchError as error:
        if not stale:
            raise
        warn(f"the column `stale` is empty, since the plans cannot be looked up: {error}")
        return None


def _print_cells(folder: Path) -> None:
    """List the cells of a results folder: those that failed, are missing, and are done."""
    from aucbench.report.grid import align_columns

    with open_store(folder, create=False) as store:
        ended = [one._replace(log="") for one in _ended(store)]
        missing = _missing(store)
    failed = [one for one in ended if one.status != "ok"]
    done = [one for one in ended if one.status == "ok"]
    lines = [
        (one.id[:ID_SHOWN], *one.place, one.status, one.why) for one in (*failed, *missing, *done)
    ]
    most = LISTED if sys.stdout.isatty() else len(lines)
    typer.echo(align_columns(lines[:most]) if lines else "there is no cell")
    if most < len(lines):
        typer.echo(f"... and {len(lines) - most} more; pipe them to see all")


def _print_log(folder: Path, cell: str) -> None:
    """Print what a cell, or a measurement of a paper, wrote."""
    with open_store(folder, create=False) as store:
        chosen = [one for one in _ended(store) if one.id.startswith(cell)]
    if len(chosen) != 1:
        count = (
            f"{len(chosen)} cells have ids that begin"
            if chosen
            else "no cell has an id that begins"
        )
        raise DataError(f"{count} with {cell!r}; `aucbench status {folder} --cells` lists them")
    (one,) = chosen
    say(f"{' on '.join(one.place[:2])}: {one.status}")
    if one.why:
        say(one.why)
    for line in one.log.splitlines():
        typer.echo(shown(line))


class _CellLine(NamedTuple):
    """A cell, or a measurement of a paper, and how it has ended."""

    id: str
    place: tuple[str, str, str]  # what was run, on which data, and which repeat of it
    status: str
    why: str = ""
    log: str = ""


def _ended(store: Store) -> Iterator[_CellLine]:
    """Yield what has ended, also records of cells that are in no plan of the folder."""
    from aucbench.papers.measuring import read_measurements

    for record in store.records():
        yield _CellLine(
            record.id,
            _place(record.cell),
            record.status.status,
            record.why,
            record.process.log or "",
        )
    for one in read_measurements(store.folder):
        place = (one.asked.name, str(one.asked.dataset), "")
        yield _CellLine(one.id, place, one.status, one.why, one.log)


def _missing(store: Store) -> list[_CellLine]:
    """Return the cells of the plans that have no record, in their first spelling.

    Names are looked up only if several plans may spell them in several ways.
    """
    from aucbench.bench.answers import Wanted
    from aucbench.bench.plan.toml import parse_plans
    from aucbench.bench.runner import wanted_of

    ended = {record.cell for record in store.records()}
    plans = parse_plans(store.plans())
    cells = dict.fromkeys(cell for plan in plans for cell in plan.cells())
    wanted = Wanted()
    if len(plans) > 1 and not ended.issuperset(cells):
        with suppress(AucbenchError):  # else each spelling stands for itself
            wanted = wanted_of(plans)
    ended = {wanted.spelled(cell) for cell in ended}
    missing = dict.fromkeys(cell for cell in map(wanted.spelled, cells) if cell not in ended)
    return [_CellLine("", _place(cell), "missing") for cell in missing]


def _place(cell: Cell) -> tuple[str, str, str]:
    return str(cell.solver), str(cell.dataset), f"seed {cell.seed} split {cell.split}"


def _plans(store: Store) -> list[Plan]:
    from aucbench.bench.plan.toml import parse_plans

    plans = parse_plans(store.plans())
    if not plans:
        raise DataError(f"{store.folder} holds no plan; run one into it with `aucbench run --out`")
    return plans
