"""Rows out of core: when a fit reads rows in chunks, and which of them it needs in memory.

Design
  a. A fit reads rows in chunks if they come in several files, or would not fit in memory; and if
     the file is large and all that is asked for can be had from chunks, since that is faster.
  b. The first reading says whether a cell is missing. A file that is only large is read into memory
     then, where gaps are filled.
  c. Solvers are compared on chunks as on rows in memory. Of the held-out rows a sample is read into
     memory: it chooses the threshold and the probabilities, and explains the model.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.sources import names_files, why_too_large
from aucbench.data import Data
from aucbench.data.arrays import Index, Rows, Vector, rows
from aucbench.data.understood import Remark, by_kind
from aucbench.datasets.chunked.data import open_chunked, sampled, understood_of
from aucbench.datasets.chunked.footers import Footer
from aucbench.datasets.endings import PARQUET
from aucbench.datasets.suspects import outliers_of_columns, suspects
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.features.chunked import MAPS
from aucbench.models.model import Model
from aucbench.models.options import FitOptions, FitRunOptions
from aucbench.models.recipe import Recipe, one_thread
from aucbench.processes.host import cores
from aucbench.records import Run
from aucbench.registry import get_solver
from aucbench.scale import ChunkedData, Here, Parts
from aucbench.scale.engines import HERE
from aucbench.scale.survey import stacked
from aucbench.solving.refusals import why_not_chunks

LARGE = 2 * 10**7  # numbers of a Parquet file from which chunks are faster
MEGABYTE = 1_000_000
SAMPLE, RARE, MOST = 50_000, 500, 400_000  # rows in memory; of the rarer class; at most
NUMBERS = 20_000_000  # of such a sample, at most


def open_large(
    source: Any, asked: FitOptions, tell: Callable[[str], object] = lambda _: None
) -> ChunkedData | None:
    """Return the rows of a source that is read in chunks; None if it is read into memory.

    Parameters
    ----------
    source : str, path or table
    tell : function (str), optional
        Called with a sentence on why rows are read in chunks, and what is done besides.

    Raises
    ------
    ParameterError
        When an option of chunks is given and the source is read into memory, or cannot be.
    UnsupportedError
        When something that is asked for does not work in chunks.
    AucbenchError
        As `open_chunked`.
    """
    own = asked.out_of_core
    why = _why(source, asked)
    if why is None and _is_faster(source, asked):
        data = _opened(source, asked, tell)
        if _is_complete(data):
            tell(f"{source}: a fit is faster if so many rows are read in chunks")
            return data
    if why is not None:
        tell(why)
        _require_possible(asked)
        return _opened(source, asked, tell)
    given = {"engine": own.engine != HERE, "skip-bad": own.skip_bad}
    if named := [name for name, is_given in given.items() if is_given]:
        raise ParameterError(
            f"--{named[0]} is for rows that are read in chunks, and these fit in memory; add "
            f"--in-chunks, or leave --{named[0]} out"
        )
    return None


def _opened(source: Any, asked: FitOptions, tell: Callable[[str], object]) -> ChunkedData:
    own, seed = asked.out_of_core, asked.search.seed
    more: dict[str, Any] = {"engine": own.engine, "skip_bad": own.skip_bad, "tell": tell}
    return open_chunked(source, asked.read, seed=seed, **more)


def _why(source: Any, asked: FitOptions) -> str | None:
    """Return in a sentence why a source has to be read in chunks; None if it has not."""
    wanted, memory = asked.out_of_core.in_chunks, asked.out_of_core.memory
    if not isinstance(source, str | os.PathLike):
        if wanted:
            raise ParameterError(
                "a table in memory is not read in chunks; give the path of files, or leave "
                "in_chunks out"
            )
        return None
    text = os.fspath(source)
    if names_files(text):
        if wanted is False:
            raise ParameterError(
                f"{source} names several files, which are read in chunks only; name one file, or "
                "leave --no-in-chunks out"
            )
        return f"{source}: the files are read in chunks, again and again"
    if wanted is not None:
        return f"{source} is read in chunks, again and again" if wanted else None
    return why_too_large(Path(text), None if memory is None else int(memory * MEGABYTE))


def _is_faster(source: Any, asked: FitOptions) -> bool:
    """Whether a file is so large that chunks are faster, and all that is asked for works so."""
    search, is_file = asked.search, isinstance(source, str | os.PathLike)
    path = Path(source) if is_file else Path()
    if asked.out_of_core.in_chunks is False or search.is_automatic or search.tuned:
        return False
    if path.suffix.lower() != PARQUET or not path.is_file():
        return False
    footer = Footer.of(path)
    if sum(footer.rows) * len(footer.fields) < LARGE:
        return False
    try:
        _require_possible(asked)
    except UnsupportedError:
        return False
    return True


def _is_complete(data: ChunkedData) -> bool:
    """Whether all cells hold finite numbers."""
    try:
        return data.survey.counts[0] >= 0
    except DataError:
        return False


def _require_possible(asked: FitOptions) -> None:
    """Raise `UnsupportedError` when something that is asked for does not work in chunks."""
    read = asked.read
    given = {
        "--pairs": asked.pairs is not None,
        "--monotone": asked.monotone is not None,
        "--scorecard": asked.scorecard.is_asked,
        "--test": read.test is not None,
        "--groups": read.groups is not None,
        "--time": read.time is not None,
        "--weights": read.weights is not None,
        "--labels": read.labels != "two",
        "--time-to-event": read.event is not None,
    }
    if named := [name for name, is_given in given.items() if is_given]:
        raise UnsupportedError(
            f"{', '.join(named)} cannot be had when rows are read in chunks; leave it out, or fit "
            "to a file that is read into memory"
        )
    if asked.search.features not in MAPS:
        raise UnsupportedError(
            f"--features {asked.search.features} learns from rows in memory; of rows in chunks "
            f"take one of {', '.join(MAPS)}"
        )
    for spec in () if asked.search.is_automatic else asked.search.solver:
        if reason := why_not_chunks(get_solver(spec)):
            raise UnsupportedError(reason)


def run_options(data: Data | ChunkedData, options: FitRunOptions) -> FitRunOptions:
    """Return how fits are run: those that read chunks one after the other, with all threads."""
    if not isinstance(data, ChunkedData):
        return options
    return replace(options, jobs=1, threads=max(options.threads, options.jobs or cores()))


def rows_of(data: Data | ChunkedData, numbers: Index) -> Rows:
    """Return some rows in memory, as `Model.scores` takes them; one reading if in chunks."""
    if isinstance(data, ChunkedData):
        return sampled(data, numbers).rows
    return data.rows.take(numbers)


def some_held(data: ChunkedData, held: Index, seed: int) -> Index:
    """Return numbers of held-out rows that are read into memory: enough of the rarer class."""
    rarer = min(data.n_pos, data.n_neg) / data.n
    most = int(min(max(SAMPLE, RARE / rarer), MOST, NUMBERS / data.d))
    if held.size <= most:
        return held
    chosen = np.random.default_rng([seed, 2]).choice(held, most, replace=False, shuffle=False)
    return np.sort(chosen)


def fitted_in_chunks(
    recipe: Recipe, parts: Parts, validation: float | None
) -> tuple[Model, Run, NDArray[np.int8], Vector]:
    """Return the model of rows in chunks, its run, and labels and scores for the threshold.

    Parameters
    ----------
    validation : float or None
        Share of the rows that is held out for the threshold; None: training rows choose it.

    Raises
    ------
    AucbenchError
        As `Recipe.fit`.
    """
    engine = getattr(parts, "engine", None) or Here()
    known = understood_of(parts)
    whole = ChunkedData(parts, engine, seed=recipe.seed, understood=known)
    for line in by_kind([*_outlying(whole)]):
        warn(line, stacklevel=3)
    rest, held = None, np.arange(whole.n, dtype=np.int32)
    if validation is not None:
        is_held = np.random.default_rng([recipe.seed, 3]).random(whole.n) < validation
        rest, held = held[~is_held], held[is_held]
    with one_thread():
        model, run = recipe.fit(whole, rest)
    table = sampled(whole, some_held(whole, held, recipe.seed))
    return model, run, table.y, model.scores(table.rows)[:, 0]


def remarks_of(data: ChunkedData, sample: Data) -> Iterator[Remark]:
    """Yield what may be wrong in columns: in a sample of the rows, and by the extremes of all."""
    yield from _strange(sample)
    yield from _outlying(data)


def _outlying(data: ChunkedData) -> Iterator[Remark]:
    known = stacked(*(own.rows for own in data.survey.samples))
    table = stacked(known, rows(data.extremes))
    yield from outliers_of_columns(table, data.names, deviations=data.deviation)


def _strange(sample: Data) -> Iterator[Remark]:
    from pandas import DataFrame

    if sample.rows.is_sparse:  # as of sparse files that are read into memory
        return
    table = sample.rows.matrix
    names = sample.names or [f"column {j}" for j in range(sample.d)]
    frame = DataFrame(dict(zip(names, table.T, strict=True)))
    for column in () if sample.schema is None else sample.schema.columns:
        if column.levels:
            codes = frame[column.name].to_numpy().astype(int)
            frame[column.name] = np.array(column.levels, object)[codes]
        elif column.kind == "date":
            frame[column.name] = frame[column.name].to_numpy().astype("datetime64[s]")
    yield from suspects(frame, sample.y > 0)
