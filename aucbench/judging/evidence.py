"""Values of others as the evidence that a report is made of.

The evidence knows values only. What else a report could show of a fit, such as its time, its
weights and its curve, is not there, and the tables and pages leave it out.
"""

from __future__ import annotations

from aucbench.judging.measured import Measured, OnDataSet
from aucbench.records import CellStatus
from aucbench.report.evidence import Elsewhere, Evidence, FoldKey, Group, Place
from aucbench.report.fits import NAN, Fit

NO_RATIO = 1.0  # of a data set with one value of each method, of which nothing is tested
MISSING = "missing"  # the status of a value that the table does not have
NO_VALUE = "The table has no value."
NO_ROWS = (
    "These are values of others: rows and scores were not seen, so that DeLong's part of the "
    "verdicts is missing."
)


def evidence_of_values(measured: Measured) -> Evidence:
    """Return the evidence of values; a method without one on a data set has failed there."""
    groups: dict[Place, Group] = {}
    for i, one in enumerate(measured.datasets):
        for j, method in enumerate(measured.methods):
            why = measured.reasons.get((one.name, method), NO_VALUE)
            groups[i, j] = Group(_fits(one, method, why))
    families = tuple(one.family for one in measured.datasets)
    ratios = {i: one.ratio or NO_RATIO for i, one in enumerate(measured.datasets)}
    return Evidence(
        datasets=tuple(one.name for one in measured.datasets),
        solvers=measured.methods,
        groups=groups,
        families=families if any(families) else (),
        elsewhere=Elsewhere(ratios, (NO_ROWS, *measured.remarks)),
    )


def _fits(one: OnDataSet, method: str, why: str) -> dict[FoldKey, Fit]:
    places = one.places or ((0, 0),)
    values = one.values.get(method)
    if values is None:
        return {FoldKey(*place): _fit(NAN, MISSING, why) for place in places}
    return {
        FoldKey(*place): _fit(value, CellStatus.OK)
        for place, value in zip(places, values, strict=True)
    }


def _fit(value: float, status: str, why: str = "") -> Fit:
    return Fit(id="", data="", status=status, why=why, auc=value)
