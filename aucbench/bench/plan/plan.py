"""The plan of a benchmark: a grid of cells, which contains only names and numbers.

No plugin is imported here and no data set read, so that a plan can be sent to another machine.
Cells are made one at a time, and those of one split are neighbours: its rows are prepared once, and
a machine that becomes slower slows all solvers alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import chain, pairwise, product
from math import prod
from typing import Any

from aucbench.bench.cell import Cell, Tuning
from aucbench.bench.plan.errors import PlanError, every, require_text, with_members, with_place
from aucbench.bench.plan.families import checked_families
from aucbench.bench.plan.fields import (
    CHANGEPOINT_SOLVERS,
    DEFAULT_FEATURES,
    DEFAULT_SOLVERS,
    DEFAULT_SPLITS,
    DEFAULT_TIMEOUT,
    ORDER_SOLVERS,
    SHAPED_SOLVERS,
    Choice,
    choices,
)
from aucbench.bench.plan.pairs import OF_ORDER, checked_pairs
from aucbench.datasets.reading import ReadOptions, plain_value
from aucbench.errors import ParameterError, require_above, require_at_least, require_whole
from aucbench.ranges import DEFAULT_PASSES, GAP_TOL, RANGE_EXAMPLE, Range
from aucbench.registry.specs import Spec, anchored, joined_specs, parse_spec

MEGABYTE = 10**6
LAST_SEED = 2**32 - 1  # of scikit-learn's splitters
SPECS = ("datasets", "features", "objective", "projector")
ONE = ("objective", "projector")
WHOLE = {"splits": 2, "repeats": 1, "tune_evals": 1, "inner_splits": 2, "repeat_fits": 1}  # least
ABOVE = ("passes", "seconds", "memory", "holdout", "tune_seconds", "tune_work")  # what is above 0
AT_LEAST = ("gap_tol", "timeout")
OPTIONAL = ("splits", *ABOVE)
NUMBERS = {**dict.fromkeys(WHOLE, int), **dict.fromkeys((*ABOVE, *AT_LEAST), float)}


@dataclass(frozen=True)
class Plan:
    """A grid of cells.

    Attributes
    ----------
    datasets : tuple of str
        Names with their parameters, files, addresses with `#sha256=`, or suites, in place of which
        the plan has their members.
    solvers : tuple of Choice
        The solvers that are compared.
    features : tuple of str
        Feature maps, fitted on the training rows and applied to both parts; `a+b` is b after a.
    objective, projector, reading, gap_tol, tune_evals, inner_splits, repeat_fits :
        See `Cell`.
    tune_seconds, tune_work : float or None
        Limits of tuning and of the fit after it: seconds of wall time, or numbers of the rows that
        are read. Work is counted, so that the same seed tries the same points on every machine;
        seconds, if they are given, count in place of it.
    splits : int or None
        Number of folds, at least 2. None: 5, or 1 with `holdout` or a test file.
    holdout : float or None
        Share of the rows, in (0, 1), that each repeat draws anew as its test set; no folds then.
    repeats, seeds :
        Repeat r of seed s is shuffled, and its solvers are run, with seed s + r.
    passes, seconds : float or None
        Budget of a fit, the first reached; 50 passes when neither is given.
    timeout : float
        Seconds of wall time after which a cell is killed, tuning included; 0: never.
    memory : float or None
        Megabytes (10**6 bytes) above what an idle cell takes.
    families : mapping of str to tuple of str
        Groups of related data sets, such as the variants of one source, which count as one in what
        is said across data sets. Each data set is in one of them at most; suites stand for their
        members. No part of the id of a cell.
    pairs : str or None
        Which pairs count in training, such as `group[column=user]` or `fpr[max=0.1]`; its `column`
        is that of the groups of `reading`. None: what the target says, which of labels is all.
    monotone : str or None
        What effects of columns must be, such as `income=+1,age=-1,dose=convex`: increasing,
        decreasing, convex or concave. It is asked of the columns of the data set, before any map.

    Raises
    ------
    PlanError
        When a field makes no sense, alone or together with the others.
    """

    datasets: tuple[str, ...]
    solvers: tuple[Choice, ...] = field(default_factory=lambda: choices(DEFAULT_SOLVERS))
    features: tuple[str, ...] = DEFAULT_FEATURES
    objective: str | None = None
    projector: str | None = None
    reading: ReadOptions = field(default_factory=ReadOptions)
    splits: int | None = None
    repeats: int = 1
    seeds: tuple[int, ...] = (0,)
    passes: float | None = None
    seconds: float | None = None
    gap_tol: float = GAP_TOL
    tune_evals: int = 20
    inner_splits: int = 3
    repeat_fits: int = 1
    timeout: float = DEFAULT_TIMEOUT
    memory: float | None = None
    holdout: float | None = None
    tune_seconds: float | None = None
    tune_work: float | None = None
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    pairs: str | None = None
    monotone: str | None = None

    def __post_init__(self) -> None:
        _check(self)
        pairs, reading = checked_pairs(self.pairs, self.reading)
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "reading", reading)
        object.__setattr__(self, "monotone", checked_monotone(self.monotone))
        # What is in files has its whole path, so that a plan means the same in every folder.
        maps = tuple(anchored(spec, joined=True) for spec in self.features)
        object.__setattr__(self, "features", maps)
        object.__setattr__(self, "datasets", tuple(map(anchored, with_members(self.datasets))))
        for name in ONE:
            if (text := getattr(self, name)) is not None:
                object.__setattr__(self, name, anchored(text))
        _check_unique(self)
        object.__setattr__(self, "families", checked_families(self.families, self.datasets))

    def __len__(self) -> int:
        axes = (self.datasets, self.features, self.seeds, self.solvers)
        return self.split_count * self.repeats * prod(map(len, axes))

    @property
    def split_count(self) -> int:
        """Number of splits of a repeat."""
        if self.splits is not None:
            return int(self.splits)
        return DEFAULT_SPLITS if self.holdout is None and self.reading.test is None else 1

    @property
    def limit_of_passes(self) -> float | None:
        """The passes that a cell gets: those of the plan, or the default.

        A solver that is made for fewer or more has a default of its own, see `Needs.passes`.
        """
        if self.passes is None:
            return DEFAULT_PASSES if self.seconds is None else None
        return float(self.passes)

    @property
    def memory_bytes(self) -> int | None:
        """`memory` in bytes."""
        return None if self.memory is None else int(self.memory * MEGABYTE)

    def parts(self) -> Iterator[tuple[str, Spec | str, Tuning]]:
        """Yield kind, specification and tuning of each thing that it names, in its order."""
        for choice in self.solvers:
            yield "solvers", choice.spec, choice.tuning
        own = (("objectives", self.objective), ("projectors", self.projector))
        for kind, spec in (*own, ("pairs", self.pairs)):
            if spec is not None:
                yield kind, spec, False
        for part in chain.from_iterable(map(joined_specs, self.features)):
            yield "features", part, False
        for dataset in self.datasets:
            yield "datasets", dataset, False

    def cells(self) -> Iterator[Cell]:
        """Yield every cell: data set, feature map, seed and repeat, split, solver."""
        solvers = [(choice.spec, choice.tuning) for choice in self.solvers]
        own = {f.name: getattr(self, f.name) for f in fields(Cell) if hasattr(self, f.name)}
        for name in own.keys() & NUMBERS.keys():
            own[name] = None if own[name] is None else NUMBERS[name](own[name])
        own["splits"] = self.split_count
        rounds = product(self.datasets, self.features, self.seeds, range(self.repeats))
        for dataset, features, seed, repeat in rounds:
            own |= {"dataset": dataset, "features": features, "repeat": repeat}
            for split, (spec, tuning) in product(range(self.split_count), solvers):
                yield Cell(solver=spec, tune=tuning, split=split, seed=seed + repeat, **own)


def default_solvers(
    datasets: Sequence[str],
    pairs: str | None = None,
    reading: ReadOptions | None = None,
    monotone: Any = None,
) -> tuple[str, ...]:
    """Return the solvers that fit the data sets: if all are changepoint sets, those that do.

    Kinds are told by the names of files. A set that is not there is not missed here. Times and
    grades, which `pairs` or `reading` name, have solvers of their own, and so have effects with
    shapes.
    """
    from aucbench.datasets.located import is_changepoint

    if checked_monotone(monotone) is not None:
        return SHAPED_SOLVERS
    counted, _ = checked_pairs(pairs, reading or ReadOptions())
    if counted is not None and parse_spec(counted).name in OF_ORDER:
        return ORDER_SOLVERS
    names = [parse_spec(text).name for text in with_members(datasets)]
    changepoints = bool(names) and all(map(is_changepoint, names))
    return CHANGEPOINT_SOLVERS if changepoints else DEFAULT_SOLVERS


def _check(plan: Plan) -> None:
    """Check all fields; names are looked up later, in other processes."""
    for name in (*WHOLE, *ABOVE, *AT_LEAST):
        with_place((name,), _check_number, name, getattr(plan, name))
    _require_some(plan)
    parsers: dict[str, Callable[[str], object]] = {
        "features": lambda text: [*map(parse_spec, joined_specs(text))],
        "datasets": lambda text: with_members([parse_spec(text).name]),
    }
    for name in SPECS:
        specs = getattr(plan, name)
        for spec in _texts([] if specs is None else [specs] if name in ONE else specs, name):
            with_place((name,), parsers.get(name, parse_spec), spec, value=spec)
    every(partial(_check_choice, number, choice) for number, choice in enumerate(plan.solvers))
    _check_splits(plan)
    _check_seeds(plan)


def _check_number(name: str, value: Any) -> None:
    if value is None and name not in OPTIONAL:
        wanted = "a whole number" if name in WHOLE else "a number"
        raise ParameterError(f"{name} must be {wanted}, got None")
    if name in WHOLE:
        require_whole(WHOLE[name], **{name: value})
    else:
        (require_above if name in ABOVE else require_at_least)(0, **{name: value})


def _require_some(plan: Plan) -> None:
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


def _texts(texts: Any, name: str) -> Iterator[str]:
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise PlanError(f"{name} must be a list of names, got {texts!r}", name)
    for text in texts:
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


def _check_splits(plan: Plan) -> None:
    how = plan.reading
    if plan.holdout is not None and not plan.holdout < 1:
        raise PlanError(f"holdout is a share of the rows below 1, got {plan.holdout}", "holdout")
    for name in ("splits", "holdout"):
        if how.test is not None and getattr(plan, name) is not None:
            both = f"{name} divides the rows, but {how.test} holds the test rows"
            raise PlanError(f"{both}; leave one of both out", name)
    if plan.holdout is not None and plan.splits is not None:
        raise PlanError("splits and holdout are two ways to divide rows; give one", "splits")
    fixed = [("test", how.test), ("time", how.time)]
    by = next((f"{name} {value}" for name, value in fixed if value is not None), None)
    if by is not None and (plan.repeats > 1 or len(plan.seeds) > 1):
        same = f"{by} decides which rows are tested, so that every repeat and seed has the same"
        name = "repeats" if plan.repeats > 1 else "seeds"
        raise PlanError(f"{same} splits; ask for one repeat and one seed", name)


def _check_seeds(plan: Plan) -> None:
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
            shuffle = f"the seeds {first} and {second} with {plan.repeats} repeat(s) give the same"
            apart = f"put seeds at least {plan.repeats} apart"
            raise PlanError(f"{shuffle} shuffle twice, since repeat r adds r; {apart}", "seeds")


def _check_unique(plan: Plan) -> None:
    """Raise `PlanError` where one thing is named twice, also as a member of a suite."""
    _once("data set", "datasets", plan.datasets)
    _once("feature map", "features", plan.features)
    _once("solver", "solvers", [(c.spec, c.tuning) for c in plan.solvers])


def _once(kind: str, name: str, things: Collection[Any]) -> None:
    seen = set()
    for thing in things:
        if thing in seen:
            spec = thing[0] if isinstance(thing, tuple) else thing
            raise PlanError(f"the {kind} {spec} is named twice; once is enough", name, value=spec)
        seen.add(thing)


def checked_monotone(asked: Any) -> str | None:
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
