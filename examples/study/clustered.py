"""Regression over data sets of which some are related: intervals that count families, not tables.

Design
  a. Each family of related data sets has the weight 1, which its members share. So the intercept,
     at average properties, is the mean over the families, and twelve cuts of one table count as
     one.
  b. The variance is CR2 of Bell and McCaffrey: residuals of a family are blown up by as much as the
     fit has shrunk them, which makes it unbiased where families have equal variances. It is a
     difference of few families, so that Student's t takes the degrees of freedom of Satterthwaite
     for each coefficient. (Rejected: to draw families with replacement. Percentile intervals of
     95 % held in 92 to 94 % of the samples, three of them together in 90 to 94; those of CR2 in
     94 to 96 and in 94 to 96, see `examples/simulate_families.py`.)
  c. Several properties are looked at together: the largest of correlated |t| is what counts. Their
     correlation is that of CR2, and each t keeps its own degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError, require_whole
from aucbench.stats.tables import Array, family_numbers
from aucbench.stats.vectors import floats
from aucbench.stats.words import LEVEL, Difference, require_level

DRAWS = 20_000  # normal vectors, whose largest entry adjusts for several properties
SEED = 0
SINGULAR = 1e-10  # eigenvalue of I - H, and share of a singular value, that counts as 0
FEW_DEGREES = 4.0  # below, the t with Satterthwaite's degrees holds less often than it says
METHOD = "t over families of data sets"


@dataclass(frozen=True, slots=True)
class Slope:
    """What one standard deviation more of a property adds to y.

    Attributes
    ----------
    name : str
        Of the property.
    middle, unit : float
        Weighted mean and standard deviation of the property.
    difference : Difference
        The slope with the interval and the p-value of this property alone.
    low, high : float
        Interval that holds for all properties together.
    adjusted : float
        The p-value adjusted for their number.
    degrees : float
        Of freedom, by Satterthwaite.
    inflation : float
        How many times as large the variance is as if the other properties were unrelated to it;
        1 where it is alone.
    """

    name: str
    middle: float
    unit: float
    difference: Difference
    low: float
    high: float
    adjusted: float
    degrees: float
    inflation: float


@dataclass(frozen=True, slots=True)
class MetaRegression:
    """How y depends on properties of the data sets, see `meta_regression`.

    Attributes
    ----------
    mean : Difference
        y at average properties: the mean over the families.
    slopes : tuple of Slope
        In the order of the properties.
    data_sets, families : int
        That count.
    explained : float
        Share of the weighted variance of y that all properties together explain; NaN where each
        property is alone.
    note : str
        What is to be said of the intervals; empty if nothing is.
    """

    mean: Difference
    slopes: tuple[Slope, ...]
    data_sets: int
    families: int
    explained: float
    level: float = LEVEL
    note: str = ""


def mean_over_families(
    y: ArrayLike, families: Sequence[str | None] | None = None, *, level: float = LEVEL
) -> Difference:
    """Return the mean over families of the means of their data sets, with Student's t interval.

    Parameters
    ----------
    y : array of shape (N,)
        One value for each data set.
    families : sequence of str or None, optional
        As in `best_set`.
    level : float
        Of the interval.

    Raises
    ------
    DataError
        When y is no vector, has a value that is not finite, or another number of families.
    ParameterError
        When the level is not in (0, 1).
    """
    require_level(level)
    values, family = _checked(y, families)
    sizes = np.bincount(family)
    means = np.bincount(family, values) / sizes
    if means.size < 2:
        note = "One family of data sets says nothing about others; an interval takes two."
        effect = float(means[0]) if means.size else nan
        return Difference(effect, nan, nan, nan, level, METHOD, note)
    error = float(means.std(ddof=1)) / means.size**0.5
    return _difference(float(means.mean()), error, means.size - 1.0, level)


def meta_regression(
    y: ArrayLike,
    properties: ArrayLike,
    names: Sequence[str],
    *,
    families: Sequence[str | None] | None = None,
    separately: bool = False,
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = SEED,
) -> MetaRegression:
    """Regress y, such as the difference of two solvers, on properties of the data sets.

    With the weight w_i = 1/(data sets of the family of i) and properties z that are standardised by
    weighted mean and standard deviation, b minimises Σ w_i (y_i − b₀ − Σ_k b_k z_ik)². With the
    rows X_g, e_g of a family, times √w, and H_g = X_g (XᵀX)⁻¹ X_gᵀ,

        V = (XᵀX)⁻¹ Σ_g X_gᵀ A_g e_g e_gᵀ A_g X_g (XᵀX)⁻¹,     A_g = (I − H_g)^(−1/2),

    and b_k ± t √V_kk is its interval, where t has the degrees of freedom of Satterthwaite if
    residuals were independent and families had equal variances. For all properties together, t is
    that of the level at which all of correlated normal variables, with the correlations of V, are
    inside with the probability `level`.

    Parameters
    ----------
    y : array of shape (N,)
        One value for each data set.
    properties : array of shape (N, k)
        Of the data sets; in logarithms where ratios count.
    names : sequence of str
        Of the k properties.
    families : sequence of str or None, optional
        As in `best_set`.
    separately : bool
        Whether each property has a regression of its own, in which the others may stand behind its
        slope. The adjustment is for all of them.
    level : float
        Of the intervals.
    draws, seed : int
        Of the normal variables.

    Raises
    ------
    DataError
        When shapes do not fit, a value is not finite, a property is constant or a combination of
        others, or there are too few families.
    ParameterError
        When a number makes no sense.

    Notes
    -----
    Bell and McCaffrey (2002), "Bias reduction in standard errors for linear regression with
    multi-stage samples", Survey Methodology 28; Pustejovsky and Tipton (2018), "Small-sample
    methods for cluster-robust variance estimation and hypothesis testing in fixed effects models",
    Journal of Business & Economic Statistics 36; Hothorn, Bretz and Westfall (2008),
    "Simultaneous inference in general parametric models", Biometrical Journal 50.
    """
    require_level(level)
    require_whole(1, draws=draws)
    require_whole(0, seed=seed)
    values, family = _checked(y, families)
    count = int(family.max(initial=-1)) + 1
    weights = 1.0 / np.bincount(family)[family]
    z, middle, unit = _standardised(properties, names, len(values), weights)
    _require_families(count, 1 if separately else len(names))
    columns = [[k] for k in range(len(names))] if separately else [[*range(len(names))]]
    fits = [_Fit.of(values, z[:, chosen], weights, family, names) for chosen in columns]
    slopes = np.concatenate([fit.coefficients[1:] for fit in fits])
    scores = np.hstack([fit.scores[:, 1:] for fit in fits])
    degrees = np.concatenate([fit.degrees[1:] for fit in fits])
    inflation = np.concatenate([fit.inflation for fit in fits])
    errors = np.sqrt(np.sum(scores**2, axis=0))
    alone = [_difference(*each, level) for each in zip(slopes, errors, degrees, strict=True)]
    adjusted, inside = _together([one.p for one in alone], scores, level, draws, seed)
    half = _half(errors, degrees, inside)
    told = tuple(
        Slope(*each)
        for each in zip(
            names,
            middle.tolist(),
            unit.tolist(),
            alone,
            (slopes - half).tolist(),
            (slopes + half).tolist(),
            adjusted,
            degrees.tolist(),
            inflation.tolist(),
            strict=True,
        )
    )
    return MetaRegression(
        mean_over_families(values, families, level=level),
        told,
        len(values),
        count,
        nan if separately else fits[0].explained,
        level,
        _note(told),
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    """A weighted regression: coefficients, what each family adds to their errors, and degrees."""

    coefficients: Array  # (k + 1,), the intercept first
    scores: Array  # (G, k + 1); the sums of their squares are the variances
    degrees: Array  # (k + 1,)
    inflation: Array  # (k,)
    explained: float

    @staticmethod
    def of(
        y: Array, z: Array, weights: Array, family: NDArray[np.intp], names: Sequence[str]
    ) -> _Fit:
        """Fit y to an intercept and standardised columns."""
        root = np.sqrt(weights)
        X, target = np.column_stack([root, root[:, None] * z]), root * y
        size = np.linalg.svd(X, compute_uv=False)
        if size[-1] <= SINGULAR * size[0]:
            raise DataError(
                f"one of the properties {', '.join(names)} is a combination of the others; leave "
                "one of them out"
            )
        inverse = np.linalg.inv(X.T @ X)
        coefficients = inverse @ X.T @ target
        rest = target - X @ coefficients
        hat = X @ inverse @ X.T
        bread = np.zeros((int(family.max()) + 1, len(y), X.shape[1]))  # A_g X_g (XᵀX)⁻¹, per family
        for g in range(len(bread)):
            at = np.flatnonzero(family == g)
            bread[g, at] = _root(np.eye(at.size) - hat[np.ix_(at, at)]) @ X[at] @ inverse
        scores = np.einsum("gnk,n->gk", bread, rest)
        # The errors of coefficient k are the sum over g of (p_gᵀ e)², p_g = (I − H) bread_g.
        p = ((np.eye(len(y)) - hat) @ bread).transpose(2, 0, 1)
        gram = p @ p.transpose(0, 2, 1)
        degrees = np.trace(gram, axis1=1, axis2=2) ** 2 / np.sum(gram**2, axis=(1, 2))
        around = y - weights @ y / weights.sum()
        explained = 1.0 - float(rest @ rest) / max(float(weights @ around**2), 1e-300)
        return _Fit(coefficients, scores, degrees, np.diag(inverse)[1:] * weights.sum(), explained)


def _root(matrix: Array) -> Array:
    """Return the symmetric power -1/2 of a positive semidefinite matrix; 0 where it is singular."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > SINGULAR
    powers = np.where(kept, np.where(kept, values, 1.0) ** -0.5, 0.0)
    return np.asarray((vectors * powers) @ vectors.T)


def _checked(y: ArrayLike, families: Sequence[str | None] | None) -> tuple[Array, NDArray[np.intp]]:
    values = floats("y", y)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise DataError("y must be a vector of finite numbers; leave data sets without one out")
    return values, family_numbers(families, values.size)


def _standardised(
    properties: ArrayLike, names: Sequence[str], count: int, weights: Array
) -> tuple[Array, Array, Array]:
    """Return standardised columns, their means and their standard deviations."""
    x = floats("properties", properties)
    if x.shape != (count, len(names)) or not names or not np.isfinite(x).all():
        raise DataError(
            f"properties must be finite numbers of {count} data sets and {len(names)} names, got "
            f"the shape {x.shape}"
        )
    middle = weights @ x / weights.sum()
    unit = np.sqrt(weights @ (x - middle) ** 2 / weights.sum())
    flat = unit <= SINGULAR * np.maximum(1.0, np.abs(middle))
    if flat.any():
        raise DataError(f"the property {names[int(np.argmax(flat))]} is constant; leave it out")
    return (x - middle) / unit, middle, unit


def _require_families(count: int, properties: int) -> None:
    if count < properties + 3:
        raise DataError(
            f"{properties} properties take at least {properties + 3} families of data sets; here "
            f"are {count}"
        )


def _difference(effect: float, error: float, degrees: float, level: float) -> Difference:
    if error == 0.0:
        p = 1.0 if effect == 0.0 else 0.0
        return Difference(effect, effect, effect, p, level, METHOD, "All families are alike.")
    half = float(scipy.special.stdtrit(degrees, (1.0 + level) / 2.0)) * error
    p = 2.0 * float(scipy.special.stdtr(degrees, -abs(effect) / error))
    return Difference(float(effect), float(effect - half), float(effect + half), p, level, METHOD)


def _half(errors: Array, degrees: Array, inside: float) -> Array:
    """Return half the widths of intervals that hold with the probability `inside` each."""
    return np.asarray(scipy.special.stdtrit(degrees, (1.0 + inside) / 2.0) * errors)


def _together(
    p: Sequence[float], scores: Array, level: float, draws: int, seed: int
) -> tuple[list[float], float]:
    """Return adjusted p-values, and the level of each interval if all are to hold together."""
    norm = np.sqrt(np.sum(scores**2, axis=0))
    shares = scores / np.where(norm > 0.0, norm, 1.0)
    drawn = np.random.default_rng(seed).normal(size=(draws, len(scores))) @ shares
    # 1 - p of the largest of each draw: every property is compared on this common scale.
    largest = np.sort(1.0 - 2.0 * scipy.special.ndtr(-np.abs(drawn).max(axis=1)))
    above = draws - np.searchsorted(largest, 1.0 - np.asarray(p) - 1e-12)
    adjusted = np.maximum(np.asarray(p), (above + 1.0) / (draws + 1.0))
    return adjusted.tolist(), max(level, float(np.quantile(largest, level)))


def _note(slopes: Sequence[Slope]) -> str:
    few = [one.name for one in slopes if one.degrees < FEW_DEGREES]
    if not few:
        return ""
    return (
        f"Few families decide the slope of {', '.join(few)}: fewer than {FEW_DEGREES:g} degrees of "
        "freedom, so that its interval is a guess."
    )
