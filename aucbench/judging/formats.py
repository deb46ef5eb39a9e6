"""The formats of tables of results, and how one is known by its columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.judging.files import Sheet
from aucbench.judging.metrics import NEGATIVE, UNNAMED, direction, plain
from aucbench.judging.options import Columns
from aucbench.judging.table import (
    DATASET,
    FOLD,
    REPEAT,
    ROLES,
    USUAL,
    Long,
    column_of,
    long_of,
    numbers,
    require_columns,
    roles_of,
    stacked,
    texts,
)

AUTO = "auto"
Rows = Callable[[Sequence[Sheet], Columns, str | None], Long]
ERROR = "metric_error"  # a column: what a metric lacks to its best value
WIDE_NAMES = {"dataset": DATASET, "fold": FOLD, "repeat": REPEAT}
BENCHOPT = ("solver_name", "stop_val")
BENCHOPT_DATA = ("dataset_name", "data_name")
BENCHOPT_START = "objective_"
BENCHOPT_NAME, BENCHOPT_VALUE = "objective_name", "objective_value"
DIVERGED = "The last value of the curve is infinite."
AMLB = ("framework", "task", "fold", "result")
ROUNDING = 1e-5  # relative difference of two columns that are rounded
TABARENA = (ERROR, "dataset", "fold", "metric")
TABARENA_NAMES = {
    **USUAL,
    "method": ("method", "framework"),
    "dataset": ("dataset",),
    "fold": ("fold",),
}
SPLIT = re.compile(r"split(\d+)_test_(.+)")
PARAM = "param_"
PARAMS = "params"


def is_long(names: Sequence[str], asked: Columns) -> bool:
    """Whether a column has the methods."""
    return "method" in roles_of(names, asked)


def long_rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the values, one in each row; without a column of data sets a file is one."""
    import pandas as pd

    frame = stacked(sheets)
    names = [*frame.columns]
    roles = roles_of(names, asked)
    column_of("method", "methods", roles, names)
    own = {role: frame[column] for role, column in roles.items() if role not in ("value", "metric")}
    if "dataset" not in roles:
        own["dataset"] = _files(sheets)
    metric = texts(frame[roles["metric"]]) if "metric" in roles else None
    parts = []
    for column in _value_columns(names, roles, by):
        name = column if metric is None else metric
        if metric is not None and plain(column) == ERROR:
            name = metric + "_error"
        parts.append(long_of(frame[column], metric=name, **own))
    return Long(pd.concat(parts, ignore_index=True))


def _files(sheets: Sequence[Sheet]) -> Any:
    """Return the name of its file for each row of `stacked`."""
    import pandas as pd

    return pd.Series([sheet.name for sheet in sheets for _ in range(len(sheet.frame))])


def _value_columns(names: Sequence[str], roles: dict[str, str], by: str | None) -> list[str]:
    """Return the columns of the values: the one of this role, or else those named as metrics."""
    taken = {column for role, column in roles.items() if role != "value"}
    asked = [by] if by is not None and by in names and by not in taken else []
    if "value" in roles:
        return asked or [roles["value"]]
    free = [name for name in names if name not in taken and plain(name) not in UNNAMED]
    metrics = [name for name in free if direction(name) is not None or name in asked]
    return metrics or [column_of("value", "values", roles, names)]


def wide_rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the values of a row for each data set or fold, and a column for each method.

    The first column has the data sets, unless one is named so.
    """
    import pandas as pd

    frame = stacked(sheets)
    names = [*frame.columns]
    roles = roles_of(names, asked, WIDE_NAMES)
    if not {"dataset", "fold"} & {*roles}:
        roles["dataset"] = next(name for name in names if name not in roles.values())
    own = {role: frame[column] for role, column in roles.items()}
    if "dataset" not in roles:
        own["dataset"] = _files(sheets)
    methods = [name for name in names if name not in roles.values()]
    try:
        parts = [long_of(frame[name], **own, method=name, metric=by or "") for name in methods]
    except DataError as error:
        raise DataError(
            f"{error}; each of the columns {', '.join(methods)} is read as a method, since none is "
            "known to hold their names: --method names it in a table with one value in each row"
        ) from error
    if not parts:
        raise DataError(f"it has the columns {', '.join(names)} and none of a method")
    return Long(pd.concat(parts, ignore_index=True))


def is_benchopt(names: Sequence[str], asked: Columns) -> bool:
    """Whether it has the columns of benchopt."""
    known = {*BENCHOPT} <= {*names} and bool({*BENCHOPT_DATA} & {*names})
    return known and any(name.startswith(BENCHOPT_START) for name in names)


def benchopt_rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the last point of each curve, of which a row is a point.

    The columns are those of version 1.10: objective_name, solver_name, dataset_name, stop_val,
    idx_rep, and objective_... for each value. Earlier versions write data_name for dataset_name.
    """
    import pandas as pd

    frame = stacked(sheets)
    data = next((name for name in BENCHOPT_DATA if name in frame.columns), BENCHOPT_DATA[0])
    require_columns(frame, (*BENCHOPT, data), "benchopt")
    dataset = texts(frame[data])
    if BENCHOPT_NAME in frame.columns and frame[BENCHOPT_NAME].nunique() > 1:
        dataset = dataset + ", " + texts(frame[BENCHOPT_NAME])
    repeat = texts(frame["idx_rep"]) if "idx_rep" in frame.columns else pd.Series("", frame.index)
    keys = [texts(frame["solver_name"]), dataset, repeat]
    steps = pd.Series(numbers(frame["stop_val"]), frame.index).fillna(-1.0)
    last = steps.groupby(keys, sort=False).idxmax().to_numpy()
    curves = {"method": keys[0][last], "dataset": dataset[last], "repeat": repeat[last]}
    parts = []
    for name in frame.columns:
        if name.startswith(BENCHOPT_START) and name != BENCHOPT_NAME and _is_numeric(frame[name]):
            metric = name if name == BENCHOPT_VALUE else name.removeprefix(BENCHOPT_START)
            parts.append(_ends_of_curves(frame.loc[last, name], metric, curves))
    if not parts:
        raise DataError(
            f"no column of numbers begins with {BENCHOPT_START}, so that it has no value"
        )
    return Long(pd.concat(parts, ignore_index=True))


def _ends_of_curves(column: Any, metric: str, curves: dict[str, Any]) -> Any:
    values = column.astype(np.float64)
    infinite = np.isinf(values)
    why = infinite.map({True: DIVERGED, False: ""})
    return long_of(values.mask(infinite), metric=metric, why=why, **curves)


def _is_numeric(column: Any) -> bool:
    from pandas.api.types import is_numeric_dtype

    return bool(is_numeric_dtype(column.dtype))


def is_amlb(names: Sequence[str], asked: Columns) -> bool:
    """Whether it has the columns of AMLB; those of its first version name no metric."""
    return {*AMLB} <= {*names} and ("metric" in names or bool(_named_metrics(names)))


def amlb_rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the results; a framework under several constraints counts as several methods.

    Some versions write the negative of a loss as `result`. So the value is taken from the column
    of the metric itself, such as logloss, and `result` must be it but for the sign.
    """
    import pandas as pd

    frame = stacked(sheets)
    require_columns(frame, AMLB, "AMLB")
    method = texts(frame["framework"])
    if "constraint" in frame.columns and frame["constraint"].nunique() > 1:
        method = method + ", " + texts(frame["constraint"])
    keys = {"method": method, "dataset": frame["task"], "fold": frame["fold"]}
    if "info" in frame.columns:
        keys["why"] = frame["info"]
    metric = _metric_of_rows(frame)
    if metric is not None and (by is None or by in {*metric} or by not in frame.columns):
        return Long(_amlb_values(frame, metric, keys))
    names = _named_metrics(frame.columns) if by is None or by not in frame.columns else [by]
    return Long(pd.concat([long_of(frame[name], metric=name, **keys) for name in names]))


def _named_metrics(names: Sequence[str]) -> list[str]:
    """Return the columns that are metrics by their names."""
    return [name for name in names if name not in AMLB and direction(name) is not None]


def _metric_of_rows(frame: Any) -> Any:
    """Return the metric of each row; that of its task, where a row that failed names none."""
    if "metric" not in frame.columns:
        return None
    metric, task = texts(frame["metric"]).str.removeprefix(NEGATIVE), texts(frame["task"])
    known = dict(zip(task[metric != ""], metric[metric != ""], strict=True))
    return metric.where(metric != "", task.map(known).fillna(""))


def _amlb_values(frame: Any, metric: Any, keys: dict[str, Any]) -> Any:
    told = long_of(frame["result"], metric=metric, **keys)
    for name in dict.fromkeys(metric):
        at = (metric == name).to_numpy()
        if name in frame.columns:
            told.loc[at, "value"] = _own_column(numbers(frame[name])[at], told[at])
        elif direction(name):  # a loss is at least 0
            told.loc[at, "value"] = told.loc[at, "value"].abs()
    return told


def _own_column(values: Any, told: Any) -> Any:
    """Return the values of the column of the metric, which `result` must agree with."""
    result = told["value"].to_numpy()
    both = ~np.isnan(values) & ~np.isnan(result)
    apart = np.abs(np.abs(values) - np.abs(result)) > ROUNDING * np.maximum(1.0, np.abs(values))
    for row in np.flatnonzero(both & apart):
        one = told.iloc[row]
        raise DataError(
            f"{one.method} on {one.dataset}, fold {one.fold}, has the {one.metric} "
            f"{values[row]:g} and the result {result[row]:g}; give the column with --value"
        )
    return np.where(np.isnan(result), np.nan, values)


def is_tabarena(names: Sequence[str], asked: Columns) -> bool:
    """Whether it has the columns of TabArena."""
    return {*TABARENA} <= {*names} and bool({"method", "framework"} & {*names})


def tabarena_rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the metrics themselves where their best value is 1, and else the errors.

    metric_error is smaller for a better model. Of a metric whose best value is 1, the AUC above
    all, it is 1 less the metric; of a loss, also where its name begins with neg_, it is the loss.
    """
    frame = stacked(sheets)
    require_columns(frame, TABARENA, "TabArena")
    names = [name for name in frame.columns if name not in ("result", "score", "value")]
    roles = roles_of(names, asked, TABARENA_NAMES)
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


def is_cv_results(names: Sequence[str], asked: Columns) -> bool:
    """Whether a column has the scores of a split."""
    return any(map(SPLIT.fullmatch, names))


def cv_results_rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the scores of `cv_results_`; each file is a data set of its own.

    A row is a point, and a column a split. All scorers of scikit-learn are larger for a better
    model; those of losses begin with neg_.
    """
    import pandas as pd

    parts, points = [], 0
    for sheet in sheets:
        methods = pd.Series(_methods(sheet.frame))
        points = max(points, len(methods))
        for name in sheet.columns:
            if found := SPLIT.fullmatch(name):
                fold, metric = found.groups()
                told = (by or "") if metric in UNNAMED else metric
                own = {"dataset": sheet.name, "metric": told, "fold": fold}
                parts.append(long_of(sheet.frame[name], method=methods, **own))
    if not parts:
        raise DataError("no column has the scores of a split, such as split0_test_score")
    remark = (
        f"A grid of {points} points pays for {points} methods: a smaller one, chosen before, shows "
        "smaller differences."
    )
    return Long(pd.concat(parts, ignore_index=True), smaller=False, remarks=(remark,))


def _methods(frame: Any) -> list[str]:
    """Return the parameters of each row as a text; its number where the table has none."""
    if PARAMS in frame.columns:
        return [_point(one) for one in frame[PARAMS]]
    columns = [name for name in frame.columns if name.startswith(PARAM)]
    if not columns:
        return [f"row {number}" for number in range(len(frame))]
    told = {name.removeprefix(PARAM): texts(frame[name]) for name in columns}
    return [
        ", ".join(f"{name}={column.iloc[row]}" for name, column in told.items() if column.iloc[row])
        for row in range(len(frame))
    ]


def _point(params: Any) -> str:
    """Return parameters as in C=1, penalty=l2; those of a text file are written as Python does."""
    if isinstance(params, Mapping):
        return ", ".join(f"{name}={value}" for name, value in params.items()) or "its defaults"
    plain = str(params).strip().removeprefix("{").removesuffix("}")
    return re.sub(r"'(\w+)': '?([^',]*)'?", r"\1=\2", plain) or "its defaults"


READERS: dict[str, Rows] = {
    "long": long_rows,
    "wide": wide_rows,
    "benchopt": benchopt_rows,
    "amlb": amlb_rows,
    "tabarena": tabarena_rows,
    "sklearn": cv_results_rows,
}
# The columns that can be named; the others have the names of their tools.
TAKES: dict[str, tuple[str, ...]] = {
    "long": ROLES,
    "wide": ("dataset", "fold", "repeat", "family"),
    "tabarena": ("method", "dataset", "fold", "repeat", "metric"),
}
# The first one that fits; tools are known by their columns, unless others are asked for.
TOOLS = {
    "sklearn": is_cv_results,
    "benchopt": is_benchopt,
    "tabarena": is_tabarena,
    "amlb": is_amlb,
}


def long_table(sheets: Sequence[Sheet], form: str, asked: Columns, by: str | None) -> Long:
    """Return the single values of tables of one format.

    Raises
    ------
    UnknownNameError
        When there is no such format.
    DataError
        When tables are of different formats, or hold something else than this one.
    """
    if form != AUTO and form not in READERS:
        raise UnknownNameError("format", form, (AUTO, *READERS))
    forms = {sheet.name: form if form != AUTO else _form(sheet, asked) for sheet in sheets}
    if len({*forms.values()}) > 1:
        told = ", ".join(f"{name} {one}" for name, one in forms.items())
        raise DataError(f"the files are of different formats: {told}; judge them one by one")
    chosen = next(iter(forms.values()))
    if others := _not_taken(chosen, asked):
        raise ParameterError(
            f"--{others[0]} cannot name a column in the format {chosen}, which has its own; leave "
            "it out, or give --from long"
        )
    return READERS[chosen](sheets, asked, by)


def _not_taken(form: str, asked: Columns) -> list[str]:
    """Return the roles that are asked for, and that a format does not take."""
    known = TAKES.get(form, ())
    return [role for role in ROLES if getattr(asked, role) is not None and role not in known]


def _form(sheet: Sheet, asked: Columns) -> str:
    for name, fits in TOOLS.items():
        if not _not_taken(name, asked) and fits(sheet.columns, asked):
            return name
    return "long" if is_long(sheet.columns, asked) or asked.value else "wide"
