"""A plan for the next comparison, from the results of an earlier one."""

from __future__ import annotations

import numpy as np

from aucbench.errors import ParameterError, require_whole
from aucbench.report.evidence import Evidence
from aucbench.report.fits import Array
from aucbench.stats.power import POWER, PowerPlan, Spread, plan
from aucbench.stats.words import LEVEL

SPLITS = 5  # as of `aucbench compare`


def power_plan(
    evidence: Evidence | None = None,
    *,
    data_sets: int | None = None,
    splits: int | None = None,
    solvers: int | None = None,
    sd: float | None = None,
    split_sd: float | None = None,
    difference: float | None = None,
    level: float = LEVEL,
    wanted: float = POWER,
) -> PowerPlan:
    """Say what a comparison can find, before it is run.

    Parameters
    ----------
    evidence : Evidence, optional
        Earlier results: the numbers that are not given are theirs, and the spread is that of the
        pair of solvers in the middle.
    data_sets, splits, solvers : int, optional
        What is planned. Without earlier results: 5 splits, 2 solvers.
    sd, split_sd : float, optional
        Standard deviations of a difference: over data sets, with these splits, and between the
        splits of a data set.
    difference, level, wanted :
        As in `aucbench.stats.plan`.

    Raises
    ------
    DataError
        When the earlier results have no difference of two solvers on two data sets.
    ParameterError
        When a number makes no sense, or is missing without earlier results.
    """
    if evidence is None:
        if data_sets is None or sd is None:
            raise ParameterError(
                "a plan takes --data-sets and --sd, the standard deviation of a difference over "
                "data sets, such as 0.01; or give a results folder, which has both"
            )
        assumed = SPLITS if splits is None else splits
        require_whole(1, splits=assumed)
        ratio = 1.0 / (assumed - 1) if assumed > 1 else 0.0  # of cross-validation
        spread = Spread(sd, assumed, split_sd or 0.0, ratio)
        return plan(
            data_sets,
            assumed,
            spread,
            difference=difference,
            solvers=2 if solvers is None else solvers,
            level=level,
            wanted=wanted,
        )
    values = values_by_split(evidence)
    found = Spread.typical(values, evidence.ratio(*evidence.finished))
    spread = Spread(
        found.sd if sd is None else sd,
        found.splits,
        found.split_sd if split_sd is None else split_sd,
        found.ratio,
    )
    return plan(
        len(values) if data_sets is None else data_sets,
        max(1, round(found.splits)) if splits is None else splits,
        spread,
        difference=difference,
        solvers=values.shape[1] if solvers is None else solvers,
        level=level,
        wanted=wanted,
    )


def values_by_split(evidence: Evidence) -> Array:
    """Return the AUCs of the finished data sets, shape (N, k, J).

    A split has the same place for all solvers of its data set. NaN stands where a solver has no
    value or one of its cells failed, and where a data set has fewer than J splits.
    """
    rows = [dict(evidence.row(dataset)) for dataset in evidence.finished]
    splits = [sorted({fold for group in row.values() for fold in group.fits}) for row in rows]
    found = np.full((len(rows), len(evidence.solvers), max(map(len, splits), default=0)), np.nan)
    for i, row in enumerate(rows):
        for solver, group in row.items():
            for j, fold in enumerate(splits[i]):
                if group.complete and fold in group.fits:
                    found[i, solver, j] = group.fits[fold].auc
    return found
