"""Check plans; every error names the field, and with it the place in a plan file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

from aucbench.bench.plan.errors import PlanError, every, require_text, with_members, with_place
from aucbench.bench.plan.fields import Choice, PlanFields
from aucbench.datasets.reading import plain_value
from aucbench.errors import (
    ParameterError,
    require_above,
    require_at_least,
    require_whole,
)
from aucbench.ranges import RANGE_EXAMPLE, Range
from aucbench.registry.specs import Spec, joined_specs, parse_spec

T = TypeVar("T")
LAST_SEED = 2**32 - 1  # of scikit-learn's splitters
SPECS = ("datasets", "features", "objective", "projector")


def check_plan(plan: PlanFields) -> None:
    """Check all fields; names are looked up later, in other processes."""
    for name in (*WHOLE, *ABOVE, *AT_LEAST):
        with_place((name,), _check_number, name, getattr(plan, name))
    _require_some(plan)
    parsers: dict[str, Callable[[str], object]] = {
        "features": lambda text: [*map(parse_spec, joined_specs(text))],
        "datasets": lambda text: with_members([parse_spec(text).name]),
    }
    for name in SPECS:
        given = getattr(plan, name)
        for spec in _texts([] if given is None else [given] if name in ONE else given, name):
            with_place((name,), parsers.get(name, parse_spec), spec, value=spec)
    every(partial(_check_choice, number, choice) for number, choice in enumerate(plan.solvers))
    _check_splits(plan)
    _check_seeds(plan)


ONE = ("objective", "projector")
WHOLE = {"splits": 2, "repeats": 1, "tune_evals": 1, "inner_splits": 2, "repeat_fits": 1}  # least
ABOVE = ("passes", "seconds", "memory", "holdout")  # what is above 0
AT_LEAST = ("gap_tol", "timeout")
OPTIONAL = ("splits", *ABOVE)


def _check_number(name: str, value: Any) -> None:
    absent = value is None and name in OPTIONAL
    if name in WHOLE:
        if value is None and not absent:
            raise ParameterError(f"{name} must be a whole number, got None")
        require_whole(WHOLE[name], **{name: value})
        return
    if isinstance(value, bool | str) or not (absent or hasattr(value, "__float__")):
        raise ParameterError(f"{name} must be a number, got {value!r}")
    (require_above if name in ABOVE else require_at_least)(0, **{name: value})


def _require_some(plan: PlanFields) -> None:
    if not plan.solvers:
        from aucbench.registry.discovery import KINDS, entries

        known = ", ".join(e.name for e in entries() if e.name not in (*KINDS, *SPECS))
        raise PlanError(f"no solver was named; known are: {known}", "solvers")
    if not plan.datasets:
        from aucbench.datasets import available
        from aucbench.datasets.registered import aucbench_datasets

        known = ", ".join([*sorted(aucbench_datasets()), *available()])
        raise PlanError(
            f"no data set was named; give a file, an https address or one of: {known}", "datasets"
        )
    if not plan.features:
        raise PlanError("no feature map was named; write none for none", "features")


def _texts(given: Any, name: str) -> Iterator[str]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise PlanError(f"{name} must be a list of names, got {given!r}", name)
    for text in given:
        require_text(text, name, name)
        yield text


def _check_choice(number: int, choice: Choice) -> None:
    place = ("solvers", number)
    spec = choice.spec
    if isinstance(choice.tune, bool):
        return
    if not isinstance(choice.tune, Mapping) or not choice.tune:
        raise PlanError(
            f"tune of {spec} must be true, false or a grid such as {{k = [10, 50]}}, "
            f"got {choice.tune!r}",
            *place,
            "tune",
        )
    for name, values in choice.tune.items():
        _check_grid(spec, name, values, (*place, "tune"))


def _check_grid(spec: Spec, name: Any, values: Any, place: tuple[str | int, ...]) -> None:
    if not (isinstance(name, str) and name.isidentifier()):
        raise PlanError(f"{name!r} in the grid of {spec} is no parameter", *place, value=name)
    if name in spec.params:
        raise PlanError(f"{name} of {spec} is in the brackets and in the grid", *place, name)
    if isinstance(values, Range):
        return
    if isinstance(values, str) or not (isinstance(values, Sequence) and values):
        raise PlanError(
            f"{name} in the grid of {spec} must be a list of values, or a range: {RANGE_EXAMPLE}",
            *place,
            name,
        )
    with_place((*place, name), lambda: [plain_value(value, name) for value in values])
    if len({*map(repr, values)}) < len(values):
        raise PlanError(f"{name} in the grid of {spec} has a value twice", *place, name)


def _check_splits(plan: PlanFields) -> None:
    how = plan.reading
    if plan.holdout is not None and not plan.holdout < 1:
        raise PlanError(f"holdout is a share of the rows below 1, got {plan.holdout}", "holdout")
    if how.test is not None:
        for name in ("splits", "holdout"):
            if getattr(plan, name) is not None:
                raise PlanError(
                    f"{name} divides the rows, but {how.test} holds the test rows; leave one of "
                    "both out",
                    name,
                )
    if plan.holdout is not None and plan.splits is not None:
        raise PlanError("splits and holdout are two ways to divide rows; give one", "splits")
    fixed = [("test", how.test), ("time", how.time)]
    by = next((f"{name} {value}" for name, value in fixed if value is not None), None)
    if by is not None and (plan.repeats > 1 or len(plan.seeds) > 1):
        name = "repeats" if plan.repeats > 1 else "seeds"
        raise PlanError(
            f"{by} decides which rows are tested, so that every repeat and seed has the same "
            "splits; ask for one repeat and one seed",
            name,
        )


def _check_seeds(plan: PlanFields) -> None:
    if not isinstance(plan.seeds, Sequence) or not plan.seeds:
        raise PlanError(f"seeds must be a list of whole numbers, got {plan.seeds!r}", "seeds")
    for seed in plan.seeds:
        if seed is None:
            raise PlanError("seed must be a whole number, got None", "seeds")
        with_place(("seeds",), lambda seed: require_whole(0, seed=seed), seed)
        if seed + plan.repeats - 1 > LAST_SEED:
            raise PlanError(f"seed + repeats must stay below 2**32, got seed {seed}", "seeds")
    for first, second in pairwise(sorted(plan.seeds)):
        if second - first < plan.repeats:
            raise PlanError(
                f"the seeds {first} and {second} with {plan.repeats} repeat(s) give the same "
                f"shuffle twice, since repeat r adds r; put seeds at least {plan.repeats} apart",
                "seeds",
            )


def check_unique(plan: PlanFields) -> None:
    """Raise `PlanError` where one thing is named twice, also as a member of a suite."""
    _once("data set", "datasets", plan.datasets)
    _once("feature map", "features", plan.features)
    _once("solver", "solvers", [(c.spec, c.tuning) for c in plan.solvers])


def _once(kind: str, name: str, found: Collection[Any]) -> None:
    seen = set()
    for thing in found:
        if thing in seen:
            spec = thing[0] if isinstance(thing, tuple) else thing
            raise PlanError(f"the {kind} {spec} is named twice; once is enough", name, value=spec)
        seen.add(thing)
