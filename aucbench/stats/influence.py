"""Intervals and differences of measures of pairs, by the influence of each independent unit.

Design
  a. A measure of pairs is θ = Σ π_ij k_ij, where k_ij is 1 if row i scores above row j, and ½ if
     both score the same. ψ_u is the sum of π_ij (k_ij − θ) over all pairs with an end in the unit
     u, each pair once. θ moves by ψ_u to first order if u counts a little more, so that the
     variance of θ is about Σ ψ_u² (infinitesimal jackknife of a ratio). For labels it is DeLong's.
  b. A unit is a row, or a group of rows that may be alike. Pairs inside a unit are in the sums of
     both of their rows, so that they are taken off once.
  c. A unit has a mass as an upper end of pairs and one as a lower end; of three or more classes,
     one in each class. Of N units of equal mass, a variance is known from N, and so N/(N − 1) and
     the degrees of freedom count these roles apart: ten positives among many negatives are ten, and
     three rows of a class are three. For labels this is Satterthwaite's rule.
  d. The range of a measure ends at 0 and 1, so that an interval is symmetric in log-odds. Of few
     units near an end, the variance is often estimated as far too small. So there is some room for
     rows that nobody saw: one counts a fifth of what it does in `mixture`, which leaves intervals
     of many units as they are. (Rejected: in full. Then 95 % intervals from 50 units held in 99 %
     of samples, see docs/statistics.md.) The interval of a difference is symmetric.
  e. Where fewer than `FEWEST` units have a pair, where fewer than `RAREST` are of the rarest class
     or side, or where all influences are 0, there is no interval.
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
from aucbench.stats.mixture import mixture_beta
from aucbench.stats.vectors import Vector
from aucbench.stats.words import LEVEL, Difference, Interval, require_level

FEWEST = 10  # units with a pair
RAREST = 3  # units of the rarest class, or of one side of the pairs
HIDDEN = 0.2  # what a row that nobody saw counts
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
    masses : array of shape (S, U)
        What part of the pairs each unit has an end of, in each of S roles: as an upper and as a
        lower end, which sum to 1 each, or by its rows of each class.
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
    masses: Vector
    ends: tuple[float, float] = (0.0, 1.0)
    draws: Vector | None = None
    seen: float = inf
    groups: tuple[int, int] = (0, 0)

    @staticmethod
    def of(
        theta: float,
        psi: Vector,
        masses: Vector,
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
        masses : array of shape (S, n)
            In two roles Σ_j π_rj and Σ_i π_ir, the mass of row r as an upper and as a lower end; of
            classes their sum, in the role of the class of the row.
        units : array of int of shape (n,)
            The number of the unit of each row.
        inside : array of shape (n,), optional
            As `psi`, over the pairs inside a unit, which are in the sums of two of its rows.
        """
        known, at = np.unique(units, return_inverse=True)
        rows = psi if inside is None else psi - 0.5 * inside
        own, *roles = (_added(at, x, known.size) for x in (rows, *masses))
        used = np.any(roles, axis=0)
        return Influence(theta, known[used], own[used], np.array(roles)[:, used], ends)

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
        count = np.maximum(2.0, self.counts)  # of one, nothing is known
        own = (self.masses / self.masses.sum(axis=0)) @ self.psi**2
        return own * count / (count - 1.0), count - 1.0

    @property
    def counts(self) -> Vector:
        """Of how many units of equal mass those of each role tell as much (Kish)."""
        return np.asarray(self.masses.sum(axis=1) ** 2 / (self.masses**2).sum(axis=1))

    @property
    def sizes(self) -> NDArray[np.intp]:
        """How many units each role has."""
        return np.asarray(np.count_nonzero(self.masses, axis=1))

    @property
    def squares(self) -> Vector:
        """For each role 1/N, where moving a share of its units is moving the same share of N."""
        return np.asarray((self.masses**2).sum(axis=1) / self.masses.sum(axis=1))

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

        In a fold the variance is Σ_u ψ_u² Σ_s a_su N_s/(N_s − 1), where a_su is the share of the
        mass of u that it has in the role s, and N_s the number of units of equal mass that tell as
        much as those of the role. Groups that are in several folds are added up first.
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
        psi, *masses = (
            _added(at, np.concatenate(several), known.size) / len(self.folds)
            for several in zip(*((fold.psi, *fold.masses) for fold in self.folds), strict=True)
        )
        mean, ends = float(self.values.mean()), self.folds[0].ends
        return Influence(mean, known, psi, np.array(masses), ends)

    def _rows(self, repeats: int) -> float:
        """Return N of the mean over the folds, of the role in which it is the least."""
        squares = np.sum([fold.squares for fold in self._independent], axis=0)
        several = 1 if self.grouped else repeats
        return len(self._independent) ** 2 / (float(squares.max()) * several)

    def _counts(self, repeats: int) -> float:
        """Return of how many units of equal mass those of the rarest role tell as much."""
        counts = np.sum([fold.counts for fold in self._independent], axis=0)
        return float(counts.min()) / (1 if self.grouped else repeats)

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
        sizes = np.sum([fold.sizes for fold in folds], axis=0)
        if (rarest := int(sizes.min()) // several) < RAREST:
            of = "the rarest class" if sizes.size > 2 else "the rarer side of all pairs"
            return f"{rarest} {what} are of {of}, and an interval needs {RAREST}."
        if self._counts(repeats) < 2:
            return f"Nearly all pairs have one of the {what} in common."
        if not any(fold.moves for fold in folds):
            return f"All {what} say the same."
        return ""

    def hidden(self, level: float, repeats: int) -> float:
        """Return how much the largest share of units that may be hidden can move the measure."""
        units = self._counts(repeats)
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

        Its bounds are the outer ones of two intervals: logit p ± t √V/(p (1 − p)), where p is the
        place of the mean in the range of the measure, and that of `mixture_beta`.
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
        below, above = scipy.special.expit([middle - half, middle + half]).tolist()
        least, most = mixture_beta(
            p,
            variance / (high - low) ** 2,
            degrees,
            self._rows(repeats),
            level,
            full=any(fold.sizes.min() < 2 for fold in self._independent),
            weight=HIDDEN,
        )
        below, above = (low + (high - low) * x for x in (min(below, least), max(above, most)))
        method = f"{name}, log-odds and mixture beta"
        return Interval(mean, below, above, level, method, self.note(repeats))

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


def _quantile(level: float, degrees: float) -> float:
    if degrees == inf:
        return float(scipy.special.ndtri((1 + level) / 2))
    return float(scipy.special.stdtrit(degrees, (1 + level) / 2))


def _added(at: NDArray[np.intp], x: Vector, size: int) -> Vector:
    """Return the sum of the numbers of each unit."""
    return np.bincount(at, x, size).astype(np.float64)
