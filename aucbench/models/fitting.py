"""`fit`: a table becomes a model, from Python; the command of this name does the same."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from aucbench.bench import Store
from aucbench.bench.options import make_options, takes_options
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record
from aucbench.data import Data
from aucbench.datasets.files import TESTS, load
from aucbench.datasets.memory import is_table
from aucbench.datasets.reading import Reading
from aucbench.errors import ParameterError
from aucbench.kernels.parallel import threads
from aucbench.models.building import fitted
from aucbench.models.choosing import ModelPlan
from aucbench.models.chunked import open_large, options_of_cells
from aucbench.models.model import Model
from aucbench.models.options import FitOptions
from aucbench.processes.scratch import Scratch
from aucbench.registry.specs import INLINE_MARK
from aucbench.report.running import handed_over, name_of, records_of, require_no_run, warn_of
from aucbench.scale import ChunkedData


@takes_options(FitOptions)
def fit(table: Any, **options: Any) -> Model:
    """Compare solvers on a table, and return the best one, fitted to all rows.

    The options are those of the command `aucbench fit`, with the same defaults. The threshold
    maximises sensitivity + specificity, or serves one of the aims sensitivity,
    specificity, precision, flags with per, cost_fp with cost_fn. A notebook shows a bar, and so
    does a terminal on stderr; nothing is printed.

    Parameters
    ----------
    table : table, str or path
        A data frame of pandas or polars, a table of pyarrow, or another one that hands over its
        columns as Arrow; or a file, or the name of a data set. A folder of files, a pattern such
        as "rows/*.parquet", and a Parquet file that would not fit in memory are read in chunks, see
        docs/scale.md.

    Returns
    -------
    Model
        It scores new tables by `predict`, and is kept by `save`. With labels="classes" and three
        or more of them it decides by the probabilities of all classes.

    Raises
    ------
    AucbenchError
        When the table cannot be read, an option makes no sense, a model of a solver cannot be
        saved, no solver could be fitted to each training part, or the aim cannot be reached.

    Warns
    -----
    UserWarning
        Of what may be wrong in the table, outside of notebooks, where the model shows it.
    """
    require_no_run("fit")
    test = {"test": options["test"]} if is_table(options.get("test")) else {}
    plain = {name: value for name, value in options.items() if name not in test}
    asked = make_options(FitOptions, plain, "fit")
    held = (None if test else open_large(table, asked)) or _held(table, asked.read, test)
    limits = options_of_cells(held, asked.run)
    source = source_of(table, held)
    asked.scorecard.require_writable()
    read = replace(asked.read, test=TESTS) if test else asked.read
    wanted = ModelPlan(source=source, options=replace(asked, read=read), held=held)
    with (
        Scratch() as scratch,
        Store(scratch.path / "results", create=True) as store,
        handed_over({} if held is None else {source: held}) as inline,
    ):

        def run(plan: Plan) -> Sequence[Record]:
            return records_of(limits.limited(plan), store, limits, inline)

        with threads(limits.threads):
            model = fitted(wanted, run, store, jobs=limits.jobs)
    asked.scorecard.write(model)
    return model


def source_of(table: Any, held: Data | ChunkedData | None) -> str:
    """Return how a plan names a table: by its name or path, and rows in memory by their hash."""
    if isinstance(held, ChunkedData):
        return f"{os.fspath(table)}{INLINE_MARK}"
    return os.fspath(table) if held is None else name_of(held, "table")


def _held(table: Any, reading: Reading, test: Mapping[str, Any]) -> Data | None:
    """Return the rows of a table in memory; None where a file or a name is meant."""
    if is_table(table):
        rows = load(table, reading, **test)
        warn_of(rows, name_of(rows, "table"))
        return rows
    if test:
        raise ParameterError("a table of test rows is for a table; for a file name a file")
    if not isinstance(table, str | os.PathLike):
        raise ParameterError(
            f"got {type(table).__name__}, wanted a table with columns, such as a data frame, or "
            "the path or name of one; AUCClassifier fits arrays"
        )
    return None
