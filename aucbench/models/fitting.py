"""`fit`: a table becomes a model, from Python; the command of this name does the same."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aucbench.data import Data
from aucbench.datasets.files import TESTS, load
from aucbench.datasets.memory import is_table
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import ParameterError
from aucbench.models.building import fit_rows, read_table
from aucbench.models.chunked import open_large
from aucbench.models.model import Model
from aucbench.models.options import FitOptions
from aucbench.options import make_options, takes_options
from aucbench.progress import show_progress
from aucbench.report.running import name_of, require_no_run, warn_of
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
    asked.scorecard.require_writable()
    asked = replace(asked, read=replace(asked.read, test=TESTS)) if test else asked
    source = source_of(table, held)
    rows = read_table(source, asked, held)
    with show_progress(quiet=asked.run.quiet) as progress:
        model = fit_rows(rows, source, asked, progress)
    asked.scorecard.write(model)
    return model


def source_of(table: Any, held: Data | ChunkedData | None) -> str:
    """Return the name or the path of a table; rows in memory are named by their hash."""
    return str(name_of(held, "table")) if isinstance(held, Data) else os.fspath(table)


def _held(table: Any, reading: ReadOptions, test: Mapping[str, Any]) -> Data | None:
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
