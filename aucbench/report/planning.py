"""A plan for the next comparison, from the results of an earlier one."""

from __future__ import annotations

from dataclasses import replace

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
    """Say what a comparison can find, before it is run; see `aucbench.stats.plan`.

    Numbers that are not given are those of earlier results, whose spread is that of the pair of
    solvers in the middle. Without results, there are 5 splits and 2 solvers. `sd` and `split_sd`
    are standard deviations of a difference: over data sets, with these splits, and between the
    splits of a data set. It raises `DataError` when the earlier results have no difference of two
    solvers on two data sets.
    """
    if evidence is None:
        if data_sets is None or sd is None:
            raise ParameterError(
                "a plan takes --data-sets and --sd, the standard deviation of a difference over "
                "data sets, such as 0.01; or give a results folder, which has both"
            )
        splits, solvers = SPLITS if splits is None else splits, 2 if solvers is None else solvers
        require_whole(1, splits=splits)
        ratio = 1.0 / (splits - 1) if splits > 1 else 0.0  # of cross-validation
        spread = Spread(sd, splits, split_sd or 0.0, ratio)
    else:
        values = values_by_split(evidence)
        spread = Spread.typical(values, evidence.ratio(*evidence.finished))
        named = {"sd": sd, "split_sd": split_sd}
        spread = replace(spread, **{name: x for name, x in named.items() if x is not None})
        data_sets = len(values) if data_sets is None else data_sets
        splits = max(1, round(spread.splits)) if splits is None else splits
        solvers = values.shape[1] if solvers is None else solvers
    options = {"level": level, "wanted": wanted}
    return plan(data_sets, splits, spread, difference=difference, solvers=solvers, **options)


def values_by_split(evidence: Evidence) -> Array:
    """Return the AUCs of the finished data sets, shape (N, k, J).

    A split has the same place for all solvers of its data set. NaN stands where a solver has no
    value or one of its cells failed, and where a data set has fewer than J splits.
    """
    rows = [evidence.by_split(dataset) for dataset in evidence.finished]
    most = max((aucs.size for row in rows for aucs in row.values()), default=0)
    table = np.full((len(rows), len(evidence.solvers), most), np.nan)
    for i, (dataset, row) in enumerate(zip(evidence.finished, rows, strict=True)):
        for solver, aucs in row.items():
            if evidence.group(dataset, solver).complete:
                table[i, solver, : aucs.size] = aucs
    return table
