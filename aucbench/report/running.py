"""Run plans from Python: rows in memory are handed over, and progress is shown where one looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from warnings import warn

from aucbench.bench.inline import NOTHING, Inline
from aucbench.bench.options import Options
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.bench.runner import run
from aucbench.bench.worker.rows import data_hash, save_data
from aucbench.data import Data
from aucbench.errors import ParameterError
from aucbench.processes.records import is_supervised
from aucbench.processes.scratch import Scratch
from aucbench.progress import in_notebook, show_progress
from aucbench.registry.specs import INLINE_MARK, short

WARNING = "warning: "  # begins a line about what may be wrong
SHOWN = 8  # digits of the hash of a data set


def require_no_run(function: str) -> None:
    """Raise `ParameterError` where a function is called while a run imports the file it is in."""
    if is_supervised():
        raise ParameterError(
            f"{function} was called while a run imports this file; put the call under "
            "if __name__ == '__main__':"
        )


def name_of(data: Data, what: str = "data") -> str:
    """Return how a plan names rows in memory: by their hash."""
    return f"{what}-{data_hash(data)[:SHOWN]}{INLINE_MARK}"


def warn_of(data: Data, name: str) -> None:
    """Warn the caller's caller of what may be wrong in its table; a notebook shows it anyway."""
    lines = [line for line in data.understood.lines() if line.startswith(WARNING)]
    if lines and not in_notebook():
        told = "; ".join(line.removeprefix(WARNING) for line in lines)
        warn(f"{short(name)}: {told}", stacklevel=4)


@contextmanager
def handed_over(held: Mapping[str, Data], inline: Inline = NOTHING) -> Iterator[Inline]:
    """Write rows in memory into a folder, for the workers; add them to the objects of a plan."""
    if not held:
        yield inline
        return
    with Scratch() as scratch:
        places = {name: scratch.path / str(number) for number, name in enumerate(held)}
        for name, place in places.items():
            save_data(held[name], place)
        yield replace(inline, datasets={name: str(place) for name, place in places.items()})


def records_of(plan: Plan, store: Store, options: Options, inline: Inline) -> list[Record]:
    """Run a plan into a store, and return its records in the order of its cells."""
    order = {cell: number for number, cell in enumerate(plan.cells())}
    with show_progress(len(plan), quiet=options.quiet) as progress:
        engine = options.make_engine(None)
        records = [*run(plan, store, engine, progress=progress, inline=inline)]
    return sorted(records, key=lambda record: order[record.cell])
