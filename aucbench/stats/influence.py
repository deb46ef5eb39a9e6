"""Intervals and differences of measures of pairs, by the influence of each independent unit.

Design
  a. A measure of pairs is θ = Σ π_ij k_ij, where k_ij is 1 if row i scores above row j, and ½ if
     both score the same. ψ_u is the sum of π_ij (k_ij − θ) over all pairs with an end in the unit
     u, each pair once. θ moves by ψ_u to first order if u counts a little more, so that the
     variance of θ is about Σ ψ_u² (infinitesimal jackknife of a ratio). For labels it is DeLong's.
  b. A unit is a row, or a group of rows that may be alike. Pairs inside a unit are in the sums of
     both of their rows, so that they are taken off once.
  c. A unit has a mass as an upper end of pairs and one as a lower end. Of N units of equal mass, a
     variance is known from N, and so N/(N − 1) and the degrees of freedom count both roles apart:
     ten positives among many negatives are ten. For labels this is Satterthwaite's rule.
  d. The range of a measure ends at 0 and 1, so that an interval is symmetric in log-odds. Of a
     difference it is symmetric. There is no room for rows that nobody saw, as in `mixture`: with
     it, 95 % intervals from 50 units held in 99 % of samples, see docs/statistics.md.
  e. Where fewer than `FEWEST` units have a pair, or all influences are 0, there is no interval.
     (Rejected: the interval of a share of so many units. It holds whatever the pairs are, but is
     twice as wide as what holds in 95 % of samples.) Where two solvers order all pairs alike, at
     most a share x of the units may be of a kind on which they differ, by the rule of three, and
     these are in at most 1 − (1 − x)² of the pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, nan, sqrt

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import NDArray

from aucbench.errors import require_whole
from aucbench.kernels.vectors import Vector
from aucbench.stats.words import LEVEL, Difference, Interval, require_level

FEWEST = 10  # units with a pair
ROUNDING = 1e-12  # of the mean mass of a unit: a smaller influence is 0
Units = NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """What the units of one fold say of a measure.

    Attributes
    ----------
    value : float
        θ.
    units : array of shape (U,)
        The numbers of the units, each once.
    psi : array of shape (U,)
        ψ, how θ moves with each of them.
    upper, lower : arrays of shape (U,)
        Their masses as upper and as lower ends of pairs; each sums to 1.
    ends : (float, float)
        The range of θ.
    draws : array of shape (B,), or None
        θ on the samples of a bootstrap, which gives the variance in place of ψ.
    seen : float
        How many rows the value rests on, where it is about a part of the rows.
    groups : (int, int)
        How many groups of pairs were left out, because no two of their rows can be compared, and
        how many there are in all.
    """

    value: float
    units: Units
    psi: Vector
    upper: Vector
    lower: Vector
    ends: tuple[float, float] = (0.0, 1.0)
    draws: Vector | None = None
    seen: float = inf
    groups: tuple[int, int] = (0, 0)

    @staticmethod
    def of(
        theta: float,
        psi: Vector,
        masses: tuple[Vector, Vector],
        units: Units,
        *,
        inside: Vector | None = None,
        ends: tuple[float, float] = (0.0, 1.0),
    ) -> Influence:
        """Return the influence of units from those of their rows.

        Parameters
        ----------
        theta : float
        psi : array of shape (n,)
            Σ π (k − θ) over all pairs of each row.
        masses : (array, array), of shape (n,)
            Σ_j π_rj and Σ_i π_ir, the mass of row r as an upper and as a lower end.
        units : array of int of shape (n,)
            The number of the unit of each row.
        inside : array of shape (n,), optional
            As `psi`, over the pairs inside a unit, which are in the sums of two of its rows.
        """
        known, at = np.unique(units, return_inverse=True)
        rows = psi if inside is None else psi - 0.5 * inside
        own, upper, lower = (_added(at, x, known.size) for x in (rows, *masses))
        used = (upper > 0) | (lower > 0)
        return Influence(theta, known[used], own[used], upper[used], lower[used], ends)

    @staticmethod
    def mean(several: Sequence[Influence]) -> Influence:
        """Return the mean of a measure over several scores of the same rows."""
        psi = np.mean([one.psi for one in several], axis=0)
        draws = [one.draws for one in several if one.draws is not None]
        return replace(
            several[0],
            value=float(np.mean([one.value for one in several])),
            psi=psi,
            draws=np.mean(draws, axis=0) if draws else None,
        )

    def minus(self, other: Influence) -> Influence:
        """Return the difference on the same rows, whose samples are the same too."""
        draws = None if self.draws is None or other.draws is None else self.draws - other.draws
        value, psi = self.value - other.value, self.psi - other.psi
        return replace(self, value=value, psi=psi, draws=draws)

    @property
    def parts(self) -> tuple[Vector, Vector]:
        """The parts of the variance, and of how many units less 1 each is known."""
        if self.draws is not None:
            return np.array([self.draws.var()]), np.array([max(1.0, self.seen - 1.0)])
        share = self.upper / (self.upper + self.lower)
        count = np.maximum(2.0, [kish(self.upper), kish(self.lower)])  # of one, nothing is known
        own = np.array([self.psi**2 @ share, self.psi**2 @ (1.0 - share)])
        return own * count / (count - 1.0), count - 1.0

    @property
    def moves(self) -> bool:
        """Whether the measure moves with a unit, or with a sample."""
        if self.draws is not None:
            return bool(np.ptp(self.draws) > ROUNDING)
        return bool((np.abs(self.psi) > ROUNDING / self.psi.size).any())


@dataclass(frozen=True, slots=True, eq=False)
class Influences:
    """What several folds say of the mean of a measure; `left_out` counts those without a pair."""

    folds: tuple[Influence, ...]
    left_out: int
    grouped: bool = False  # whether units are groups, whose numbers are the same in all folds

    @staticmethod
    def joined(folds: Sequence[Influence | None], *, grouped: bool = False) -> Influences:
        """Return what folds say together; None is one without a pair."""
        known = tuple(fold for fold in folds if fold is not None)
        return Influences(known, len(folds) - len(known), grouped)

    @property
    def values(self) -> Vector:
        """The measure on each fold."""
        return np.array([fold.value for fold in self.folds], np.float64)

    @property
    def groups(self) -> int:
        """Number of groups; 0 where units are rows."""
        return len({*np.concatenate([f.units for f in self.folds]).tolist()}) if self.grouped else 0

    def minus(self, other: Influences) -> Influences:
        """Return the differences on the same rows."""
        pairs = zip(self.folds, other.folds, strict=True)
        return replace(self, folds=tuple(a.minus(b) for a, b in pairs))

    def variance(self, repeats: int = 1) -> tuple[float, float]:
        """Return variance and degrees of freedom of the mean over the folds.

        In a fold the variance is Σ_u ψ_u² (a N₊/(N₊ − 1) + b N₋/(N₋ − 1)), where a and b are the
        shares of the mass of u as an upper and as a lower end, and N₊ = 1/Σ (mass as an upper)²,
        N₋ likewise. Groups that are in several folds are added up first.
        """
        several = [fold.parts for fold in self._independent]
        parts, known = (np.concatenate(x) for x in zip(*several, strict=True))
        variance, below = float(parts.sum()), float((parts**2 / known).sum())
        most = float(sum(fold.units.size - 1 for fold in self._independent))
        degrees = min(variance**2 / below, most) if below > 0 else most
        if self.grouped:  # what repeats have in common is added up already
            return variance, degrees
        return variance * repeats / len(several) ** 2, degrees / repeats

    @property
    def _independent(self) -> tuple[Influence, ...]:
        """The folds; where units are groups, their mean as one."""
        return (self._all,) if self.grouped and self.folds else self.folds

    @property
    def _all(self) -> Influence:
        """The mean over all folds as one, with each group once."""
        units = np.concatenate([fold.units for fold in self.folds])
        known, at = np.unique(units, return_inverse=True)
        psi, upper, lower = (
            _added(at, np.concatenate([getattr(f, name) for f in self.folds]), known.size)
            / len(self.folds)
            for name in ("psi", "upper", "lower")
        )
        mean, ends = float(self.values.mean()), self.folds[0].ends
        return Influence(mean, known, psi, upper, lower, ends)

    @property
    def _counts(self) -> tuple[float, float]:
        """Of how many units of equal mass the uppers, and the lowers, tell as much."""
        folds = self._independent
        return sum(kish(fold.upper) for fold in folds), sum(kish(fold.lower) for fold in folds)

    def flaw(self, repeats: int = 1) -> str:
        """Return why there is no variance, as a sentence; empty if there is one."""
        what = "groups" if self.grouped else "rows"
        folds = self._independent
        if not folds:
            return "No fold has a pair."
        if self.grouped and any(fold.draws is not None for fold in self.folds):
            return "Few rows are in the range, and they have groups."
        several = 1 if self.grouped else repeats
        count = sum(fold.units.size for fold in folds) // several
        if count < FEWEST:
            return f"{count} {what} have a pair, and an interval needs {FEWEST}."
        if min(self._counts) < 2 * several:
            return f"Nearly all pairs have one of the {what} in common."
        if not any(fold.moves for fold in folds):
            return f"All {what} say the same."
        return ""

    def hidden(self, level: float, repeats: int) -> float:
        """Return how much the largest share of units that may be hidden can move the measure."""
        units = min(self._counts) / (1 if self.grouped else repeats)
        seen = sum(fold.seen for fold in self.folds) / repeats
        low, high = self.folds[0].ends
        return float((high - low) * (1.0 - (1.0 - level) ** (2.0 / max(1.0, min(units, seen)))))

    @property
    def method(self) -> str:
        """What the variance is called."""
        if any(fold.draws is not None for fold in self.folds):
            return "stratified bootstrap"
        return "influence by groups" if self.grouped else "influence"

    def note(self, repeats: int = 1) -> str:
        """Return what was left out, in sentences; empty if nothing was."""
        told, total = [], self.left_out + len(self.folds)
        if self.left_out:
            told.append(f"{self.left_out} of {total} folds have no pair.")
        out, groups = (sum(fold.groups[k] for fold in self.folds) // repeats for k in (0, 1))
        if out:
            told.append(f"{out} of {groups} groups hold one class and are left out.")
        return " ".join(told)

    def interval(self, level: float = LEVEL, repeats: int = 1) -> Interval:
        """Return the interval of the mean; without bounds where `flaw` says why.

        It is symmetric in log-odds: logit p ± t √V / (p (1 − p)), where p is the place of the mean
        in the range of the measure.
        """
        require_level(level)
        require_whole(1, repeats=repeats)
        mean = float(self.values.mean()) if self.folds else nan
        flaw, name = self.flaw(repeats), self.method
        low, high = self.folds[0].ends if self.folds else (0.0, 1.0)
        p = (mean - low) / (high - low)
        if flaw or not 0.0 < p < 1.0:
            why = flaw or "The value is at the end of its range."
            return Interval(mean, nan, nan, level, name, f"{why} {self.note(repeats)}".strip())
        variance, degrees = self.variance(repeats)
        half = _quantile(level, degrees) * sqrt(variance) / ((high - low) * p * (1.0 - p))
        middle = scipy.special.logit(p)
        ends = (low + (high - low) * float(scipy.special.expit(middle + x)) for x in (-half, half))
        return Interval(
            mean, next(ends), next(ends), level, f"{name}, log-odds", self.note(repeats)
        )

    def difference(self, other: Influences, level: float = LEVEL, repeats: int = 1) -> Difference:
        """Return this mean less that of other scores of the same rows, with a t-test."""
        require_level(level)
        require_whole(1, repeats=repeats)
        less, name = self.minus(other), f"{self.method}, paired"
        effect = float(less.values.mean()) if less.folds else nan
        if less.folds and effect == 0.0 and not any(fold.moves for fold in less.folds):
            x = less.hidden(level, repeats)
            note = f"Both order all pairs alike. {self.note(repeats)}".strip()
            return Difference(0.0, -x, x, 1.0, level, "rule of three", note)
        if flaw := less.flaw(repeats):
            p = 1.0 if less.folds and effect == 0.0 else nan
            note = f"{flaw} {self.note(repeats)}".strip()
            return Difference(effect, nan, nan, p, level, name, note)
        variance, degrees = less.variance(repeats)
        error = sqrt(variance)
        half = _quantile(level, degrees) * error
        p = 2.0 * float(scipy.special.stdtr(degrees, -abs(effect) / error))
        return Difference(effect, effect - half, effect + half, p, level, name, self.note(repeats))


def kish(masses: Vector) -> float:
    """Return of how many units of equal mass these tell as much (Kish)."""
    squares = float(masses @ masses)
    return float(masses.sum()) ** 2 / squares if squares > 0 else 0.0


def _quantile(level: float, degrees: float) -> float:
    if degrees == inf:
        return float(scipy.special.ndtri((1 + level) / 2))
    return float(scipy.special.stdtrit(degrees, (1 + level) / 2))


def _added(at: NDArray[np.intp], x: Vector, size: int) -> Vector:
    """Return the sum of the numbers of each unit."""
    return np.bincount(at, x, size).astype(np.float64)
