"""Run a plan: data sets are downloaded, rows in memory are handed over, progress is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING
from warnings import warn

from aucbench.bench import runner
from aucbench.bench.cell import Cell
from aucbench.bench.engines import Engine
from aucbench.bench.inline import NOTHING, Inline
from aucbench.bench.options import RunOptions, ShowOptions
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.bench.until import Until
from aucbench.datasets import entry_of
from aucbench.datasets.located import bring
from aucbench.errors import ParameterError
from aucbench.processes.records import is_supervised
from aucbench.processes.scratch import Scratch
from aucbench.progress import Write, in_notebook, show_progress
from aucbench.registry.isolated_imports import within
from aucbench.registry.lookup import owner
from aucbench.registry.specs import INLINE_MARK, Spec, short, split_specs

if TYPE_CHECKING:
    from aucbench.data import Data

WARNING = "warning: "  # begins a line about what may be wrong
SHOWN = 8  # digits of the hash of a data set


class End(Enum):
    """How a run has ended, in words for people."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    TIME = "the time is over"


def run_plan(
    plan: Plan,
    store: Store,
    options: RunOptions,
    engine: Engine | None = None,
    *,
    inline: Inline = NOTHING,
    write: Write | None = None,
    tell: Callable[[str], object] = warn,
) -> tuple[list[Record], End]:
    """Return the records in the order of the cells of a plan, and how the run has ended.

    Parameters
    ----------
    plan, store, inline, tell :
        As of `aucbench.bench.runner.run`.
    engine : Engine, optional
        By default that of the options.
    write : function (str), optional
        Takes what is understood of the data sets, and the lines of a log.
    """
    limit = None if options.seconds is None else Until(options.seconds)
    # Here, so that the user sees what is downloaded: workers write to logs.
    bring(data_names(plan), progress=not options.quiet)
    records: dict[Cell, Record] = {}
    end = End.FINISHED
    shown = show_progress(len(plan), write, quiet=options.quiet, moving=not options.timing)
    try:
        with shown as progress:
            for record in runner.run(
                plan,
                store,
                options.make_engine() if engine is None else engine,
                retry=options.retry,
                progress=progress,
                inline=inline,
                tell=tell,
                until=limit,
            ):
                records[record.cell] = record
        if limit is not None and limit.left_out:
            end = End.TIME
    except KeyboardInterrupt:
        end = End.INTERRUPTED
    return [records[cell] for cell in plan.cells() if cell in records], end


def data_names(plan: Plan) -> Iterator[str]:
    """Yield names that may be those of data sets which no plugin has, also as parameters."""
    names = [plan.reading.test]
    for spec in plan.data:
        names += [spec.name, *spec.params.values()]
    for name in names:
        known = isinstance(name, str) and entry_of(name).in_files
        if isinstance(name, str) and not (known and owner("datasets", name)):
            yield name


def resolve_metrics(
    show: ShowOptions, pairs: Spec | None = None, limit: float | None = None
) -> ShowOptions:
    """Return the options with the names of their metrics; the default one is that of the pairs.

    Parameters
    ----------
    limit : float, optional
        Seconds for the plugin of each metric.

    Raises
    ------
    AucbenchError
        When a metric makes no sense.
    """
    from aucbench.bench.measuring import default_measure, measure_of, supervised

    texts = [spec for text in show.metrics for spec in split_specs(text)]
    with supervised(), within(limit):
        names = [measure_of(text).name for text in texts or [default_measure(pairs)]]
    return replace(show, metrics=tuple(dict.fromkeys(names)))


def require_no_run(function: str) -> None:
    """Raise `ParameterError` if a function is called while a run imports the file it is in."""
    if is_supervised():
        raise ParameterError(
            f"{function} was called while a run imports this file; put the call under "
            "if __name__ == '__main__':"
        )


def name_of(data: Data, what: str = "data") -> Spec:
    """Return how a plan names rows in memory: by their hash."""
    from aucbench.bench.worker.rows import data_hash  # it imports SciPy

    return Spec(f"{what}-{data_hash(data)[:SHOWN]}{INLINE_MARK}")


def warn_of(data: Data, name: Spec) -> None:
    """Warn the caller's caller of what may be wrong in its table; a notebook shows it anyway."""
    lines = [line for line in data.understood.lines() if line.startswith(WARNING)]
    if lines and not in_notebook():
        faults = "; ".join(line.removeprefix(WARNING) for line in lines)
        warn(f"{short(name)}: {faults}", stacklevel=4)


@contextmanager
def handed_over(held: Mapping[Spec, Data], inline: Inline = NOTHING) -> Iterator[Inline]:
    """Write rows in memory into a folder, for the workers; add them to the objects of a plan."""
    if not held:
        yield inline
        return
    from aucbench.bench.worker.rows import save_data

    with Scratch() as scratch:
        places = {name: scratch.path / str(number) for number, name in enumerate(held)}
        for name, place in places.items():
            save_data(held[name], place)
        yield replace(inline, datasets={name: str(place) for name, place in places.items()})
