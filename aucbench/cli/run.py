"""`aucbench run`, `plan`, `status` and `export`: plans in files, results in folders."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from aucbench.bench.options import Options
from aucbench.bench.text import aligned, reason_text, shown
from aucbench.cli.groups import Group, grouped
from aucbench.cli.options import JSON, OUTPUT, RUNS, Output
from aucbench.cli.running import LISTED, go, print_estimate
from aucbench.cli.saying import say, warn
from aucbench.errors import AucbenchError, DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aucbench.bench.cell import Cell
    from aucbench.bench.plan.plan import Plan
    from aucbench.bench.results.record import Record
    from aucbench.bench.results.store import Store
    from aucbench.papers.measuring import Measured

PlanFile = Annotated[
    Path, typer.Argument(metavar="PLAN.toml", help="A plan; see `plan --example`.")
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")]
ID_SHOWN = 12  # characters of an id, which no other cell of a folder shares in practice
BATCH = 1000  # lines that are written at once
ESTIMATE = (
    "Say how long the cells that are left will take. One cell is run, and kept, of each data set "
    "and solver that has none."
)


@grouped
def run(
    plan: PlanFile,
    *,
    out: Annotated[Path, typer.Option(help="Folder that keeps the results.")],
    estimate: Annotated[bool, typer.Option("--estimate", help=ESTIMATE)] = False,
    json: Annotated[Path | None, typer.Option(help=JSON)] = None,
    options: Annotated[Options, Group(RUNS, first=("timeout", "memory", "jobs", "retry", "quiet"))],
    output: Annotated[Output, Group(OUTPUT, first=("metrics",))],
) -> None:
    """Run the cells of a plan that are not in the folder yet; print the table."""
    from aucbench.bench.plan.toml import placed_in, read_plan

    asked = options.limited(read_plan(plan))
    again = shlex.join(["aucbench", "run", str(plan), "--out", str(out)])
    if estimate:
        with placed_in(plan):
            print_estimate(asked, options, out, json)
        return
    printed = output.printed(asked)
    with placed_in(plan):
        go(asked, options, out, json, f"go on with: {again}", printed)


def _print_example(wanted: bool) -> None:
    if wanted:
        from aucbench.bench.plan.toml import PLAN_EXAMPLE

        typer.echo(PLAN_EXAMPLE, nl=False)
        raise typer.Exit


def list_plan(
    plan: PlanFile,
    *,
    example: Annotated[
        bool,
        typer.Option(
            "--example", callback=_print_example, is_eager=True, help="Print a plan to start from."
        ),
    ] = False,
) -> None:
    """List the cells of a plan, their number, and what is known of its data; run nothing."""
    from aucbench.bench.overview import counted
    from aucbench.bench.plan.toml import placed_in, read_plan

    asked = read_plan(plan)
    with placed_in(plan):
        told = [*counted(asked)]
    most = LISTED if sys.stdout.isatty() else len(asked)
    for lines in _cell_lines(asked, most):
        typer.echo(lines)
    if most < len(asked):
        typer.echo(f"... and {len(asked) - most} more; pipe them to see all")
    typer.echo()
    for line in (_size(asked), *told):
        say(line)


def status(folder: Folder) -> None:
    """Count the cells of the plans of a results folder, and the measurements of papers."""
    from aucbench.papers.measuring import measured_in

    with _opened(folder) as store:
        measured = Counter(one.status for one in measured_in(folder))
        counts = [] if measured and not store.plans() else _cell_counts(store)
    if measured:
        counts += [("measurements", measured.total()), *_failures(measured)]
    typer.echo(aligned([(name, str(number)) for name, number in counts], right=[1]))


def _cell_counts(store: Store) -> list[tuple[str, int]]:
    """Count done, failed, missing and stale cells."""
    from aucbench.bench.overview import folder_status

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
        typer.Argument(
            help="File that ends in .csv, .parquet or .json; with --to, where its files go."
        ),
    ],
    *,
    to: Annotated[
        str | None, typer.Option(help="An exporter of a plugin, as `list exporters` shows them.")
    ] = None,
    stale: Annotated[
        bool,
        typer.Option("--stale", help="Also rows whose data, plugin or aucbench has changed."),
    ] = False,
) -> None:
    """Write one row per record of a results folder to a table, or what a plugin makes of them."""
    from aucbench.bench.overview import folder_status
    from aucbench.bench.results.export import export as write
    from aucbench.bench.results.export import table_rows

    with _opened(folder) as store:
        if to is not None:
            _export_to(to, store, path, stale=stale)
            return
        wanted = _wanted(store, stale=stale)
        missing = folder_status(store, _plans(store), wanted).missing if wanted else 0
        rows = table_rows(store.records, wanted, interim=bool(missing) if wanted else None)
        count = write((row for row in rows if stale or not row["stale"]), path)
    say(f"{count} rows in {path}", err=True)
    if missing:
        warn(f"interim: the run has not ended, and {missing} cells are missing")


def _export_to(name: str, store: Store, path: Path, *, stale: bool) -> None:
    """Write what an exporter of a plugin makes of the rows."""
    from aucbench.bench.addons import addon_of, exported_by, supervised
    from aucbench.bench.results.export import table_rows, write_contents

    with supervised():
        addon = addon_of("exporters", name)
        rows = table_rows(store.records, {} if stale else _wanted(store, stale=False))
        ids = None if stale else {row["id"] for row in rows if not row["stale"]}
        written = write_contents(exported_by(addon, store.folder, ids), path, addon.called)
    for file, size in written.items():
        say(f"{size} bytes in {file}", err=True)


def _wanted(store: Store, *, stale: bool) -> Mapping[Cell, str]:
    """Return the ids that count; none, with a warning, where stale rows are asked for anyway."""
    from aucbench.bench.overview import wanted_ids

    try:
        return wanted_ids(_plans(store))
    except AucbenchError as error:
        if not stale:
            raise
        warn(f"the column `stale` is empty, since the plans cannot be looked up: {error}")
        return {}


def log(
    folder: Folder,
    cell: Annotated[
        str, typer.Argument(help="Begin of the id of a cell; none lists those without a result.")
    ] = "",
) -> None:
    """Print what a failed cell wrote, with the traceback; or list the cells that failed."""
    from aucbench.papers.measuring import measured_in

    with _opened(folder) as store:
        ended = chain(map(_logged, store.records()), map(_logged_measurement, measured_in(folder)))
        chosen = [one for one in ended if (one.id.startswith(cell) if cell else one.status != "ok")]
    if not cell:
        listed = [(one.id[:ID_SHOWN], *one.place, one.status, one.why) for one in chosen]
        typer.echo(aligned(listed) if listed else "no cell has failed")
        return
    if len(chosen) != 1:
        count = (
            f"{len(chosen)} cells have ids that begin"
            if chosen
            else "no cell has an id that begins"
        )
        raise DataError(
            f"{count} with {cell!r}; `aucbench log {folder}` lists those without a result"
        )
    (one,) = chosen
    say(f"{' on '.join(one.place[:2])}: {one.status}")
    if one.why:
        say(one.why)
    for line in one.log.splitlines():
        typer.echo(shown(line))


class _Logged(NamedTuple):
    """How a cell, or a measurement of a paper, has ended."""

    id: str
    place: tuple[str, str, str]  # what was run, on which data, and which repeat of it
    status: str
    why: str
    log: str


def _logged(record: Record) -> _Logged:
    cell = record.cell
    place = str(cell.solver), cell.dataset, f"seed {cell.seed} split {cell.split}"
    return _Logged(record.id, place, record.status.status, record.why, record.process.log or "")


def _logged_measurement(one: Measured) -> _Logged:
    why = reason_text(one.error_type, one.reason)
    return _Logged(one.id, (one.name, one.dataset, ""), one.status, why, one.log or "")


@contextmanager
def _opened(folder: Path) -> Iterator[Store]:
    from aucbench.bench import Store

    with Store(folder) as store:
        yield store
        for problem in store.problems():
            warn(problem)


def _plans(store: Store) -> list[Plan]:
    from aucbench.bench.plan.toml import parse_plans

    plans = parse_plans(store.plans())
    if not plans:
        raise DataError(f"{store.folder} holds no plan; run one into it with `aucbench run --out`")
    return plans


def _cell_lines(plan: Plan, most: int) -> Iterator[str]:
    """Text of the first cells, one line each, many lines at a time."""
    solvers = {(c.spec, c.tuning): shown(c.label) for c in plan.solvers}
    names = {**_padded(plan.datasets), **_padded(plan.features)}
    width = len(str(max(plan.seeds) + plan.repeats))
    lines = (
        f"{names[cell.dataset]}  {names[cell.features]}  seed {cell.seed:<{width}}  "
        f"split {cell.split:<2}  {solvers[cell.solver, cell.tune]}"
        for cell in islice(plan.cells(), most)
    )
    while some := [*islice(lines, BATCH)]:
        yield "\n".join(some)


def _padded(names: Sequence[str]) -> dict[str, str]:
    texts = [shown(name) for name in names]
    width = max(map(len, texts))
    return {name: text.ljust(width) for name, text in zip(names, texts, strict=True)}


def _size(plan: Plan) -> str:
    parts = (
        (len(plan.datasets), "data set(s)"),
        (len(plan.features), "feature map(s)"),
        (len(plan.solvers), "solver(s)"),
        (plan.split_count, "splits"),
        (plan.repeats, "repeat(s)"),
        (len(plan.seeds), "seed(s)"),
    )
    return f"{len(plan)} cells: {' x '.join(f'{count} {name}' for count, name in parts)}"
