"""Options that commands share, as dataclasses; see `aucbench.cli.groups`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aucbench.errors import DataError, ParameterError, require_at_least

if TYPE_CHECKING:
    from aucbench.bench.plan.plan import Plan
    from aucbench.report.evidence import Evidence
    from aucbench.report.findings import Findings, Means, Settings
    from aucbench.stats import Measure

WHOLE = {"whole": True}  # of a field: its texts are not divided at commas
FILES = "How files are read"
FITS = "Splits, seeds and budgets"
RUNS = "How cells are run"
OUTPUT = "What is printed"
JSON = "File that takes one object per fit; with --estimate of `run`, the estimate."


@dataclass(frozen=True, slots=True)
class Output:
    """What is printed, as it was asked for.

    Attributes
    ----------
    metrics : tuple of str
        auc, ap, pauc[max_fpr=.1], precision[k=10], recall[k=10], brier, log-loss, or what
        `list metrics` shows, from the stored scores; the verdict is on the first one; repeatable.
        [default: that of the pairs, which of all pairs is auc]
    rope : float
        Differences of the measure up to this size are practically zero.
    reference : str, optional
        Solver with which each other one is compared. [default: logistic, where it takes part]
    sort : str
        Order of the lines: plan, value or seconds.
    md : bool
        Print the tables in Markdown.
    tex : bool
        Print the tables in LaTeX.
    everything : bool
        Also what takes long where there are many data sets and solvers: pairs inside each data set,
        and what hangs on one of them.
    """

    metrics: tuple[str, ...] = field(default=(), metadata=WHOLE)
    rope: float = 0.005
    reference: str | None = None
    sort: str = "plan"
    md: bool = False
    tex: bool = False
    everything: bool = False

    def printed(self, plan: Plan) -> Printed:
        """Look up what is named, in the time of a cell of the plan for each look-up.

        Raises
        ------
        AucbenchError
            When an option makes no sense, or both `md` and `tex` are given.
        """
        from aucbench.bench.isolated.resolved import supervised
        from aucbench.bench.measuring import default_measure, measure_of
        from aucbench.registry.isolated_imports import within
        from aucbench.report.terminal import SORTS

        if self.md and self.tex:
            raise ParameterError("--md and --tex are two forms of the same tables; give one")
        if self.sort not in SORTS:
            raise ParameterError(f"--sort {self.sort} is no order; give {', '.join(SORTS)}")
        require_at_least(0.0, rope=self.rope)
        with supervised(), within(plan.timeout or None):
            named = specs(self.metrics) or (default_measure(plan.pairs),)
            return Printed(
                tuple(dict.fromkeys(map(measure_of, named))),
                self.rope,
                self.reference,
                self.sort,
                "md" if self.md else "tex" if self.tex else "text",
                self.everything,
            )


@dataclass(frozen=True, slots=True)
class Printed:
    """What `run` and `compare` print when a run has ended.

    Attributes
    ----------
    measures : tuple of Measure
        The verdict is on the first one.
    rope : float
    reference : str or None
        A solver against which the others are told.
    sort, form : str
        Keys of `aucbench.report.terminal.SORTS` and `aucbench.report.document.FORMS`.
    everything : bool
        Whether what takes long is told of large plans too.
    """

    measures: tuple[Measure, ...]
    rope: float
    reference: str | None
    sort: str
    form: str
    everything: bool

    def findings(self, evidence: Evidence) -> tuple[Findings, list[Means], list[str]]:
        """Return the findings of the first measure that can be had, and the means of the others.

        Where none of those that were asked for can be had, it is the AUC. The third is why some
        cannot.
        """
        from aucbench.report.findings import findings_of, means_of

        names = [measure.name for measure in self.measures]
        missing: list[str] = []
        for name in dict.fromkeys((*names, "auc")):
            try:
                first = findings_of(evidence, self._settings(name))
                break
            except DataError as error:
                if name == "auc":
                    raise
                missing.append(f"{name} is missing: {error}")
        others: list[Means] = []
        for name in names[len(missing) + 1 :]:
            try:
                others.append(means_of(evidence, name))
            except DataError as error:
                missing.append(f"{name} is missing: {error}")
        return first, others, missing

    def _settings(self, name: str) -> Settings:
        from aucbench.report.findings import Settings
        from aucbench.report.limits import limits

        told = limits(everything=self.everything)
        return Settings(
            measure=name, rope=self.rope, reference=self.reference, curves=False, **told
        )


def specs(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the specifications of texts that may hold several."""
    from aucbench.registry.specs import split_specs

    return tuple(spec for text in texts for spec in split_specs(text))
