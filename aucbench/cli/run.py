"""`aucbench run`, `plan`, `status` and `export`: plans in files, results in folders."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.bench.text import aligned, shown
from aucbench.cli.options import (
    CellsPerJob,
    EngineName,
    FailIf,
    Jobs,
    Markdown,
    Memory,
    MetricNames,
    Options,
    Printed,
    Quiet,
    Retry,
    Rope,
    Scheduler,
    Sections,
    Sort,
    Tex,
    Threads,
    Timeout,
    Timing,
    entries,
    limited,
)
from aucbench.cli.running import go, warn
from aucbench.errors import AucbenchError, DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aucbench.bench.plan.plan import Plan
    from aucbench.bench.results.record import Record
    from aucbench.bench.results.store import Store
    from aucbench.cell import Cell

PlanFile = Annotated[
    Path, typer.Argument(metavar="PLAN.toml", help="A plan; see `plan --example`.")
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")]
ID_SHOWN = 12  # characters of an id, which no other cell of a folder shares in practice
LISTED = 20  # cells that a terminal shows
BATCH = 1000  # lines that are written at once


def run(
    plan: PlanFile,
    *,
    out: Annotated[Path, typer.Option(help="Folder that keeps the results.")],
    json: Annotated[Path | None, typer.Option(help="File that takes one object per fit.")] = None,
    timeout: Timeout = None,
    memory: Memory = None,
    jobs: Jobs = None,
    threads: Threads = 1,
    engine: EngineName = "local",
    scheduler: Scheduler = None,
    cells_per_job: CellsPerJob = None,
    retry: Retry = None,
    timing: Timing = False,
    quiet: Quiet = False,
    metrics: MetricNames = None,
    rope: Rope = 0.005,
    sort: Sort = "plan",
    md: Markdown = False,
    tex: Tex = False,
    fail_if: FailIf = None,
    sections: Sections = None,
) -> None:
    """Run the cells of a plan that are not in the folder yet; print the table."""
    from aucbench.bench.plan.toml import read_plan, with_line

    asked = limited(read_plan(plan), timeout, memory, timing=timing)
    where = (jobs, threads, engine, scheduler, cells_per_job)
    options = Options(*where, entries("retry", retry), quiet, timing)
    again = shlex.join(["aucbench", "run", str(plan), "--out", str(out)])
    printed = Printed.of(metrics, rope, sort, fail_if, sections, md=md, tex=tex)
    with with_line(plan):
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
    """List the cells of a plan, their number, and how long they may take; run nothing."""
    from aucbench.bench.overview import estimate
    from aucbench.bench.plan.toml import read_plan, with_line

    asked = read_plan(plan)
    with with_line(plan):
        told = estimate(asked)
    most = LISTED if sys.stdout.isatty() else len(asked)
    for lines in _cell_lines(asked, most):
        typer.echo(lines)
    if most < len(asked):
        typer.echo(f"... and {len(asked) - most} more; pipe them to see all")
    typer.echo(f"\n{_size(asked)}\n{told}")


def status(folder: Folder) -> None:
    """Count the cells of the plans of a results folder: done, failed, missing, stale."""
    from aucbench.bench.overview import folder_status

    with _opened(folder) as store:
        found = folder_status(store, _plans(store))
    failed = {name: n for name, n in sorted(found.statuses.items()) if name != "ok"}
    counts = {
        "planned": found.planned,
        "done": found.planned - found.missing,
        "failed": sum(failed.values()),
        **{f"  {name}": number for name, number in failed.items()},
        "missing": found.missing,
        "stale": found.stale,
        "other settings": found.other_settings,
    }
    typer.echo(aligned([(name, str(number)) for name, number in counts.items()], right=[1]))


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
    from aucbench.bench.results.export import export as write
    from aucbench.bench.results.export import table_rows

    with _opened(folder) as store:
        if to is not None:
            _export_to(to, store, path, stale=stale)
            return
        rows = table_rows(store.records, _wanted(store, stale=stale))
        count = write((row for row in rows if stale or not row["stale"]), path)
    typer.echo(f"{count} rows in {shown(str(path))}", err=True)


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
        typer.echo(f"{size} bytes in {shown(str(file))}", err=True)


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
    with _opened(folder) as store:
        found = [r for r in store.records() if (r.id.startswith(cell) if cell else not r.ok)]
    if not cell:
        typer.echo(aligned(map(_failed_line, found)) if found else "no cell has failed")
        return
    if len(found) != 1:
        count = (
            f"{len(found)} cells have ids that begin" if found else "no cell has an id that begins"
        )
        raise DataError(
            f"{count} with {cell!r}; `aucbench log {folder}` lists those without a result"
        )
    (record,) = found
    typer.echo(shown(f"{record.cell.solver} on {record.cell.dataset}: {record.status.status}"))
    if record.why:
        typer.echo(shown(record.why))
    for line in (record.process.log or "").splitlines():
        typer.echo(shown(line))


def _failed_line(record: Record) -> tuple[str, ...]:
    cell, status = record.cell, record.status.status
    place = f"seed {cell.seed} split {cell.split}"
    return record.id[:ID_SHOWN], str(cell.solver), cell.dataset, place, status, record.why


@contextmanager
def _opened(folder: Path) -> Iterator[Store]:
    from aucbench.bench import Store

    with Store(folder) as store:
        yield store
        for problem in store.problems():
            warn(problem)


def _plans(store: Store) -> list[Plan]:
    from aucbench.bench.plan.toml import parse_plan

    found = [parse_plan(text, str(path)) for path, text in store.plans().items()]
    if not found:
        raise DataError(f"{store.folder} holds no plan; run one into it with `aucbench run --out`")
    return found


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
