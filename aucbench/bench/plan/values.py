"""Read the options of a plan as users give them: names, numbers, and what they mean together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import Any

from aucbench.bench.cell import Choice, Tuning
from aucbench.bench.plan.errors import (
    Place,
    PlanError,
    every,
    read_spec,
    require_text,
    with_place,
)
from aucbench.bench.plan.families import read_families, with_members
from aucbench.bench.plan.pairs import OF_ORDER, read_pairs
from aucbench.datasets.reading import ReadOptions, plain_value
from aucbench.errors import (
    AucbenchError,
    ParameterError,
    UnknownNameError,
    require_above,
    require_at_least,
    require_whole,
)
from aucbench.ranges import RANGE_EXAMPLE, Range
from aucbench.registry.defaults import defaults
from aucbench.registry.specs import Spec, SpecChain, anchored, parse_chain, split_specs

LAST_SEED = 2**32 - 1  # of scikit-learn's splitters
DEFAULT_FEATURES = ("auto",)
WHOLE = {"splits": 2, "repeats": 1, "tune_evals": 1, "inner_splits": 2, "repeat_fits": 1}  # least
ABOVE = ("passes", "seconds", "memory", "holdout", "tune_seconds", "tune_work")  # what is above 0
AT_LEAST = ("gap_tol", "timeout")  # what is at least 0
OPTIONAL = ("splits", *ABOVE)
RENAMED = {"datasets": "data", "seeds": "seed"}  # what was called otherwise in plans: its name now
FILES = tuple(f.name for f in fields(ReadOptions))


def read_values(raw: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the fields of a plan; what is not given has its default."""
    known = (*defaults, *FILES, "families")
    for name in raw:
        if name in RENAMED:
            raise PlanError(f"{name} is called {RENAMED[name]} everywhere; write that", name)
        if name not in known:
            raise PlanError(str(UnknownNameError("option of a plan", name, known)), name)
    given = {name: value for name, value in raw.items() if name not in FILES}
    values = {**defaults, **given, "reading": _read_options(raw)}
    values |= {name: _read_number(name, values[name]) for name in (*WHOLE, *ABOVE, *AT_LEAST)}
    values["data"] = _read_data(values["data"])
    chains = DEFAULT_FEATURES if raw.get("features") is None else values["features"]
    values["features"] = _read_chains(chains)
    for name in ("objective", "projector"):
        if values[name] is not None:
            values[name] = read_spec(values[name], name, name)
    values["pairs"], values["reading"] = read_pairs(values["pairs"], values["reading"])
    values["monotone"] = read_shapes(values["monotone"])
    values["solvers"] = _read_solvers(raw.get("solvers"), values)
    values["seed"] = _read_seeds(values["seed"], values["repeats"])
    _require_one_division(values)
    for kind, name in (("data set", "data"), ("feature map", "features"), ("solver", "solvers")):
        _require_unique(kind, name, values[name])
    values["families"] = read_families(raw.get("families", {}), values["data"])
    return {**values, "tune": False}  # each solver says it by itself


def _read_options(raw: Mapping[str, Any]) -> ReadOptions:
    reading: ReadOptions = raw.get("reading", ReadOptions())
    given = {name: raw[name] for name in FILES if name in raw}
    return with_place(("files",), lambda: replace(reading, **given)) if given else reading


def _read_number(name: str, value: Any) -> Any:
    """Return a number as an int or a float, whichever the field holds."""
    with_place((name,), _check_number, name, value)
    return value if value is None else int(value) if name in WHOLE else float(value)


def _check_number(name: str, value: Any) -> None:
    if value is None and name not in OPTIONAL:
        wanted = "a whole number" if name in WHOLE else "a number"
        raise ParameterError(f"{name} must be {wanted}, got None")
    if name in WHOLE:
        require_whole(WHOLE[name], **{name: value})
    else:
        (require_above if name in ABOVE else require_at_least)(0, **{name: value})


def _each(given: Any, name: str) -> Iterator[Any]:
    """Yield texts and objects one by one: a text may hold several, with commas between them."""
    if isinstance(given, str | Spec | SpecChain | Choice):
        given = (given,)
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise PlanError(f"{name} must be a list of names, got {given!r}", name)
    for one in given:
        if isinstance(one, str):
            require_text(one, name, name)
            yield from with_place((name,), split_specs, one, value=one)
        else:
            yield one


def _read_data(given: Any) -> tuple[Spec, ...]:
    specs = [read_spec(one, "data", "data") for one in _each(given, "data")]
    if not specs:
        from aucbench.datasets import available
        from aucbench.datasets.registered import aucbench_datasets

        known = ", ".join([*sorted(aucbench_datasets()), *available()])
        raise PlanError(
            f"no data set was named; give a file, an https address or one of: {known}", "data"
        )
    return tuple(m for spec in specs for m in with_place(("data",), with_members, spec, value=spec))


def _read_chains(given: Any) -> tuple[SpecChain, ...]:
    chains = tuple(_read_chain(one) for one in _each(given, "features"))
    if not chains:
        raise PlanError("no feature map was named; write none for none", "features")
    return chains


def _read_chain(given: Any) -> SpecChain:
    if isinstance(given, Spec):
        given = SpecChain((given,))
    if not isinstance(given, SpecChain):
        require_text(given, "features", "features")
        given = with_place(("features",), parse_chain, given, value=given)
    return SpecChain(map(anchored, given))


def read_shapes(asked: Any) -> str | None:
    """Return shapes such as `income=+1,age=-1` as one text, equal for equal shapes.

    Raises
    ------
    PlanError
        When they are no shapes of columns.
    """
    if asked is None:
        return None
    from aucbench.data.shapes import asked_shapes, written_shapes  # it imports NumPy

    return written_shapes(with_place(("monotone",), asked_shapes, asked))


def default_solvers(
    data: Sequence[Spec], pairs: Spec | None = None, monotone: str | None = None
) -> tuple[str, ...]:
    """Return the solvers that fit the data sets: if all are changepoint sets, those that do.

    Kinds are known from the names of files. A missing file is no error here. Times and
    grades have solvers of their own, and so have effects with shapes.
    """
    from aucbench.datasets.located import is_changepoint

    if monotone is not None:
        known = "shapes"
    elif pairs is not None and pairs.name in OF_ORDER:
        known = "order-pairs"
    else:
        known = "breakpoints" if all(is_changepoint(spec.name) for spec in data) else "labels"
    return tuple(defaults()["solvers"][known])


def _read_solvers(given: Any, values: Mapping[str, Any]) -> tuple[Choice, ...]:
    if given is None:
        given = default_solvers(values["data"], values["pairs"], values["monotone"])
    solvers = [given] if isinstance(given, str | Spec | Choice) else given
    if isinstance(solvers, Mapping) or not isinstance(solvers, Iterable):
        raise PlanError(f"solvers must be a list or [[solvers]] tables, got {solvers!r}", "solvers")
    each = [one for entry in solvers for one in _entries(entry)]
    if not each:
        from aucbench.registry.lookup import suggested_names

        known = ", ".join(sorted(suggested_names("solvers")))
        raise PlanError(f"no solver was named; known are: {known}", "solvers")
    return tuple(every(partial(read_choice, *one, values["tune"]) for one in enumerate(each)))


def _entries(entry: Any) -> Sequence[Any]:
    """Return the solvers of an entry: a text may hold several."""
    try:
        return split_specs(entry) if isinstance(entry, str) else [entry]
    except ParameterError:
        return [entry]  # which cannot be read, as its place says


def read_choice(number: int, entry: Any, tune: Any = False) -> Choice:
    """Return a solver of a plan; an error says its number.

    Parameters
    ----------
    entry : str, Spec, Choice or mapping
        A mapping has "spec" and "tune".
    tune : bool
        Of an entry that does not say it.
    """
    place: Place = ("solvers", number)
    if isinstance(entry, Choice):
        entry = {"spec": entry.spec, "tune": entry.tune}
    if not isinstance(entry, Mapping):
        entry = {"spec": entry}
    for key in entry:
        if key not in ("spec", "tune"):
            unknown = UnknownNameError("key of a solver", key, ("spec", "tune"))
            raise PlanError(str(unknown), *place, key)
    if "spec" not in entry:
        raise PlanError('a solver needs spec = "..."', *place)
    spec = read_spec(entry["spec"], "solvers", *place, "spec")
    own = entry.get("tune", False)
    return Choice(spec, _read_tuning(spec, tune if own is False else own, (*place, "tune")))


def _read_tuning(spec: Spec, tune: Any, place: Place) -> Tuning:
    """Return a grid in a form that can be hashed, and that is equal for equal grids."""
    if isinstance(tune, bool):
        return tune
    if not isinstance(tune, Mapping | tuple) or not tune:
        raise PlanError(
            f"tune of {spec} must be true, false or a grid such as {{k = [10, 50]}}, got {tune!r}",
            *place,
        )
    axes = ((name, _read_axis(spec, name, values, place)) for name, values in dict(tune).items())
    return tuple(sorted(axes, key=itemgetter(0)))


def _read_axis(spec: Spec, name: Any, values: Any, place: Place) -> tuple[Any, ...] | Range:
    if not (isinstance(name, str) and name.isidentifier()):
        raise PlanError(f"{name!r} in the grid of {spec} is no parameter", *place, value=name)
    if name in spec.params:
        raise PlanError(f"{name} of {spec} is in the brackets and in the grid", *place, name)
    if isinstance(values, Range):
        return values
    if isinstance(values, Mapping):
        try:
            return Range.of(values)
        except AucbenchError as error:
            raise PlanError(f"{name} in the grid: {error}", *place, name) from error
    if isinstance(values, str) or not (isinstance(values, Sequence) and values):
        raise PlanError(
            f"{name} in the grid of {spec} must be a list of values, or a range: {RANGE_EXAMPLE}",
            *place,
            name,
        )
    read: Callable[[], list[Any]] = lambda: [plain_value(value, name) for value in values]  # noqa: E731
    plain = with_place((*place, name), read)
    if len({*map(repr, plain)}) < len(plain):
        raise PlanError(f"{name} in the grid of {spec} has a value twice", *place, name)
    return tuple(plain)


def _read_seeds(given: Any, repeats: int) -> tuple[int, ...]:
    seeds = given if isinstance(given, Sequence) and not isinstance(given, str) else (given,)
    if not seeds:
        raise PlanError(f"seed must be a whole number or a list of them, got {given!r}", "seed")
    read = tuple(map(_read_seed, seeds))
    for seed in read:
        if seed + repeats - 1 > LAST_SEED:
            raise PlanError(f"seed + repeats must stay below 2**32, got seed {seed}", "seed")
    for first, second in pairwise(sorted(read)):
        if second - first < repeats:
            shuffle = f"the seeds {first} and {second} with {repeats} repeat(s) give the same"
            apart = f"put seeds at least {repeats} apart"
            raise PlanError(f"{shuffle} shuffle twice, since repeat r adds r; {apart}", "seed")
    return read


def _read_seed(given: Any) -> int:
    if given is None:
        raise PlanError("seed must be a whole number, got None", "seed")
    value = int(given) if isinstance(given, str) and given.isdecimal() else given
    with_place(("seed",), lambda: require_whole(0, seed=value))
    return int(value)


def _require_one_division(values: Mapping[str, Any]) -> None:
    """Refuse what divides rows in two ways."""
    how, splits, holdout = (values[name] for name in ("reading", "splits", "holdout"))
    if holdout is not None and not holdout < 1:
        raise PlanError(f"holdout is a share of the rows below 1, got {holdout}", "holdout")
    for name in ("splits", "holdout"):
        if how.test is not None and values[name] is not None:
            both = f"{name} divides the rows, but {how.test} holds the test rows"
            raise PlanError(f"{both}; leave one of both out", name)
    if holdout is not None and splits is not None:
        raise PlanError("splits and holdout are two ways to divide rows; give one", "splits")
    fixed = [("test", how.test), ("time", how.time)]
    by = next((f"{name} {value}" for name, value in fixed if value is not None), None)
    if by is not None and (values["repeats"] > 1 or len(values["seed"]) > 1):
        same = f"{by} decides which rows are tested, so that every repeat and seed has the same"
        name = "repeats" if values["repeats"] > 1 else "seed"
        raise PlanError(f"{same} splits; ask for one repeat and one seed", name)


def _require_unique(kind: str, name: str, things: Collection[Any]) -> None:
    """Raise `PlanError` if one thing is named twice, also as a member of a suite."""
    seen = set()
    for thing in things:
        if thing in seen:
            spec = thing.spec if isinstance(thing, Choice) else thing
            raise PlanError(f"the {kind} {spec} is named twice; once is enough", name, value=spec)
        seen.add(thing)
