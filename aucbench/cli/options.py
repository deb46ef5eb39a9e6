"""Options that commands share, as dataclasses; see `aucbench.cli.groups`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aucbench.bench.options import specs
from aucbench.errors import DataError

if TYPE_CHECKING:
    from aucbench.bench.plan.plan import Plan
    from aucbench.report.evidence import Evidence
    from aucbench.report.findings import Findings, Means
    from aucbench.stats import Measure

FILES = "How files are read"
FITS = "Splits, seeds and budgets"
RUNS = "How cells are run"
OUTPUT = "What is printed"


@dataclass(frozen=True, slots=True)
class Output:
    """What is printed, as it was asked for.

    Attributes
    ----------
    metrics : tuple of str
        auc, ap, pauc[max_fpr=.1], precision[k=10], recall[k=10], brier, log-loss, or what
        `list metrics` shows, from the stored scores; the verdict is on the first one; repeatable.
        [default: that of the pairs, which of all pairs is auc]
    reference : str, optional
        Solver with which each other one is compared. [default: logistic, where it takes part]
    """

    metrics: tuple[str, ...] = field(default=(), metadata={"whole": True})
    reference: str | None = None

    def measures(self, plan: Plan) -> tuple[Measure, ...]:
        """Look up the metrics, in the time of a cell of the plan for each look-up.

        Raises
        ------
        AucbenchError
            When a metric makes no sense.
        """
        from aucbench.bench.measuring import default_measure, measure_of, supervised
        from aucbench.registry.isolated_imports import within

        with supervised(), within(plan.timeout or None):
            named = specs(self.metrics) or (default_measure(plan.pairs),)
            return tuple(dict.fromkeys(map(measure_of, named)))

    def findings(
        self, evidence: Evidence, measures: Sequence[Measure]
    ) -> tuple[Findings, list[Means], list[str]]:
        """Return the findings of the first measure that can be had, and the means of the others.

        Where none of those that were asked for can be had, it is the AUC. The third is why some
        cannot.
        """
        from aucbench.report.findings import Settings, findings_of, means_of

        names = [measure.name for measure in measures]
        missing: list[str] = []
        for name in dict.fromkeys((*names, "auc")):
            try:
                first = findings_of(
                    evidence, Settings(measure=name, reference=self.reference, curves=False)
                )
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
