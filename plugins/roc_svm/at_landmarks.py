"""The bandwidth and the ridge of a kernel machine at landmarks, by rows that are held out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from aucbench.contract import Budget, FeatureMap, Objective, Problem, Solver, State
from aucbench.data import Data
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.data.arrays import rows as dense
from aucbench.features import KernelColumns
from aucbench.optim.choice import AUTO, chosen
from aucbench.optim.scale import concentration
from aucbench.projectors import KernelNorm

from .representer import kernel_ridge, representer_descent

MIDDLE = 2  # squarings of the kernel at γ/4 that give the kernel at γ
SQUARINGS = (0, 4, MIDDLE)  # γ/4, 4γ, γ
EXPONENTS = (0.0, -1.0, -2.0, -3.0)  # of λ / `kernel_ridge`, in the order of a path
APART = 1e-8  # share of K(z, z) that other landmarks leave; below it the rounding spoils the gap
SPLITS = 5  # into rows of a trial and held rows, where one is too noisy to tell the values apart
ENOUGH = 500  # rows of a class from which one split is enough
TRIAL_PASSES = 30.0  # after 10 the smaller λ still look worse than they are
CLOSE = 1e-4  # gap at which a trial ends, of a mean hinge that is 1 without weights
MOST = 20_000  # rows; of more the trials take a sample

Loss = Callable[[Data], Objective]  # over rows of values of the kernel


class At(NamedTuple):
    """What a trial is about: γ, as squarings of the kernel of its rows, and log₁₀ of a factor."""

    squarings: int
    exponent: float


@dataclass(frozen=True)
class Machine:
    """A kernel machine at landmarks, of which γ or λ is to be chosen.

    Attributes
    ----------
    columns : KernelColumns
        The kernel at the γ that was derived, and the landmarks.
    loss : function
        Returns the loss over data whose rows are values of the kernel.
    lam : float, "auto" or None
        λ; None: `kernel_ridge`.
    width : bool
        Whether γ is chosen, of a kernel rbf.
    """

    columns: KernelColumns
    loss: Loss
    lam: float | Literal["auto"] | None
    width: bool

    def ridge(self, root: Vector, data: Data, exponent: float) -> float:
        """Return λ, given log₁₀ of its ratio to `kernel_ridge` where it is chosen."""
        if self.lam is None or self.lam == AUTO:
            return kernel_ridge(root, data) * float(10.0**exponent)
        return self.lam

    def tuned(
        self, data: Data, rng: np.random.Generator, budget: Budget
    ) -> tuple[KernelColumns, float]:
        """Return the columns at the γ, and log₁₀ of λ / `kernel_ridge`, that rank held rows best.

        The rows of a trial are values of the kernel at γ/4. Their squares are those at γ/2, and the
        squares of these are those at γ. So the landmarks are drawn once, and the distances computed
        once, for all trials. The values of λ form a path: each starts from the weights of the last.

        Parameters
        ----------
        data : Data
            Training rows.
        rng : Generator
            Draws the held rows.
        budget : Budget
            Of the fit; a trial gets no more passes.
        """
        derived = At(MIDDLE if self.width else 0, 0.0)
        values = [
            At(squarings, exponent)
            for squarings in (SQUARINGS if self.width else (0,))
            for exponent in (EXPONENTS if self.lam == AUTO else (0.0,))
        ]
        if data.n > MOST:
            data = data.split(MOST / data.n, rng)[1]
        least = _widened(self.columns, derived.squarings)
        trial = _Trial(replace(self, columns=least), derived)
        mapped = data.with_rows(least(data.rows))
        splits = 1 if concentration(data) <= 2.0 / ENOUGH else SPLITS
        values.append(derived)
        at = chosen(trial, "at", values, mapped, rng, budget, splits=splits, passes=TRIAL_PASSES)
        return _widened(self.columns, derived.squarings - at.squarings), at.exponent


def _widened(columns: KernelColumns, halvings: int) -> KernelColumns:
    """Return the columns at γ / 2^halvings."""
    if not halvings:
        return columns
    kernel = columns.kernel
    return replace(columns, kernel=replace(kernel, gamma=float(kernel.gamma) * 0.5**halvings))


@dataclass(frozen=True, eq=False)
class _Squared(FeatureMap):
    """φ(k) = k^(2^s) at some landmarks, for rows k of values of an rbf kernel: those at 2^s γ."""

    numbers: Index
    squarings: int

    def __call__(self, rows: Rows) -> Rows:
        """Map values (n, m) at all landmarks to values (n, r) at those of `numbers`."""
        K = rows.matrix[:, self.numbers]
        for _ in range(self.squarings):
            np.square(K, out=K)
        return dense(K)


class _Path:
    """The last trial, of which the next at a smaller λ takes the rows and the weights."""

    def __init__(self) -> None:
        self.rows: Rows | None = None
        self.at = At(-1, 0.0)
        self.problem: Problem | None = None
        self.w: Vector | None = None
        self.start: Vector | None = None

    def problem_of(self, rows: Rows, at: At) -> Problem | None:
        """Return the problem of the last trial where rows and γ are the same, and set its start."""
        self.start = None
        if self.problem is None or self.rows is not rows or self.at.squarings != at.squarings:
            return None
        self.start = self.w if at.exponent < self.at.exponent else None
        return self.problem


@dataclass(frozen=True)
class _Trial(Solver):
    """A fit at a γ and a λ, to rows that are values of the kernel at the least γ."""

    machine: Machine
    at: At
    path: _Path = field(default_factory=_Path)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Return the problem; the first at a γ makes what does not depend on λ."""
        path = self.path
        problem = path.problem_of(data.rows, self.at) or self._first(data)
        path.rows, path.at, path.problem = data.rows, self.at, problem
        root = problem.project.root  # type: ignore[attr-defined] # it is a KernelNorm
        lam = self.machine.ridge(root, problem.data, self.at.exponent)
        return replace(problem, project=KernelNorm(lam, root))

    def _first(self, data: Data) -> Problem:
        numbers, root = _widened(self.machine.columns, -self.at.squarings).basis(APART)
        phi = _Squared(numbers, self.at.squarings)
        return Problem(
            self.machine.loss(data.with_rows(phi(data.rows))), KernelNorm(1.0, root), phi
        )

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield the states until one is close to the minimum."""
        start = w0 if self.path.start is None else self.path.start
        for state in representer_descent(problem, start):
            self.path.w = state.w
            yield state
            if state.gap is not None and state.gap <= CLOSE:
                return
