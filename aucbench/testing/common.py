"""Laws of several kinds: what is answered does not depend on how rows are stored, or on a pickle.

A kind gives an `answer` of what is checked on some data, and a `compare` of two answers: it takes
what is compared, both answers, and the tolerance of each number, which is 0 if it is left out.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from aucbench.errors import UnsupportedError
from aucbench.testing.laws import Laws, not_asked
from aucbench.testing.samples import (
    LAYOUTS,
    csr,
    features,
    labels,
    locked,
    rounded,
    sample,
    single,
    under_two_states,
)

Answer = Callable[[Any, Any], Any]
Compare = Callable[..., None]


def add_layouts(laws: Laws, answer: Answer, compare: Compare, loose: float, tight: float) -> None:
    """Add the laws of layouts, with a loose tolerance, and of float32, with a tight one."""

    @laws(f"{loose:g} of each number, or of the largest; sums are added in another order")
    def layouts(thing: Any) -> None:
        """Dense rows, CSR rows, also with stored zeros, and Fortran order give the same numbers.

        All arrays are read-only.
        """
        wanted = answer(thing, sample())
        for name, layout in LAYOUTS.items():
            compare(f"{name} and dense rows", answer(thing, sample(layout)), wanted, loose)

    @laws(f"{tight:g} of each number, or of the largest; sums are added in another order")
    def float32(thing: Any) -> None:
        """Rows that are stored as float32 give what the same numbers give as float64.

        A user stores them so to halve their memory. They are rounded once; all is computed in
        float64. What cannot read them refuses them by an `UnsupportedError`.
        """
        for X in (features(), csr(features())):
            wanted = answer(thing, locked(rounded(X), labels()))
            try:
                came = answer(thing, locked(single(X), labels()))
            except UnsupportedError as refusal:
                not_asked(f"it refuses them: {refusal}")
            compare("float32 rows", came, wanted, tight)


def add_same_seed(laws: Laws, answer: Answer, compare: Compare) -> None:
    """Add the law that a seed decides about all that is drawn."""

    @laws("exact")
    def same_seed(thing: Any) -> None:
        """The same seed gives the same numbers, whatever the global generators are set to.

        All random numbers come from the `rng` that it gets. So a result can be repeated.
        """
        compare("two fits of one seed", *under_two_states(lambda: answer(thing, sample())))


def add_pickles(
    laws: Laws,
    made: Callable[[Any], Any],
    answer: Callable[[Any], Any],
    compare: Callable[[str, Any, Any], None],
) -> None:
    """Add the law that what is made of a thing survives a pickle."""

    @laws("exact")
    def pickles(thing: Any) -> None:
        """It survives a pickle: workers get it so, and models are stored with it."""
        one = made(thing)
        compare("after a pickle", answer(pickle.loads(pickle.dumps(one))), answer(one))
