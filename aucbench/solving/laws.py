"""The laws of the states that a solver yields, checked one by one while it runs.

Design
  a. A state that breaks a law ends the run with one sentence: the field, the law, what came, and
     the line of the yield. A weight that is not finite breaks no law: a method may diverge.
  b. One cheap test lets nearly every state pass. Each law is looked at only where it fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from numbers import Integral, Real
from types import FrameType
from typing import Any

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.errors import PluginError
from aucbench.protocols import State

FLOAT64 = np.dtype(np.float64)
MOST_PASSES = 10**6  # over the training rows in one step; tools that do all work in one stay below
MOST_INFO, LONGEST_NAME = 20, 40  # names of `State.info`, and characters of a name
STUCK = 1000  # states in a row that read no row, where the budget counts passes


class Laws:
    """Checks the states of one run.

    Parameters
    ----------
    states : iterator of State
        The generator of the solver, whose line a message names.
    name : str
        Class of the solver.
    n, d : int
        Numbers of training rows and of weights.
    counts_passes : bool
        Whether the budget counts passes, so that a run without progress would not end.
    """

    def __init__(
        self, states: Iterator[State], name: str, n: int, d: int, *, counts_passes: bool
    ) -> None:
        self._states, self._name, self._counts_passes = states, name, counts_passes
        self._shape, self._most = (d,), MOST_PASSES * n
        self._step, self._seen, self._idle = 0, 0, 0

    def is_finite(self, state: State) -> bool:
        """Whether the weights of the next state are finite; a model counts as finite.

        Raises
        ------
        PluginError
            When the state breaks a law.
        """
        self._step += 1
        try:
            w, gap, seen, value = state.w, state.gap, state.rows_seen, state.value
            lawful = (
                w.__class__ is np.ndarray
                and w.dtype is FLOAT64
                and w.shape == self._shape
                and state.model is None
                and state.step == self._step
                and seen.__class__ is int
                and 0 < seen - self._seen <= self._most
                and (gap is None or gap >= 0.0)
                and (value is None or value.__class__ is float)
                and state.info == {}
            )
        except (AttributeError, TypeError, ValueError):
            lawful = False
        if not lawful:
            return self._examined(state)
        self._seen, self._idle = seen, 0
        return all_finite(w)  # type: ignore[arg-type]

    def require_a_state(self) -> None:
        """Raise `PluginError` when the generator has ended without any state."""
        if self._step == 0:
            raise self._broken("iterates must yield at least one State, and it ended without one")

    def false_value(self, state: State, value: float | None) -> PluginError:
        """The error of a state whose objective is `value` and which claims another."""
        return self._broken(
            f"State.value must be the objective f(w) + Omega(w), which is {value!r} at step "
            f"{state.step}, got {_shown(state.value)}; leave it out if it is not known"
        )

    def _examined(self, state: State) -> bool:
        """As `is_finite`, one law after the other."""
        if not isinstance(state, State):
            raise self._broken(f"iterates must yield a State, got {_shown(state)}")
        self._require(
            _is_whole(state.step) and state.step == self._step,
            "step",
            f"{self._step} here, since steps count 1, 2, 3, ...",
            state.step,
        )
        self._examine_rows(state.rows_seen)
        if (state.w is None) == (state.model is None):
            what = "neither" if state.w is None else "both"
            raise self._broken(f"a State must have w or a model, one of them, got {what}")
        finite = self._examine_model(state.model) if state.w is None else self._examine_w(state.w)
        self._require(
            not finite or state.gap is None or (_is_real(state.gap) and state.gap >= 0.0),
            "gap",
            "None, or a bound of at least 0 (infinity: nothing is certified)",
            state.gap,
        )
        lawful = state.value is None or _is_real(state.value)
        self._require(lawful, "value", "None, or the number f(w) + Omega(w)", state.value)
        self._examine_info(state.info)
        return finite

    def _examine_info(self, info: Any) -> None:
        law = f"a mapping of at most {MOST_INFO} names to numbers"
        listed = isinstance(info, Mapping) and len(info) <= MOST_INFO
        self._require(listed, "info", law, info)
        for name, value in info.items():
            lawful = isinstance(name, str) and len(name) <= LONGEST_NAME
            law = f"a mapping whose keys are texts of at most {LONGEST_NAME} characters"
            self._require(lawful, "info", law, name)
            self._require(_is_real(value), f"info[{name!r}]", "a number", value)

    def _examine_rows(self, seen: Any) -> None:
        law = "the whole number of rows read since the start"
        self._require(_is_whole(seen), "rows_seen", law, seen)
        law = f"at least the {self._seen} of the state before"
        self._require(seen >= self._seen, "rows_seen", law, seen)
        law = f"at most {MOST_PASSES} passes more than the {self._seen} of the state before"
        self._require(seen - self._seen <= self._most, "rows_seen", law, seen)
        self._idle = 0 if seen > self._seen else self._idle + 1
        self._seen = int(seen)
        if self._counts_passes and self._idle >= STUCK:
            raise self._broken(
                f"State.rows_seen must grow, since the budget counts passes, and it is {seen} in "
                f"{STUCK} states in a row"
            )

    def _examine_w(self, w: Any) -> bool:
        law = f"a NumPy array of float64 with shape {self._shape}"
        lawful = isinstance(w, np.ndarray) and w.dtype == FLOAT64 and w.shape == self._shape
        self._require(lawful, "w", law, w)
        return all_finite(w)

    def _examine_model(self, model: Any) -> bool:
        law = "an object with a method scores(rows)"
        self._require(callable(getattr(model, "scores", None)), "model", law, model)
        return True

    def _require(self, lawful: bool, field: str, law: str, came: object) -> None:
        if not lawful:
            raise self._broken(f"State.{field} must be {law}, got {_shown(came)}")

    def _broken(self, sentence: str) -> PluginError:
        return PluginError(f"{self._name}: {sentence}{_place(self._states)}")


def all_finite(w: Vector) -> bool:
    """Whether no weight is NaN or infinite; w . w is the faster test, unless it overflows."""
    return isfinite(np.vdot(w, w)) or bool(np.isfinite(w).all())


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _shown(value: object) -> str:
    """What came, short: an array by its type and shape, a number as it is."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    if value is None or isinstance(value, bool | Integral | Real):
        return str(value)
    kind = type(value).__name__
    return f"an object of the class {kind}"


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
