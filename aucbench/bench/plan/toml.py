"""Plans as TOML files, with keys and tables as in `PLAN_EXAMPLE`; only `datasets` must be there.

Paths of data sets are relative to the current folder, as on the command line. tomllib does not
report lines, so that an error says its place, such as solvers[1].tune.k.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from datetime import date, time
from functools import partial
from pathlib import Path
from typing import Any

import tomli_w

from aucbench.bench.plan.errors import PlanError, PlanErrors, every, with_place
from aucbench.bench.plan.fields import Choice, numbered_choice
from aucbench.bench.plan.plan import Plan
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import AucbenchError, DataError, UnknownNameError
from aucbench.ranges import Range
from aucbench.registry.specs import bare

PLAN_EXAMPLE = """\
datasets = ["german", "outbreak[n=1000,d=1000]"]
features = ["auto", "standard+nystroem"] # maps of the rows; + applies one after the other
splits = 5                # or holdout = 0.2: a share of the rows is the test set of each repeat
repeats = 1               # repeat r of seed s is shuffled with seed s + r
seeds = [0]
# objective = "logistic"  # in place of the solvers' own; projector likewise
# pairs = "group"         # which pairs count: group[column=user], fpr[max=0.1,rest=0.5], ...
# monotone = "income=+1"  # what effects must be: age=-1, dose=convex, ...; commas between them

[files]                   # how data sets that are files are read; all may be left out
# target = "outcome"      # the column of the labels
# positive = ["1", "2"]   # labels that count as positive
# negative = "rest"       # every other label
# drop = ["duration"]     # columns that are left out
# missing = ["age=-999"]  # cells that mean a missing one: VALUE in all columns, or COLUMN=VALUE
# text = "hash"           # columns of free text; drop leaves them out, refuse makes an error
# unlabelled = "refuse"   # rows without a label; skip leaves them out
# groups = "customer"     # rows that share a value of it are on one side of each split
# time = "date"           # training rows are earlier than test rows
# weights = "weight"      # what each row counts for
# test = "test.csv"       # a file that has the test rows, in place of splits

[budget]                  # of a fit, the first that is reached
passes = 50
# seconds = 10
# gap_tol = 1e-6

[limits]                  # of a cell, which is killed there
timeout = 600             # seconds, 3600 if nothing is said; 0: no limit
memory = 4000             # megabytes

[tuning]                  # inside the training rows
evals = 20                # points of a grid that are tried
inner_splits = 3
# seconds = 30            # of a cell with its last fit: points are tried on few rows first

# [suite]                 # related data sets, such as the variants of one source, count as one
# families = { credit = ["german", "australian"] }

[[solvers]]
spec = "sht-auc"
tune = true               # over its published grid, or over tune = {k = [10, 50]}
# tune = {k = {low = 1, high = 100, log = true, integer = true}} # or drawn from ranges

[[solvers]]
spec = "logistic[C=10.0]"
"""
FILES = tuple(f.name for f in fields(ReadOptions))
TABLES = {  # table of the file -> {key: field of the plan, or of its `reading`}
    "files": {name: name for name in FILES},
    "budget": {"passes": "passes", "seconds": "seconds", "gap_tol": "gap_tol"},
    "limits": {"timeout": "timeout", "memory": "memory"},
    "tuning": {
        "evals": "tune_evals",
        "inner_splits": "inner_splits",
        "seconds": "tune_seconds",
        "work": "tune_work",
    },
    "suite": {"families": "families"},
}
PLACES = {field: (table, key) for table, keys in TABLES.items() for key, field in keys.items()}
INSIDE = (*PLACES, "reading")
KEYS = tuple(f.name for f in fields(Plan) if f.name not in INSIDE)  # outside every table
LISTS = ("datasets", "features", "seeds")
Place = tuple[str | int, ...]


def read_plan(path: str | Path) -> Plan:
    """Read a plan from a file."""
    return parse_plan(_text(path), str(path))


def parse_plan(text: str, name: str = "the plan") -> Plan:
    """Return the plan of a text; errors call it `name`. The rest is as in `read_plan`."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{name} is no TOML: {error}") from error
    try:
        return _plan(document)
    except PlanError as error:
        raise placed_error(error, name) from error


def parse_plans(texts: Mapping[Path, str]) -> list[Plan]:
    """Return the plans of texts by their files, as a folder keeps them."""
    return [parse_plan(text, str(path)) for path, text in texts.items()]


def placed_error(error: PlanError, name: str) -> PlanError:
    """Return the same error with its place in a plan file, such as solvers[1].tune.k."""
    if isinstance(error, PlanErrors):
        return PlanErrors([placed_error(one, name) for one in error.errors])
    first, *rest = error.place or ("",)
    keys = (*PLACES.get(str(first), (first,)), *rest)
    place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)[1:]
    where = f"{name}, {place}" if place else name
    return PlanError(f"{where}: {error}", *error.place, value=error.value)


@contextmanager
def placed_in(path: str | Path) -> Iterator[None]:
    """Name the place in the plan file `path` in an error that running the plan raises."""
    try:
        yield
    except PlanError as error:
        raise placed_error(error, str(path)) from error


def write_plan(plan: Plan, *, places: bool = True) -> str:
    """Return a text from which `parse_plan` makes an equal plan; defaults are left out.

    Without `places` what is in files of Python has no path, and there are no families: plans are
    known by this text as the same, wherever their files are, and whatever their families are.
    """
    usual = Plan(("any",))
    changed = {
        f.name: value
        for f in fields(Plan)
        if f.name != "solvers" and (value := getattr(plan, f.name)) != getattr(usual, f.name)
    }
    document: dict[str, Any] = {key: changed[key] for key in KEYS if key in changed}
    if how := plan.reading.to_json():
        document["files"] = how
    for table, keys in TABLES.items():
        if inside := {key: changed[f] for key, f in keys.items() if f in changed}:
            document[table] = inside
    document["solvers"] = [_written(choice) for choice in plan.solvers]
    return tomli_w.dumps(document if places else _without_places(document))


def _without_places(document: Mapping[str, Any]) -> dict[str, Any]:
    changed = dict(document)
    changed.pop("suite", None)
    for name in changed.keys() & {"datasets", "features"}:
        changed[name] = [bare(spec, joined=name == "features") for spec in changed[name]]
    for name in changed.keys() & {"objective", "projector", "pairs"}:
        changed[name] = bare(changed[name])
    changed["solvers"] = [{**one, "spec": bare(one["spec"])} for one in changed["solvers"]]
    return changed


def _written(choice: Choice) -> dict[str, Any]:
    """Table of a solver; a tune of False, the default, is left out."""
    tune: Any = choice.tune
    if isinstance(tune, Mapping):
        axes = tune.items()
        tune = {name: v.to_json() if isinstance(v, Range) else v for name, v in axes}
    return {"spec": str(choice.spec), **({"tune": tune} if tune else {})}


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot read the plan {path}: {error.strerror}; name a file") from error
    except UnicodeDecodeError as error:
        raise DataError(f"the plan {path} is no UTF-8 text ({error}); save it as such") from error


def _plan(document: Mapping[str, Any]) -> Plan:
    for key in document.keys() & PLACES.keys():
        raise PlanError(f"{key} belongs into the table [{PLACES[key][0]}]", value=key)
    _refuse_unknown("key", document, [*KEYS, *TABLES], ())
    values = {key: value for key, value in document.items() if key in KEYS}
    for table, keys in TABLES.items():
        inside = _table(document.get(table, {}), (table,))
        _refuse_unknown(f"key in [{table}]", inside, keys, (table,))
        values |= {keys[key]: value for key, value in inside.items()}
    for name in LISTS:
        if isinstance(values.get(name), list):
            values[name] = tuple(values[name])
    for name, value in values.items():
        for item in value if isinstance(value, tuple) else [value]:
            if isinstance(item, date | time):
                raise PlanError(f"{name} holds the date {item}; put it in quotes", name)
    if "solvers" in values:
        solvers = values["solvers"]
        if not isinstance(solvers, list):
            wanted = f"solvers must be a list or [[solvers]] tables, got {solvers!r}"
            raise PlanError(wanted, "solvers")
        values["solvers"] = tuple(every(partial(_choice, *one) for one in enumerate(solvers)))
    how = {name: values.pop(name) for name in FILES if name in values}
    reading = with_place(("files",), ReadOptions.from_json, how)
    return Plan(**{"datasets": (), **values, "reading": reading})


def _choice(number: int, entry: Any) -> Choice:
    if isinstance(entry, str):
        return numbered_choice(number, entry, tune=False)
    inside = _table(entry, ("solvers", number))
    _refuse_unknown("key of a solver", inside, ("spec", "tune"), ("solvers", number))
    if "spec" not in inside:
        raise PlanError('a solver needs spec = "..."', "solvers", number)
    tune = inside.get("tune", False)
    if isinstance(tune, Mapping):
        tune = {name: _axis(v, ("solvers", number, "tune", name)) for name, v in tune.items()}
    return numbered_choice(number, inside["spec"], tune)


def _axis(values: Any, place: Place) -> Any:
    if not isinstance(values, Mapping):
        return tuple(values) if isinstance(values, list) else values
    try:
        return Range.of(values)
    except AucbenchError as error:
        raise PlanError(f"{place[-1]} in the grid: {error}", *place) from error


def _table(thing: Any, place: Place) -> Mapping[str, Any]:
    if isinstance(thing, Mapping):
        return thing
    raise PlanError(f"{place[0]} must be a table, got {thing!r}", *place)


def _refuse_unknown(
    kind: str, table: Mapping[str, Any], known: Collection[str], place: Place
) -> None:
    for key in table:
        if key not in known:
            raise PlanError(str(UnknownNameError(kind, key, known)), *place, key)
