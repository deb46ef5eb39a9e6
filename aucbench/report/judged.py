"""`judge`: what a table of results of others says, in the words of `compare`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any

import numpy as np

from aucbench.bench.cell import solver_of
from aucbench.bench.options import ShowOptions
from aucbench.datasets.sheets import read_sheet
from aucbench.errors import ParameterError, shown
from aucbench.judging.formats import AUTO, long_table
from aucbench.judging.items import ItemFindings
from aucbench.judging.options import JudgeOptions
from aucbench.judging.table import Sheet
from aucbench.judging.values import Values, measure_values
from aucbench.options import make_options, takes_options
from aucbench.records import CellStatus
from aucbench.report.document import Section, text
from aucbench.report.findings import Findings, findings_of
from aucbench.report.frame import ExternalResults, Frame, Source
from aucbench.report.grid import Grid
from aucbench.report.judged_items import item_grid, item_json
from aucbench.report.notes import notes, sentences
from aucbench.report.tables import grids, leaderboard
from aucbench.report.verdict import verdict_json
from aucbench.stats.words import counted

if TYPE_CHECKING:
    from aucbench.report.html_page import InlinePage

WIDTH, INDENT = 80, "  "  # of lines of the answer
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
    title = title or "results of others"
    if values.of_items:
        return ItemVerdict(ItemFindings(values, options.level), title)
    return Verdict(_findings(values, options), title)


def _findings(values: Values, options: JudgeOptions) -> Findings:
    """Return all that is shown of values."""
    return findings_of(
        _frame(values),
        ShowOptions(rope=options.rope, level=options.level, reference=options.reference),
        chosen=values.metric,
        most_pairs=sys.maxsize if values.folds.shape[2] > 1 else 0,
    )


def _frame(values: Values) -> Frame:
    """Return the values as a frame; a method without one on a data set has failed there."""
    sets, methods, _ = values.folds.shape
    places = np.array(
        [
            (i, j, *place)
            for i, j in product(range(sets), range(methods))
            for place in values.places[i]
        ],
        np.intp,
    )
    auc = np.concatenate(
        [values.folds[i, :, : len(one)].ravel() for i, one in enumerate(values.places)]
    )
    missing = np.isnan(auc).tolist()
    columns: dict[str, Any] = {
        "auc": auc,
        "status": [MISSING if flag else CellStatus.OK for flag in missing],
        "why": [
            values.why(i, j) if flag else ""
            for flag, (i, j) in zip(missing, places[:, :2].tolist(), strict=True)
        ],
    }
    source = Source(
        families=values.families,
        external=ExternalResults(dict(enumerate(values.ratios)), values.remarks),
    )
    return Frame.of_columns(values.datasets, values.methods, places, columns, source)


@dataclass(frozen=True, repr=False)
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
    def sentences(self) -> list[str]:
        """The verdict in words, the answer first."""
        return sentences(self.findings)

    @property
    def grids(self) -> list[Grid]:
        """Each of a few data sets, and of several all methods over all."""
        return grids(self.findings) if self._few else [leaderboard(self.findings)]

    @property
    def notes(self) -> list[str]:
        """What stands below the tables."""
        return [*notes(self.findings, by_set=self._few)]

    @property
    def _few(self) -> bool:
        return len(self.findings.datasets) <= FEW

    @property
    def methods(self) -> Sequence[str]:
        """All methods of the table."""
        return self.findings.frame.solvers

    @property
    def possible(self) -> Collection[str]:
        """Those that may be the best."""
        return {self.methods[number] for number in self.findings.leading}

    @property
    def behind(self) -> Collection[str]:
        """Those that are certainly behind the best."""
        best = self.findings.advice.best
        return () if best is None else best.of(best.behind)

    @property
    def units(self) -> str:
        """What the verdict is over, as in "20 data sets"."""
        return counted(len(self.findings.frame.finished))

    def report(self) -> InlinePage:
        """Return the page of a report, which a notebook shows inline and `save` keeps."""
        from aucbench.report.page import page_of

        return page_of(self.findings, folder=self.title)

    def json(self) -> bytes:
        """Return the verdict and the values behind it as one object of JSON, in ASCII."""
        return verdict_json(self.findings)

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
        name = solver_of(self.methods, method)
        if name in self.possible:
            return BEST
        return BEHIND if name in self.behind else UNLIKELY

    def badge(self, method: str | None = None) -> str:
        """Return the verdict on a method, or on all of them, in a few words."""
        count = len(self.methods)
        if method is not None:
            return f"{method} {self.standing(method)} of {count} methods"
        return f"{len(self.possible)} of {count} methods may be the best ({self.units})"

    def __repr__(self) -> str:
        """Return the answer, the first lines of each table, and the notes."""
        tables = text([grid.first() for grid in self.grids])
        form = TextWrapper(WIDTH, subsequent_indent=INDENT, break_on_hyphens=False)
        lines = (line for sentence in self.sentences for line in form.wrap(sentence))
        return "\n".join([*lines, "", tables, "", *self.notes])


@dataclass(frozen=True, repr=False)
class ItemVerdict(Verdict):
    """What a table of results by item says.

    Attributes
    ----------
    findings : ItemFindings
        All numbers: means, ranks, who may be the best.
    """

    findings: ItemFindings  # type: ignore[assignment]

    @property
    def sentences(self) -> list[str]:
        """The verdict in words, the answer first."""
        return [shown(sentence) for sentence in self.findings.sentences]

    @property
    def grids(self) -> list[Grid]:
        """One table, with a line for each method."""
        return [item_grid(self.findings)]

    @property
    def notes(self) -> list[str]:
        """What stands below the table."""
        return [*self.findings.values.remarks]

    @property
    def methods(self) -> Sequence[str]:
        """All methods of the table."""
        return self.findings.values.methods

    @property
    def possible(self) -> Collection[str]:
        """Those that may be the best."""
        best = self.findings.best
        return best.of(best.possible)

    @property
    def behind(self) -> Collection[str]:
        """Those that are certainly behind the best."""
        best = self.findings.best
        return best.of(best.behind)

    @property
    def units(self) -> str:
        """What the verdict is over, as in "500 items in 12 groups"."""
        return self.findings.units

    def report(self) -> InlinePage:
        """Return the page of a report, which a notebook shows inline and `save` keeps."""
        from aucbench.report.html_page import make_page

        answer = Section("Answer", "", tuple(self.sentences))
        methods = Section("Methods", "", (*self.grids, *self.notes))
        return make_page(self.title, (), [answer, methods])

    def json(self) -> bytes:
        """Return the verdict and the numbers of each method as one object of JSON, in ASCII."""
        return item_json(self.findings)
