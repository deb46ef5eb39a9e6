"""`judge`: what a table of results of others says, in the words of `compare`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucbench.errors import ParameterError
from aucbench.judging.files import sheet_of
from aucbench.judging.formats import AUTO, long_table
from aucbench.judging.measured import measured
from aucbench.judging.options import JudgeOptions
from aucbench.judging.table import chosen
from aucbench.options import make_options, takes_options
from aucbench.report.document import Grid, text
from aucbench.report.findings import Findings, Settings, findings_of
from aucbench.report.leaderboard import leaderboard
from aucbench.report.tables import grids
from aucbench.report.terminal import answer, notes, sentences
from aucbench.report.verdict import verdict_json

if TYPE_CHECKING:
    from aucbench.report.render import InlinePage

FEW = 5  # data sets, each of which has a table in a terminal


@takes_options(JudgeOptions)
def judge(*tables: Any, form: str = AUTO, **options: Any) -> Judgement:
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
    Judgement
        With the verdict: `answer`, `table`, `findings` and `report`. A notebook shows it.

    Raises
    ------
    AucbenchError
        When a table cannot be read, or does not say what is asked of it; in one sentence.
    """
    return judged(tables, form, make_options(JudgeOptions, options, "judge"))


def judged(tables: Any, form: str, options: JudgeOptions) -> Judgement:
    """Return what tables say; raises as `judge`."""
    if not tables:
        raise ParameterError("there is no table of results; give a file or a data frame")
    several, judging = len(tables) > 1, options.judging
    sheets = [
        chosen(sheet_of(one, f"table {k}" if several else "this table"), options.columns.conditions)
        for k, one in enumerate(tables, 1)
    ]
    measure, evidence = measured(long_table(sheets, form, options.columns, judging.by), judging)
    settings = Settings(
        measure=measure,
        rope=judging.rope,
        level=judging.level,
        reference=judging.reference,
        most_pairs=None,
        most_values=None,
    )
    findings = findings_of(evidence, settings)
    title = ", ".join(Path(one).name for one in tables if isinstance(one, str | Path))
    return Judgement(findings, title or "results of others")


@dataclass(frozen=True)
class Judgement:
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
        return len(self.findings.insides) <= FEW

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
        """Return the tables, as `aucbench judge` prints them."""
        return text(self.grids)

    def __repr__(self) -> str:
        """Return the tables, the notes and the answer."""
        return "\n".join([self.table(), "", *self.notes, "", *answer(self.findings).splitlines()])

    def page(self) -> bytes:
        """Return the page of a report in UTF-8; it needs Jinja2."""
        from aucbench.report.page import page_of
        from aucbench.report.render import to_html

        return to_html(page_of(self.findings, folder=self.title))

    def report(self) -> InlinePage:
        """Return the page of a report, which a notebook shows inline and `save` keeps.

        Raises
        ------
        MissingExtraError
            When Jinja2 is not installed.
        """
        from aucbench.report.render import InlinePage

        return InlinePage(self.page(), "report of results")

    def json(self) -> bytes:
        """Return the verdict and the values behind it as one object of JSON, in ASCII."""
        return verdict_json(self.findings)
