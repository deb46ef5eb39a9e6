"""Results of TabArena and AutoGluon: method, dataset, fold, metric, metric_error.

metric_error is smaller for a better model. Of a metric whose best value is 1, the AUC above all,
it is 1 less the metric; of a loss, also where its name begins with neg_, it is the loss.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucbench.judging.files import Sheet
from aucbench.judging.metrics import NEGATIVE, direction, plain
from aucbench.judging.options import Columns
from aucbench.judging.roles import USUAL, column_of, roles_of
from aucbench.judging.table import Long, long_of, require_columns, stacked, texts

ERROR = "metric_error"
NEEDED = (ERROR, "dataset", "fold", "metric")
NAMES = {**USUAL, "method": ("method", "framework"), "dataset": ("dataset",), "fold": ("fold",)}


def fits(names: Sequence[str], asked: Columns) -> bool:
    """Whether it has the columns of TabArena."""
    return {*NEEDED} <= {*names} and bool({"method", "framework"} & {*names})


def rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the metrics themselves where their best value is 1, and else the errors."""
    frame = stacked(sheets)
    require_columns(frame, NEEDED, "TabArena")
    names = [name for name in frame.columns if name not in ("result", "score", "value")]
    roles = roles_of(names, asked, NAMES)
    column_of("method", "methods", roles, names)
    metric = texts(frame[roles["metric"]]).str.removeprefix(NEGATIVE)
    own = {
        role: frame[roles[role]]
        for role in ("method", "dataset", "fold", "repeat")
        if role in roles
    }
    told = long_of(frame[ERROR], metric=metric, **own)
    for name in dict.fromkeys(metric):
        at = (metric == name).to_numpy()
        if direction(name) is False:
            told.loc[at, "value"] = 1.0 - told.loc[at, "value"]
            told.loc[at, "metric"] = plain(name)
        elif direction(name) is None:
            told.loc[at, "metric"] = f"{name}_error"
    return Long(told)
