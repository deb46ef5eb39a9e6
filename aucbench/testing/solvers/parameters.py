"""What a user can set changes something: the parameters, and the seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from itertools import islice
from typing import Any, Literal, get_args, get_origin, get_type_hints
from unittest.mock import Mock, patch
from warnings import catch_warnings, simplefilter

import numpy as np
from threadpoolctl import threadpool_limits

from aucbench.data import Data
from aucbench.errors import AucbenchError
from aucbench.kernels.parallel import threads as own_threads
from aucbench.optim.classifiers import FromEstimator
from aucbench.ranges import samples
from aucbench.solving.points import mappings
from aucbench.testing.laws import Laws, not_asked, require
from aucbench.testing.samples import labels, sample
from aucbench.testing.solvers.fits import learnt

SEED = "seed"
EARLY = 8  # states of a fit: most parameters change the first, and many fits are made
GUESSED = (True, False, 1, 2, 5, 0.1, 10.0)  # in place of None
laws = Laws("solvers")
Fit = tuple[list[Any], bool]  # what each state says, and whether random numbers were drawn


@laws("some number differs", once=True)
def seeds_differ(solver: Any) -> None:
    """Where a solver draws random numbers, another seed gives other iterates.

    Otherwise the spread over seeds is no spread. It may be so for another value of one parameter,
    or for fewer rows than columns. `Needs(inert=("seed",))` declares that it is not so on few rows.
    A classifier of scikit-learn may have a `random_state` that it does not use.
    """
    drawn = False

    def seeded(one: Any, data: Data) -> bool:
        nonlocal drawn
        first, draws = _fit(one, data)
        drawn |= draws
        return draws and any(_fit(one, data, seed)[0] != first for seed in (1, 2))

    differs = _somewhere(solver, seeded, SEED)
    if not drawn and SEED not in solver.needs.inert:
        not_asked("it draws nothing")
    if not differs and _hands_over(solver):
        not_asked("the class that it wraps does not use its random_state")
    _require_declared(solver, SEED, differs, "three seeds give the same iterates, and it draws "
                      "random numbers; draw from the rng that it gets")  # fmt: skip


@laws("some number differs", once=True)
def parameters(solver: Any) -> None:
    """Each parameter changes something, or `Needs(inert=...)` says that it changes nothing.

    A parameter without effect makes two names of one result, and costs tuning its trials. One that
    matters only beside another value of another parameter has an effect. A text is asked where its
    other values are known: from the grid, or as words of a `Literal`.
    """
    own = {f.name: values_somewhere(solver, f.name) for f in fields(solver) if f.init}
    asked = {name: values for name, values in own.items() if values}
    if not asked:
        not_asked("it has no parameter that could have another value")
    known: dict[int, list[Any]] = {}

    def as_it_is(data: Data) -> list[Any]:
        if data.n not in known:
            known[data.n] = _fit(solver, data)[0]
        return known[data.n]

    for name, values in asked.items():

        def moved(one: Any, data: Data, name: str = name, values: list[Any] = values) -> bool:
            here = as_it_is(data) if one is solver else _fit(one, data)[0]
            return any(_fit(other, data)[0] != here for other in _moved(one, name, values))

        differs = _somewhere(solver, moved, name)
        _require_declared(
            solver, name, differs, f"{name} = {getattr(solver, name)!r} and {values[0]!r} give the "
            "same iterates, and all other values too that were tried; use it or leave it out",
        )  # fmt: skip


def draws(solver: Any) -> bool:
    """Whether random numbers may decide the result on the sample."""
    return _hands_over(solver) or (SEED not in solver.needs.inert and _fit(solver, sample())[1])


def _hands_over(solver: Any) -> bool:
    return isinstance(solver, FromEstimator) and solver.hands_seed_over


def _require_declared(solver: Any, name: str, differs: bool, why: str) -> None:
    if name in solver.needs.inert:
        require(not differs, f"Needs declares {name} as inert, and it changes the iterates")
    else:
        require(differs, f"{why}, or declare Needs(inert=({name!r},))")


def _somewhere(solver: Any, differs: Callable[[Any, Data], bool], name: str) -> bool:
    """Whether something differs: on the sample, on fewer rows, or beside another parameter."""
    few = np.r_[np.flatnonzero(labels() > 0)[:4], np.flatnonzero(labels() < 0)[:5]]
    with threadpool_limits(1), own_threads(1), catch_warnings():  # threads wait on few rows
        simplefilter("ignore")  # an odd value may end a fit too early
        if differs(solver, sample(rows=few)) or differs(solver, sample()):
            return True
        if name in solver.needs.inert:  # it need not do so beside other values
            return False
        return any(differs(one, sample()) for one in _variants(solver, name))


def _fit(solver: Any, data: Data, seed: int = 0) -> Fit:
    """What the first states say, as bytes; and whether random numbers were drawn."""
    rngs = np.random.default_rng(seed).spawn(2)
    before = [_drawn_from(rng) for rng in rngs]
    said: list[Any] = []
    with patch.object(np.random, "default_rng", Mock(wraps=np.random.default_rng)) as own:
        try:
            problem = solver.problem(data, rngs[0])
            states = islice(solver.iterates(problem, rngs[1]), EARLY)
            said.extend((state.rows_seen, learnt(problem, state).tobytes()) for state in states)
        except AucbenchError as refusal:
            said.append(type(refusal).__name__)
    return said, own.called or before != [_drawn_from(rng) for rng in rngs]


def _drawn_from(rng: np.random.Generator) -> tuple[str, int]:
    """What changes when numbers are drawn from a generator, or others are made of it."""
    bits: Any = rng.bit_generator
    return str(bits.state), bits.seed_seq.n_children_spawned


def _variants(solver: Any, without: str) -> Iterator[Any]:
    """The solver with another value of one parameter, for each of them."""
    for f in fields(solver):
        if f.init and f.name != without:
            yield from islice(_moved(solver, f.name, _values(solver, f.name)), 2)


def values_somewhere(solver: Any, name: str) -> list[Any]:
    """Other values of a parameter: of the solver, else beside another value of another one."""
    beside = (_values(one, name) for one in _variants(solver, name))
    return _values(solver, name) or next(filter(None, beside), [])


def _moved(solver: Any, name: str, values: list[Any]) -> Iterator[Any]:
    """The solver with each of these values that it takes."""
    for value in values:
        with suppress(AucbenchError, TypeError, ValueError):
            yield replace(solver, **{name: value})


def _values(solver: Any, name: str) -> list[Any]:
    """Other values of a parameter that it takes: of the grid, of its type, and guessed ones."""
    now, hint = getattr(solver, name), _hint(solver, name)
    listed = [v for each in mappings(solver.space) if name in each for v in samples(each[name])]
    listed += [v for part in (hint, *get_args(hint)) if get_origin(part) is Literal
               for v in get_args(part)]  # fmt: skip
    if isinstance(now, bool):
        listed.append(not now)
    elif isinstance(now, int):
        listed += [now + 1, 1, 2]
    elif isinstance(now, float):
        listed += [1e-3 * now, 1e3 * now, 0.0, 1.0, 10.0]
    elif now is None:
        listed += GUESSED
    others = [value for value in listed if type(value) is not type(now) or value != now]
    return [getattr(one, name) for one in _moved(solver, name, others)]


def _hint(solver: Any, name: str) -> Any:
    try:
        return get_type_hints(type(solver)).get(name)
    except NameError:  # a name that is imported for type checking only
        return None
