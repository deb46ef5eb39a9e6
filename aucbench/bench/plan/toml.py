"""Plans as TOML files, with keys and tables as in `example.toml`; only `data` must be there.

Paths of data sets are relative to the current folder, as on the command line. tomllib does not
report lines, so that an error says its place, such as solvers[1].tune.k.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from datetime import date, time
from importlib.resources import files
from pathlib import Path
from typing import Any

import tomli_w

from aucbench.bench.cell import Choice
from aucbench.bench.codec import dump
from aucbench.bench.plan.errors import PlanError, PlanErrors
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.values import FILES, RENAMED
from aucbench.errors import DataError, UnknownNameError
from aucbench.registry.specs import Spec, SpecChain

PLACES = {name: ("files", name) for name in FILES} | {  # field: table and key, if in a table
    f.name: (f.metadata["table"], f.metadata["key"]) for f in fields(Plan) if "key" in f.metadata
}
TABLES: dict[str, dict[str, str]] = {}  # table: {key: field}
for _field, (_table, _key) in PLACES.items():
    TABLES.setdefault(_table, {})[_key] = _field
KEYS = tuple(f.name for f in fields(Plan) if f.name not in (*PLACES, "reading"))  # in no table


def example() -> str:
    """Return a plan to start from, with all keys and what they mean."""
    return (files(__package__) / "example.toml").read_text(encoding="utf-8")


def read_plan(path: str | Path) -> Plan:
    """Read a plan from a file."""
    return parse_plan(_text(path), str(path))


def parse_plan(text: str, name: str = "the plan") -> Plan:
    """Return the plan of a text; errors call it `name`. The rest is as in `read_plan`."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{name} is no TOML: {error}") from error
    with placed_in(name):
        return Plan.of(_options(document))


def parse_plans(texts: Mapping[Path, str]) -> list[Plan]:
    """Return the plans of texts by their files, as a folder keeps them."""
    return [parse_plan(text, str(path)) for path, text in texts.items()]


@contextmanager
def placed_in(path: str | Path) -> Iterator[None]:
    """Name the place in the plan file `path` in an error, such as solvers[1].tune.k."""
    try:
        yield
    except PlanError as error:
        raise _placed(error, str(path)) from error


def _placed(error: PlanError, name: str) -> PlanError:
    if isinstance(error, PlanErrors):
        return PlanErrors([_placed(one, name) for one in error.errors])
    first, *rest = error.place or ("",)
    keys = (*PLACES.get(str(first), (first,)), *rest)
    place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)[1:]
    where = f"{name}, {place}" if place else name
    return PlanError(f"{where}: {error}", *error.place, value=error.value)


def write_plan(plan: Plan) -> str:
    """Return a text from which `parse_plan` makes an equal plan; defaults are left out."""
    changed = {f.name: v for f in fields(Plan) if (v := getattr(plan, f.name)) != f.default}
    changed |= dump(plan.reading)
    document = {name: _written(changed[name]) for name in KEYS if name in changed}
    for table, keys in TABLES.items():
        given = {key: changed[name] for key, name in keys.items() if name in changed}
        if inside := {key: _written(value) for key, value in given.items() if value != {}}:
            document[table] = inside
    return tomli_w.dumps(document | {"solvers": document.pop("solvers")})


def _written(value: Any) -> Any:
    """Return a value as users write it in a file of TOML."""
    if isinstance(value, Spec | SpecChain):
        return str(value)
    if isinstance(value, Choice):
        tune = value.tune if isinstance(value.tune, bool) else dict(dump(value)["tune"])
        return {"spec": str(value.spec), **({"tune": tune} if tune else {})}
    if isinstance(value, Mapping):
        return {name: _written(held) for name, held in value.items()}
    return [*map(_written, value)] if isinstance(value, tuple | list) else value


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot read the plan {path}: {error.strerror}; name a file") from error
    except UnicodeDecodeError as error:
        raise DataError(f"the plan {path} is no UTF-8 text ({error}); save it as such") from error


def _options(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a plan by name, in whatever table they are."""
    for key in document.keys() & PLACES.keys():
        raise PlanError(f"{key} belongs into the table [{PLACES[key][0]}]", value=key)
    _refuse_unknown("key", document, [*KEYS, *TABLES, *RENAMED])
    options = {key: value for key, value in document.items() if key not in TABLES}
    for table, keys in TABLES.items():
        inside = document.get(table, {})
        if not isinstance(inside, Mapping):
            raise PlanError(f"{table} must be a table, got {inside!r}", table)
        _refuse_unknown(f"key in [{table}]", inside, keys, table)
        options |= {keys[key]: value for key, value in inside.items()}
    for name, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, date | time):
                raise PlanError(f"{name} holds the date {item}; put it in quotes", name)
    return options


def _refuse_unknown(
    kind: str, table: Mapping[str, Any], known: Collection[str], *place: str
) -> None:
    for key in table:
        if key not in known:
            raise PlanError(str(UnknownNameError(kind, key, known)), *place, key)
