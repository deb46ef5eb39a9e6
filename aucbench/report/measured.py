"""What results say by several metrics: findings of the first one, means of the others."""

from __future__ import annotations

from dataclasses import dataclass

from aucbench.bench.options import ShowOptions
from aucbench.errors import DataError
from aucbench.report.findings import Findings, Means, Settings, findings_of, means_of
from aucbench.report.frame import Frame
from aucbench.report.within import AUC


@dataclass(frozen=True, slots=True)
class Measured:
    """What results say by several metrics."""

    findings: Findings  # by the first metric that can be had
    others: tuple[Means, ...]  # of the other metrics
    missing: tuple[str, ...]  # why a metric is missing, a sentence each


def measure(frame: Frame, show: ShowOptions, *, curves: bool = True) -> Measured:
    """Return the findings of the first metric that can be had, or else of the AUC.

    Without a metric it is that of the pairs which all cells share.

    Raises
    ------
    DataError
        When there is no AUC either.
    """
    missing: list[str] = []
    names = show.metrics or (None,)
    for name in dict.fromkeys((*names, AUC)):
        settings = Settings(
            measure=name,
            rope=show.rope,
            level=show.level,
            reference=show.reference,
            mixed=show.mixed,
            curves=curves,
        )
        try:
            findings = findings_of(frame, settings)
            break
        except DataError as error:
            if name in (None, AUC):
                raise
            missing.append(f"{name} is missing: {error}")
    others: list[Means] = []
    for name in show.metrics[len(missing) + 1 :]:
        try:
            others.append(means_of(frame, name))
        except DataError as error:
            missing.append(f"{name} is missing: {error}")
    return Measured(findings, tuple(others), tuple(missing))
