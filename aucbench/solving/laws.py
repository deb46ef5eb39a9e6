"""The laws of a problem, and of the states that a solver yields, checked while it runs.

Design
  a. A state that breaks a law ends the run with one sentence: the field, the law, the value, and
     the line of the yield. A weight that is not finite breaks no law: a method may diverge.
  b. One cheap test lets nearly every state pass. The laws are checked one by one only if it fails.
  c. This is the door for the numbers of a state. What comes out has plain floats and ints, so that
     nothing behind it asks what a number is.
  d. A wrong part of a problem may fail inside a right solver. So the parts are checked, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import isfinite
from numbers import Number
from operator import attrgetter
from types import FrameType
from typing import Any

import numpy as np

from aucbench.contract import Problem, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.errors import PluginError, float_of, short, written_at
from aucbench.scale import ChunkedData

FLOAT64 = np.dtype(np.float64)
MOST_INFO, LONGEST_NAME = 20, 40  # names of `State.info`, and characters of a name
STUCK = 1000  # states in a row that read no row, where the budget counts passes
NUMBERS = {  # of a state, which may be None
    "gap": "None, or a bound of at least 0 (infinity: nothing is certified)",
    "residual": "None, or the length of the gradient",
    "value": "None, or the number f(w) + Omega(w)",
}
PARTS = {  # of a problem, and what is asked of them
    "f": ("data", "value", "grad"),
    "project": ("__call__", "contains", "value"),
    "features": ("__call__", "exempt"),
}
_fields = attrgetter(*(f.name for f in fields(State)))


class Laws:
    """Checks the states of one run.

    Parameters
    ----------
    states : iterator of State
        The generator of the solver, whose line a message names.
    kind : type
        The class of the solver.
    d : int
        Number of weights.
    counts_passes : bool
        Whether the budget counts passes, so that a run without progress would not end.
    """

    def __init__(self, states: Iterator[State], kind: type, d: int, *, counts_passes: bool) -> None:
        self.step = 0  # of the last state: they count 1, 2, 3, …
        self._states, self._kind, self._counts_passes = states, kind, counts_passes
        self._shape, self._read, self._idle = (d,), 0, 0

    def check(self, state: State, read: int) -> tuple[State, bool]:
        """Return the next state with plain numbers, and whether its weights are finite.

        A model is treated as finite.

        Parameters
        ----------
        state : State
            The next one.
        read : int
            Rows that were read before it.

        Raises
        ------
        PluginError
            When the state breaks a law.
        """
        self.step += 1
        self._require_progress(read)
        if state.__class__ is not State:  # whose fields may be properties
            return self._examined(state)
        try:
            w, gap, value = state.w, state.gap, state.value
            plain = (
                w.__class__ is np.ndarray
                and w.dtype is FLOAT64
                and w.shape == self._shape
                and state.model is None
                and (gap is None or (gap.__class__ is float and gap >= 0.0))
                and (value is None or value.__class__ is float)
                and (state.residual is None or state.residual.__class__ is float)
                and state.info == {}
            )
        except (AttributeError, TypeError, ValueError):
            plain = False
        if not plain:
            return self._examined(state)
        return state, all_finite(w)  # type: ignore[arg-type]

    def require_a_state(self) -> None:
        """Raise `PluginError` when the generator has ended without any state."""
        if self.step == 0:
            raise self._broken("iterates must yield at least one State, and it ended without one")

    def false_value(self, state: State, value: float | None) -> PluginError:
        """The error of a state whose objective is `value` and which claims another."""
        return self._broken(
            f"State.value must be the objective f(w) + Omega(w), which is {value!r} in state "
            f"{self.step}, got {_format_value(state.value)}; leave it out if it is not known"
        )

    def _examined(self, state: State) -> tuple[State, bool]:
        """As `check`, one law after the other. Each field is read once, as it may be a property."""
        if not isinstance(state, State):
            raise self._broken(f"iterates must yield a State, got {_format_value(state)}")
        w, model, gap, residual, value, info = _fields(state)
        if (w is None) == (model is None):
            what = "neither" if w is None else "both"
            raise self._broken(f"a State must have w or a model, one of them, got {what}")
        finite = self._examine_model(model) if w is None else self._examine_w(w)
        numbers = {
            name: self._number(name, given)
            for name, given in (("gap", gap), ("residual", residual), ("value", value))
        }
        bound = numbers["gap"]
        self._require(not finite or bound is None or bound >= 0.0, "gap", NUMBERS["gap"], gap)
        return State(w, model=model, info=self._info(info), **numbers), finite

    def _number(self, name: str, value: object) -> float | None:
        number = float_of(value)
        self._require(value is None or number is not None, name, NUMBERS[name], value)
        return number

    def _info(self, info: Any) -> dict[str, float]:
        law = f"a mapping of at most {MOST_INFO} names to numbers"
        listed = isinstance(info, Mapping) and len(info) <= MOST_INFO
        self._require(listed, "info", law, info)
        plain = {}
        for name, value in info.items():
            lawful = isinstance(name, str) and len(name) <= LONGEST_NAME
            law = f"a mapping whose keys are texts of at most {LONGEST_NAME} characters"
            self._require(lawful, "info", law, name)
            number = float_of(value)
            if number is None:
                raise self._unlawful(f"info[{name!r}]", "a number", value)
            plain[str(name)] = number
        return plain

    def _require_progress(self, read: int) -> None:
        """Raise `PluginError` where a budget of passes would never end."""
        self._idle = 0 if read > self._read else self._idle + 1
        self._read = read
        if self._counts_passes and self._idle >= STUCK:
            raise self._broken(
                f"the budget counts passes, and no row was read for {STUCK} states in a row; call "
                "aucbench.contract.count_rows(n) where n rows are read from raw arrays"
            )

    def _examine_w(self, w: Any) -> bool:
        law = f"a NumPy array of float64 with shape {self._shape}"
        lawful = isinstance(w, np.ndarray) and w.dtype == FLOAT64 and w.shape == self._shape
        self._require(lawful and not np.ma.isMaskedArray(w), "w", law, w)
        return all_finite(w)

    def _examine_model(self, model: Any) -> bool:
        law = "an object with a method scores(rows)"
        self._require(callable(getattr(model, "scores", None)), "model", law, model)
        return True

    def _require(self, lawful: bool, field: str, law: str, value: object) -> None:
        if not lawful:
            raise self._unlawful(field, law, value)

    def _unlawful(self, field: str, law: str, value: object) -> PluginError:
        return self._broken(f"State.{field} must be {law}, got {_format_value(value)}")

    def _broken(self, sentence: str) -> PluginError:
        place = _place(self._states) or written_at(self._kind.iterates)  # type: ignore[attr-defined]
        return PluginError(f"{self._kind.__name__}: {sentence}{place}")


def all_finite(w: Vector) -> bool:
    """Whether no weight is NaN or infinite; w . w is the faster test, unless it overflows."""
    return isfinite(np.vdot(w, w)) or bool(np.isfinite(w).all())


def _format_value(value: object) -> str:
    """Return a value in short: an array by its type and shape, a number as it is."""
    if isinstance(value, np.ndarray):
        masked = "a masked array" if np.ma.isMaskedArray(value) else "an array"
        return f"{masked} of {value.dtype} with shape {value.shape}"
    if value is None or isinstance(value, Number):
        return short(value)
    return f"an object of the class {type(value).__name__}"


def _place(states: Any) -> str:
    """Return " (file, line of the yield)"; empty where the iterator was written in C."""
    while hasattr(inner := getattr(states, "gi_yieldfrom", None), "gi_code"):
        states = inner
    frame: FrameType | None = getattr(states, "gi_frame", None)
    code = getattr(states, "gi_code", None)
    if code is None:
        return ""
    line = code.co_firstlineno if frame is None else frame.f_lineno
    return f" ({code.co_filename}, line {line})"


def lacking_part(problem: Problem) -> str | None:
    """Return which part of a problem has not what the loop and the harness ask it for."""
    for part, names in PARTS.items():
        thing = getattr(problem, part)
        if part == "f" and thing is None:
            continue
        if lacking := [name for name in names if not hasattr(thing, name)]:
            return f"whose {part} is {short(thing)}, which lacks {', '.join(lacking)}"
    for part in ("holdout", "train"):
        kinds = Data | ChunkedData | None if part == "train" else Data | None
        if not isinstance(data := getattr(problem, part), kinds):
            return f"whose {part} is {short(data)}, wanted Data"
    if problem.f is None and problem.train is None:
        return "with neither f nor train; give an objective, or train=data"
    return None


def wrong_part(problem: Problem, w: Vector) -> str | None:
    """Return which part of a problem returns no vector where one is due; None when none does.

    It costs a gradient at w, so that it is asked when a solver has failed, and at no other time.
    """
    wrong = None if problem.f is None else _wrong(problem.f, "grad", w)
    return wrong or _wrong(problem.project, "__call__", w, 1.0)


def _wrong(part: object, method: str, w: Vector, *further: float) -> str | None:
    try:
        answer = getattr(part, method)(w, *further)
    except Exception:  # the solver has met it too, and reports that error
        return None
    if isinstance(answer, np.ndarray) and answer.shape == w.shape:
        return None
    value = f"an array of shape {answer.shape}" if isinstance(answer, np.ndarray) else short(answer)
    place = written_at(getattr(type(part), method))
    called = f"{type(part).__name__}.{method}"
    return f"{called} returned {value}, wanted an array of shape {w.shape}{place}"
