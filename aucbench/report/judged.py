"""`judge`: what a table of results of others says, in the words of `compare`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucbench.bench.cell import solver_of
from aucbench.bench.options import ShowOptions
from aucbench.datasets.sheets import read_sheet
from aucbench.errors import ParameterError
from aucbench.judging.formats import AUTO, long_table
from aucbench.judging.options import JudgeOptions
from aucbench.judging.table import Sheet
from aucbench.judging.values import Values, measure_values
from aucbench.options import make_options, takes_options
from aucbench.records import CellStatus
from aucbench.report.document import text
from aucbench.report.findings import Findings, findings_of
from aucbench.report.frame import ExternalResults, Frame, Place, Row, Source
from aucbench.report.grid import Grid
from aucbench.report.notes import answer, notes, sentences
from aucbench.report.tables import grids, leaderboard
from aucbench.report.verdict import verdict_json
from aucbench.stats.words import counted

if TYPE_CHECKING:
    from aucbench.report.html_page import InlinePage

FEW = 5  # data sets, each of which has a table in a terminal
BEST, UNLIKELY, BEHIND = (
    "may be the best",
    "is probably not the best",
    "is certainly behind the best",
)
MISSING = "missing"  # the status of a value that the table does not have


@takes_options(JudgeOptions)
def judge(*tables: Any, form: str = AUTO, **options: Any) -> Verdict:
    """Judge results that others have measured.

    `judge(table, by="roc_auc")` takes a data frame with a row for each value, or with a column for
    each method, and says which method may be the best, which are behind, and how sure that is.

    Parameters
    ----------
    *tables : path, data frame or mapping of str to sequence
        Tables of one format: files as CSV, Parquet, Excel, JSON or npz; data frames of pandas and
        polars, tables of pyarrow; and columns by name, such as `cv_results_` of scikit-learn.
    form : str
        long, wide, benchopt, amlb, tabarena or sklearn; auto knows them by their columns.

    Returns
    -------
    Verdict
        With the `answer`, the `table`, the `findings` and the `report`. A notebook shows it.

    Raises
    ------
    AucbenchError
        When a table cannot be read, or does not say what is asked of it; in one sentence.
    """
    return judge_tables(tables, form, make_options(JudgeOptions, options, "judge"))


def judge_tables(tables: Any, form: str, options: JudgeOptions) -> Verdict:
    """Return what tables say; raises as `judge`."""
    if not tables:
        raise ParameterError("there is no table of results; give a file or a data frame")
    several = len(tables) > 1
    sheets = [
        Sheet(*read_sheet(one, f"table {k}" if several else "this table"))
        for k, one in enumerate(tables, 1)
    ]
    values = measure_values(long_table(sheets, form, options.columns, options.by), options)
    title = ", ".join(Path(one).name for one in tables if isinstance(one, str | Path))
    return Verdict(_findings(values, options), title or "results of others")


def _findings(values: Values, options: JudgeOptions) -> Findings:
    """Return all that is shown of values."""
    source = Source(
        families=values.families,
        external=ExternalResults(dict(enumerate(values.ratios)), values.remarks),
    )
    frame = Frame.of(values.datasets, values.methods, _rows(values), source)
    return findings_of(
        frame,
        ShowOptions(rope=options.rope, level=options.level, reference=options.reference),
        chosen=values.metric,
        most_pairs=sys.maxsize if values.folds.shape[2] > 1 else 0,
    )


def _rows(values: Values) -> Iterator[tuple[Place, Row]]:
    """Yield the values as rows of a frame; a method without one on a data set has failed there."""
    sets, methods, _ = values.folds.shape
    for i, j in product(range(sets), range(methods)):
        folds = values.folds[i, j, : len(values.places[i])].tolist()
        missing = isnan(folds[0])
        status = MISSING if missing else CellStatus.OK
        why = values.why(i, j) if missing else ""
        for place, value in zip(values.places[i], folds, strict=True):
            yield Place(i, j, *place), {"status": status, "why": why, "auc": value}


@dataclass(frozen=True)
class Verdict:
    """What a table of results says.

    Attributes
    ----------
    findings : Findings
        All numbers: values, intervals, pairs with their words, who may be the best.
    title : str
        Where the table comes from.
    """

    findings: Findings
    title: str

    @property
    def grids(self) -> list[Grid]:
        """What a terminal shows: each of a few data sets, and of several all methods over all."""
        return grids(self.findings) if self._few else [leaderboard(self.findings)]

    @property
    def _few(self) -> bool:
        return len(self.findings.datasets) <= FEW

    @property
    def notes(self) -> list[str]:
        """What stands below the tables."""
        return [*notes(self.findings, by_set=self._few)]

    @property
    def sentences(self) -> list[str]:
        """The verdict in words."""
        return sentences(self.findings)

    def answer(self) -> str:
        """Return the verdict in words, a sentence on each line."""
        return "\n".join(self.sentences)

    def table(self) -> str:
        """Return all lines of the tables."""
        return text(self.grids)

    def standing(self, method: str) -> str:
        """Return what is said of a method, as in "may be the best".

        Raises
        ------
        UnknownNameError
            When the table has no such method.
        """
        names = self.findings.frame.solvers
        number = names.index(solver_of(names, method))
        best = self.findings.advice.best
        if number in self.findings.leading:
            return BEST
        return BEHIND if best is not None and best.behind[number] else UNLIKELY

    def badge(self, method: str | None = None) -> str:
        """Return the verdict on a method, or on all of them, in a few words."""
        names, sets = self.findings.frame.solvers, len(self.findings.frame.finished)
        if method is not None:
            return f"{method} {self.standing(method)} of {len(names)} methods"
        count = len(self.findings.leading)
        return f"{count} of {len(names)} methods may be the best ({counted(sets)})"

    def __repr__(self) -> str:
        """Return the answer, the first lines of each table, and the notes."""
        tables = text([grid.first() for grid in self.grids])
        return "\n".join([*answer(self.findings).splitlines(), "", tables, "", *self.notes])

    def report(self) -> InlinePage:
        """Return the page of a report, which a notebook shows inline and `save` keeps."""
        from aucbench.report.page import page_of

        return page_of(self.findings, folder=self.title)

    def json(self) -> bytes:
        """Return the verdict and the values behind it as one object of JSON, in ASCII."""
        return verdict_json(self.findings)
