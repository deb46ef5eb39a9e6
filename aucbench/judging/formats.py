"""The formats of tables of results, and how one is known by its columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucbench.errors import DataError, ParameterError, UnknownNameError, is_number
from aucbench.judging.metrics import NEGATIVE, UNNAMED, direction, plain
from aucbench.judging.options import Columns
from aucbench.judging.table import (
    ROLES,
    USUAL,
    Long,
    Sheet,
    column_of,
    long_of,
    numbers,
    require_columns,
    roles_of,
    select_rows,
    texts,
)

AUTO = "auto"
ERROR = "metric_error"  # a column: what a metric lacks to its best value
PROBLEM = "problem_type"  # a column: each kind of problem has a metric of its own
WIDE_NAMES = {role: USUAL[role] for role in ("dataset", "item", "fold", "repeat")}
BENCHOPT = ("solver_name", "stop_val")
BENCHOPT_DATA = ("dataset_name", "data_name")
BENCHOPT_START = "objective_"
BENCHOPT_NAME, BENCHOPT_VALUE = "objective_name", "objective_value"
DIVERGED = "The last value of the curve is infinite."
AMLB = ("framework", "task", "fold", "result")
ROUNDING = 1e-5  # relative difference of two columns that are rounded
TABARENA = (ERROR, "dataset")
TABARENA_ROLES = ("method", "dataset", "fold", "repeat", "metric")
TABARENA_NAMES = {**{role: (role,) for role in TABARENA_ROLES}, "method": ("method", "framework")}
TABARENA_FOLDS = 3  # of a repeat; a split has the number 3 * repeat + fold
FOLD_OF_TASK = r"(.+)_(\d+)"  # a data set where AutoGluon counts each fold as one
IMPUTED = "imputed"  # a column: whether the value of a row was taken from another method
NOT_MEASURED = "The value is imputed."
SPLIT = re.compile(r"split(\d+)_test_(.+)")
PARAM = "param_"
PARAMS = "params"


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """What a format reads: tables below each other."""

    frame: Any
    files: Any  # the name of the file of each row
    columns: Columns  # those that the user names
    by: str | None  # the metric that the user names

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [*self.frame.columns]


def long_rows(source: Source, usual: Mapping[str, Sequence[str]] = USUAL) -> Iterator[Any]:
    """Yield the values, one in each row; without a column of data sets a file is one."""
    frame, names = source.frame, source.names
    roles = roles_of(names, source.columns, usual)
    column_of("method", "methods", roles, names)
    keys = _keys(source, roles)
    metric = texts(frame[roles["metric"]]) if "metric" in roles else None
    for column in _value_columns(names, roles, source.by):
        if is_error := plain(column) == ERROR:
            metric = _metric_of_errors(source) if metric is None else metric
        name = column if metric is None else metric
        rows = long_of(frame[column], metric=name, **keys)
        yield _of_errors(rows) if is_error else rows


def _keys(source: Source, roles: Mapping[str, str]) -> dict[str, Any]:
    """Return the columns that say where the values belong; an item is a data set of its own.

    The data sets are the families of their items, unless a column names these.
    """
    keys: dict[str, Any] = {"dataset": source.files}
    for role, column in roles.items():
        if role not in ("value", "metric"):
            keys[role] = source.frame[column]
    item = keys.pop("item", None)
    if item is not None and "dataset" in roles:
        keys.setdefault("family", keys["dataset"])
        keys["dataset"] = texts(keys["dataset"]) + "/" + texts(item)
    elif item is not None:
        keys["dataset"] = item
    return keys


def _metric_of_errors(source: Source) -> str:
    """Return the metric whose errors a table has that does not name it.

    Raises
    ------
    ParameterError
        When nobody says it, or it cannot be the same in all rows.
    """
    named = PROBLEM in source.names
    problems = [*dict.fromkeys(texts(source.frame[PROBLEM]))] if named else []
    if len(problems) > 1:
        raise ParameterError(
            f"{ERROR} is of another metric for each {PROBLEM}, here {', '.join(problems)}; choose "
            f"one with --where {PROBLEM}={problems[0]}"
        )
    if source.by is None:
        raise ParameterError(
            f"no column names the metric of which {ERROR} is the error; name it with --by, as in "
            "--by roc_auc"
        )
    return source.by


def _of_errors(rows: Any) -> Any:
    """Return the metrics themselves where their best value is 1, and else the errors.

    metric_error is smaller for a better model. Of a metric whose best value is 1, the AUC above
    all, it is 1 less the metric; of a loss, also where its name begins with neg_, it is the loss.
    """
    rows["metric"] = rows["metric"].str.removeprefix(NEGATIVE)
    for name, some in rows.groupby("metric", sort=False):
        if direction(name) is False:
            rows.loc[some.index, "value"] = 1.0 - some["value"]
            rows.loc[some.index, "metric"] = plain(name)
        elif direction(name) is None:
            rows.loc[some.index, "metric"] = f"{name}_error"
    return rows


def _value_columns(names: Sequence[str], roles: dict[str, str], by: str | None) -> list[str]:
    """Return the columns of the values: the one of this role, or else those named as metrics."""
    taken = {column for role, column in roles.items() if role != "value"}
    asked = [by] if by is not None and by in names and by not in taken else []
    if "value" in roles:
        return asked or [roles["value"]]
    free = [name for name in names if name not in taken and plain(name) not in UNNAMED]
    metrics = [name for name in free if direction(name) is not None or name in asked]
    return metrics or [column_of("value", "values", roles, names)]


def wide_rows(source: Source) -> Iterator[Any]:
    """Yield the values of a row for each data set, fold or item, and a column for each method.

    The first column has the data sets, unless one is named so. A column that says which rows are
    judged, or are imputed, is no method.
    """
    import pandas as pd

    frame, names = source.frame, source.names
    roles = roles_of(names, source.columns, WIDE_NAMES)
    free = [name for name in names if name not in roles.values()]
    no_method = source.columns.conditions
    methods = [name for name in free if name not in no_method and plain(name) != IMPUTED]
    if not {"dataset", "item", "fold"} & {*roles}:
        is_named = methods and not texts(frame[methods[0]]).map(is_number).any()
        roles["dataset"] = methods[0] if is_named else free[0]
        methods = [name for name in methods if name != roles["dataset"]]
    if not methods:
        raise DataError(f"it has the columns {', '.join(names)} and none of a method")
    keys = {role: texts(column) for role, column in _keys(source, roles).items()}
    try:
        values = pd.Series(
            np.concatenate([numbers(frame[name]) for name in methods]),
            np.tile(frame.index, len(methods)),
        )
    except DataError as error:
        raise DataError(
            f"{error}; each of the columns {', '.join(methods)} is read as a method, since none is "
            "known to hold their names: --method names it in a table with one value in each row"
        ) from error
    below = {role: pd.Series(np.tile(column, len(methods))) for role, column in keys.items()}
    method = pd.Series(np.repeat(methods, len(frame)))
    yield long_of(values, **below, method=method, metric=source.by or "")


def is_benchopt(names: Sequence[str]) -> bool:
    """Whether it has the columns of benchopt."""
    known = {*BENCHOPT} <= {*names} and bool({*BENCHOPT_DATA} & {*names})
    return known and any(name.startswith(BENCHOPT_START) for name in names)


def benchopt_rows(source: Source) -> Iterator[Any]:
    """Yield the last point of each curve, of which a row is a point.

    The columns are those of version 1.10: objective_name, solver_name, dataset_name, stop_val,
    idx_rep, and objective_... for each value. Earlier versions write data_name for dataset_name.
    """
    frame = source.frame
    data = next((name for name in BENCHOPT_DATA if name in frame.columns), BENCHOPT_DATA[0])
    require_columns(frame, (*BENCHOPT, data), "benchopt")
    dataset = texts(frame[data])
    if BENCHOPT_NAME in frame.columns and frame[BENCHOPT_NAME].nunique() > 1:
        dataset = dataset + ", " + texts(frame[BENCHOPT_NAME])
    keys = {"method": texts(frame["solver_name"]), "dataset": dataset}
    if "idx_rep" in frame.columns:
        keys["repeat"] = texts(frame["idx_rep"])
    steps = long_of(frame["stop_val"])["value"].fillna(-1.0)
    last = steps.groupby([*keys.values()], sort=False).idxmax().to_numpy()
    curves = {role: column[last] for role, column in keys.items()}
    ends = frame.loc[last].drop(columns=BENCHOPT_NAME, errors="ignore")
    ends = ends.filter(regex=f"^{BENCHOPT_START}").select_dtypes(["number", "bool"])
    if ends.columns.empty:
        raise DataError(
            f"no column of numbers begins with {BENCHOPT_START}, so that it has no value"
        )
    for name, values in ends.astype(np.float64).items():
        metric = name if name == BENCHOPT_VALUE else name.removeprefix(BENCHOPT_START)
        infinite = np.isinf(values)
        why = infinite.map({True: DIVERGED, False: ""})
        yield long_of(values.mask(infinite), metric=metric, why=why, **curves)


def is_amlb(names: Sequence[str]) -> bool:
    """Whether it has the columns of AMLB; those of its first version name no metric."""
    return {*AMLB} <= {*names} and ("metric" in names or bool(_named_metrics(names)))


def amlb_rows(source: Source) -> Iterator[Any]:
    """Yield the results; a framework under several constraints counts as several methods.

    All folds of a task are of one repeat. Some versions write the negative of a loss as `result`.
    So the value is taken from the column of the metric itself, such as logloss, and `result` must
    be it but for the sign.
    """
    frame, by = source.frame, source.by
    require_columns(frame, AMLB, "AMLB")
    method = texts(frame["framework"])
    if "constraint" in frame.columns and frame["constraint"].nunique() > 1:
        method = method + ", " + texts(frame["constraint"])
    keys = {"method": method, "dataset": frame["task"], "repeat": "0", "fold": frame["fold"]}
    if "info" in frame.columns:
        keys["why"] = frame["info"]
    metric = _metric_of_rows(frame)
    asks_column = by is not None and by in frame.columns
    if metric is not None and not (asks_column and by not in {*metric}):
        yield _amlb_values(frame, metric, keys)
        return
    for name in [by] if asks_column else _named_metrics(frame.columns):
        yield long_of(frame[name], metric=name, **keys)


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
    rows = long_of(frame["result"], metric=metric, **keys)
    for name in dict.fromkeys(metric):
        at = (metric == name).to_numpy()
        if name in frame.columns:
            rows.loc[at, "value"] = _own_column(numbers(frame[name])[at], rows[at])
        elif direction(name):  # a loss is at least 0
            rows.loc[at, "value"] = rows.loc[at, "value"].abs()
    return rows


def _own_column(values: Any, rows: Any) -> Any:
    """Return the values of the column of the metric, which `result` must agree with."""
    result = rows["value"].to_numpy()
    both = ~np.isnan(values) & ~np.isnan(result)
    apart = np.abs(np.abs(values) - np.abs(result)) > ROUNDING * np.maximum(1.0, np.abs(values))
    for row in np.flatnonzero(both & apart):
        one = rows.iloc[row]
        raise DataError(
            f"{one.method} on {one.dataset}, fold {one.fold}, has the {one.metric} "
            f"{values[row]:g} and the result {result[row]:g}; give the column with --value"
        )
    return np.where(np.isnan(result), np.nan, values)


def is_tabarena(names: Sequence[str]) -> bool:
    """Whether it has the columns of TabArena."""
    return {*TABARENA} <= {*names} and bool({"method", "framework"} & {*names})


def tabarena_rows(source: Source) -> Iterator[Any]:
    """Yield the values, with the repeats of the splits.

    TabArena makes 1, 3 or 10 repeats of three folds, and numbers them as one series of splits.
    AutoGluon has ten folds, and in its results by data set the name of a fold is task_fold.
    """
    require_columns(source.frame, TABARENA, "TabArena")
    errors = replace(source, columns=replace(source.columns, value=ERROR))
    for rows in long_rows(errors, TABARENA_NAMES):
        if (rows["fold"] == "").all():
            _name_folds(rows)
        if (rows["repeat"] == "").all() and rows["fold"].str.isdigit().all():
            splits = rows["fold"].astype(int)
            if (splits.max() + 1) % TABARENA_FOLDS == 0:
                rows["repeat"] = (splits // TABARENA_FOLDS).astype(str)
                rows["fold"] = (splits % TABARENA_FOLDS).astype(str)
        yield rows


def _name_folds(rows: Any) -> None:
    """Take the data sets task_0, task_1, ... for the folds of a task, if all are named so."""
    parts = rows["dataset"].str.extract(f"^{FOLD_OF_TASK}$")
    if parts.notna().all(axis=None) and (parts[1] == "0").groupby(parts[0]).any().all():
        rows["dataset"], rows["fold"] = parts[0], parts[1]


def is_cv_results(names: Sequence[str]) -> bool:
    """Whether a column has the scores of a split."""
    return any(map(SPLIT.fullmatch, names))


def cv_results_rows(source: Source) -> Iterator[Any]:
    """Yield the scores of `cv_results_`; each file is a data set of its own.

    A row is a point, and a column a split. All scorers of scikit-learn are larger for a better
    model; those of losses begin with neg_.
    """
    frame, files = source.frame, source.files
    if not is_cv_results(frame.columns):
        raise DataError("no column has the scores of a split, such as split0_test_score")
    methods = _methods(frame, files)
    for name in frame.columns:
        if found := SPLIT.fullmatch(name):
            fold, metric = found.groups()
            metric = (source.by or "") if metric in UNNAMED else metric
            yield long_of(frame[name], method=methods, dataset=files, metric=metric, fold=fold)


def _methods(frame: Any, files: Any) -> Any:
    """Return the parameters of each row as a text; its number if the table has none."""
    if PARAMS in frame.columns:
        return frame[PARAMS].map(_point, na_action=None)
    params = frame.filter(regex=f"^{PARAM}").rename(columns=lambda name: name.removeprefix(PARAM))
    if params.columns.empty:
        return "row " + files.groupby(files).cumcount().astype(str)
    return params.apply(texts).apply(
        lambda row: ", ".join(f"{name}={value}" for name, value in row.items() if value), axis=1
    )


def _point(params: Any) -> str:
    """Return parameters as in C=1, penalty=l2; those of a text file are written as Python does."""
    if isinstance(params, Mapping):
        return ", ".join(f"{name}={value}" for name, value in params.items()) or "its defaults"
    plain = str(params).strip().removeprefix("{").removesuffix("}")
    return re.sub(r"'(\w+)': '?([^',]*)'?", r"\1=\2", plain) or "its defaults"


@dataclass(frozen=True, slots=True)
class Format:
    """How tables of one format are known and read."""

    rows: Callable[[Source], Iterator[Any]]  # yields frames of `long_of`
    takes: tuple[str, ...] = ()  # columns that can be named; others have the names of the tool
    fits: Callable[[Sequence[str]], bool] | None = None  # tools are known by their columns


# The first one that fits, unless columns are asked for that it does not take.
FORMATS = {
    "sklearn": Format(cv_results_rows, fits=is_cv_results),
    "benchopt": Format(benchopt_rows, fits=is_benchopt),
    "tabarena": Format(tabarena_rows, TABARENA_ROLES, is_tabarena),
    "amlb": Format(amlb_rows, fits=is_amlb),
    "long": Format(long_rows, ROLES),
    "wide": Format(wide_rows, (*WIDE_NAMES, "family")),
}


def long_table(sheets: Sequence[Sheet], form: str, columns: Columns, by: str | None) -> Long:
    """Return the single values of tables of one format.

    Raises
    ------
    UnknownNameError
        When there is no such format.
    DataError
        When tables are of different formats, or hold something else than this one.
    """
    import pandas as pd

    if form != AUTO and form not in FORMATS:
        raise UnknownNameError("format", form, (AUTO, *FORMATS))
    sheets = [select_rows(sheet, columns.conditions) for sheet in sheets]
    forms = {sheet.name: form if form != AUTO else _form(sheet, columns) for sheet in sheets}
    if len({*forms.values()}) > 1:
        found = ", ".join(f"{name} {one}" for name, one in forms.items())
        raise DataError(f"the files are of different formats: {found}; judge them one by one")
    chosen = next(iter(forms.values()))
    if others := _not_taken(chosen, columns):
        raise ParameterError(
            f"--{others[0]} cannot name a column in the format {chosen}, which has its own; leave "
            "it out, or give --from long"
        )
    frame = pd.concat([sheet.frame for sheet in sheets], ignore_index=True)
    files = pd.Series([sheet.name for sheet in sheets for _ in range(len(sheet.frame))])
    imputed = _imputed(frame)
    blocks = []
    for block in FORMATS[chosen].rows(Source(frame, files, columns, by)):
        if imputed.any():
            at = imputed[block.index].to_numpy()
            block.loc[at, ["value", "why"]] = np.nan, NOT_MEASURED
        blocks.append(block)
    rows = pd.concat(blocks, ignore_index=True)
    of_items = "item" in FORMATS[chosen].takes and "item" in roles_of(
        [*frame.columns], columns, WIDE_NAMES
    )
    remarks = [*_remarks(chosen, frame, rows, files)]
    if count := int(imputed.sum()):
        remarks.insert(
            0, f"{count} row(s) are imputed: nobody measured them, and they have no value."
        )
    return Long(rows, False if chosen == "sklearn" else None, tuple(remarks), of_items)


def _remarks(form: str, frame: Any, rows: Any, files: Any) -> Iterator[str]:
    """Yield what a reader has to know of a format."""
    if form == "tabarena" and "repeat" not in frame.columns and (rows["repeat"] > "0").any():
        yield (
            f"The splits are those of TabArena, repeats of {TABARENA_FOLDS} folds; --folds says "
            "otherwise."
        )
    if form == "sklearn":
        points = files.value_counts().max()
        yield (
            f"A grid of {points} points pays for {points} methods: a smaller one, chosen before, "
            "shows smaller differences."
        )


def _imputed(frame: Any) -> Any:
    """Return which rows are marked as imputed."""
    import pandas as pd

    imputed = pd.Series(data=False, index=frame.index)
    for column in frame.columns:
        if plain(column) == IMPUTED:
            imputed |= ~texts(frame[column]).str.lower().isin(("", "0", "false", "no"))
    return imputed


def _not_taken(form: str, columns: Columns) -> list[str]:
    """Return the roles that are asked for, and that a format does not take."""
    known = FORMATS[form].takes
    return [role for role in ROLES if getattr(columns, role) is not None and role not in known]


def _form(sheet: Sheet, columns: Columns) -> str:
    for name, one in FORMATS.items():
        if one.fits is not None and not _not_taken(name, columns) and one.fits(sheet.columns):
            return name
    is_long = columns.value or "method" in roles_of(sheet.columns, columns)
    return "long" if is_long else "wide"
