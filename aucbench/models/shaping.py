"""The shapes of the effects of an additive model, with bands by fits to halves of the rows.

Design
  a. All columns are set to their k-th place in the k-th row of one made-up table, since an effect
     looks at its own column alone. So all curves are one scoring of some forty rows, for the model
     and for each fit to a part.
  b. A band comes from `REFITS` fits to random halves of the rows of each class, or of the groups,
     without their copies. The difference of such a fit to the model varies as the model does over
     samples: for halves, σ²(2/n) − σ²/n = σ²/n. (Rejected: bootstrap samples. Copies of a row are
     on both sides of what a solver holds out to choose a parameter, many solvers take no weights
     of rows, and a fit takes twice as long.) Of many rows, a fit takes `MOST_ROWS`, and
     differences are multiplied by √(m/(n − m)).
  c. A penalty bends an effect towards a line or towards 0, which no resampling shows: all fits are
     bent alike. So the fits have a tenth of the penalty, and the band reaches as far around the
     mean of them as around the model. In the simulation of docs/model.md, bands of `svm-or` around
     the model, by fits with its own penalty, hold 65 % of the curves, and these 97 %.
  d. A ranking has no scale and no constant. Each effect is 0 in the mean over the rows, and the
     scores of a refit are brought to the standard deviation of those of the model, as in
     `held_out`.
  e. The band is simultaneous: its width is a multiple of the standard error at each place, so that
     the largest deviation along the curve stays inside in 95 % of draws of a normal law with the
     covariance of the refits, each divided by the root of χ²/ν, as Student's t is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from aucbench.data import Data, Labels
from aucbench.data.arrays import Index, Rows, Vector, rows
from aucbench.data.row_roles import held_out
from aucbench.datasets.tables import Column
from aucbench.errors import AucbenchError
from aucbench.models.additive import Additive, Columns
from aucbench.models.assessment import SMALLEST
from aucbench.models.attribution import MISSING, cells_of, column_of, places_of
from aucbench.models.model import Model
from aucbench.models.recipe import Recipe
from aucbench.models.shape import Axis, EffectShape
from aucbench.protocols import Streaming
from aucbench.registry import get_solver
from aucbench.registry.specs import Spec

MOST_SHAPES = 30  # effects, those that move the score most
PLACES, PAIR_PLACES = 40, 8  # of a number; of each of two columns
MOST_PLACED = 200_000  # rows that tell the places
REFITS, FEWEST = 50, 20  # fits for a band, and those without which there is none
FEW = 1 / 50  # share of the rows below which a draw does not look at all of them
SECONDS = 10.0  # of CPU time for all of them
MOST_ROWS, MOST_OF_CLASS = 10_000, 200  # of a fit; but so many of the rarer class
FIRST_SPLIT = 1000  # the number of the first fit, beyond those of splits
SCORED = 1000  # rows whose scores tell the scale of a fit
ROUGH = 1e-3  # relative gap of a fit: it changes scores by 2 %, and a band is wider than that
EASED = 10.0  # the penalty of a model, divided by that of its refits
LEAST_CURVE = 0.1  # deviation of what bends in the refits, as of `additive`
LEVEL, DRAWS = 0.95, 2000
DIGITS = 6  # significant ones of what is kept


@dataclass(frozen=True, eq=False)
class Places:
    """Where effects are told: one made-up table for all of them.

    Attributes
    ----------
    columns : tuple of tuple of int
        Of each effect.
    axes : tuple of tuple of Axis
        Of each effect.
    table : Rows
        Rows (m, columns of the table).
    at : tuple of slice
        The rows of `table` that tell an effect.
    counts : tuple of arrays
        Training rows at each place of each effect.
    """

    columns: tuple[Columns, ...]
    axes: tuple[tuple[Axis, ...], ...]
    table: Rows
    at: tuple[slice, ...]
    counts: tuple[Vector, ...]

    def told(self, model: Model) -> list[Vector]:
        """Return each effect of an additive model at its places; one that it has not is 0."""
        additive = Additive.of(model)
        assert additive is not None
        number = {columns: place for place, columns in enumerate(additive.columns)}
        own = [columns for columns in self.columns if columns in number]
        parts = additive.effects(self.table, [number[columns] for columns in own])
        column = {columns: parts[:, k] for k, columns in enumerate(own)}
        nothing = np.zeros(self.table.n)
        each = (column.get(columns, nothing) for columns in self.columns)
        effects = [effect[at] for effect, at in zip(each, self.at, strict=True)]
        return [
            effect - np.average(effect, weights=rows)
            for effect, rows in zip(effects, self.counts, strict=True)
        ]


def shapes(model: Model, data: Data, learnt: Index) -> tuple[EffectShape, ...]:
    """Return the shapes of the effects that move the score most, without bands.

    A model whose score is no sum of effects has none, and neither has a column with one place.

    Parameters
    ----------
    learnt : array
        Numbers of the rows that the model has learnt from.
    """
    places = effect_places(model, data, learnt)
    return _shapes(places, model) if places is not None else ()


def banded(
    recipe: Recipe, model: Model, data: Data, learnt: Index, seconds: float = SECONDS
) -> Model:
    """Return a model with the shapes of its effects and their bands.

    Parameters
    ----------
    recipe : Recipe
        That of the model.
    learnt : array
        Numbers of the rows that it has learnt from.
    seconds : float
        CPU time after which no further fit begins; other programs do not count. With fewer than
        20 fits there is no band, and `provenance["no_bands"]` says why.
    """
    places = effect_places(model, data, learnt)
    if places is None:
        return model
    told = _shapes(places, model)
    effects, why = _refitted(recipe, model, data, Parts.of(data, learnt), places, seconds)
    if why:
        return replace(model, shapes=told, provenance={**model.provenance, "no_bands": why})
    each = (np.array(one) for one in zip(*effects, strict=True))
    bands = zip(told, each, strict=True)
    return replace(model, shapes=tuple(_with_band(shape, fits) for shape, fits in bands))


def _shapes(places: Places, model: Model) -> tuple[EffectShape, ...]:
    told = zip(places.axes, places.told(model), strict=True)
    return tuple(EffectShape(axes=axes, effect=_rounded(effect)) for axes, effect in told)


def _with_band(shape: EffectShape, fits: Vector) -> EffectShape:
    """Return a shape with its band, from the effects (B, places) of fits to parts of the rows."""
    effect, mean, width = np.array(shape.effect), fits.mean(axis=0), half_width(fits)
    low, high = np.minimum(effect, mean) - width, np.maximum(effect, mean) + width
    return replace(shape, low=_rounded(low), high=_rounded(high), refits=len(fits))


def _rounded(values: Vector) -> tuple[float, ...]:
    return tuple(float(f"{value:.{DIGITS}g}") for value in values)


def effect_places(model: Model, data: Data, learnt: Index) -> Places | None:
    """Return where the largest effects are told; None where the score is no sum of effects."""
    additive = Additive.of(model)
    if additive is None:
        return None
    X, each = _looked_at(data.rows, learnt)
    columns, axes, counts = [], [], []
    cells: list[tuple[Vector, ...]] = []  # of each effect, those of its columns
    for number in additive.largest(MOST_SHAPES):
        own = additive.columns[number]
        found = [_axis(model, X, j, len(own), each) for j in own]
        if min(len(values) for _, values, _ in found) < 2:
            continue
        columns.append(own)
        axes.append(tuple(axis for axis, _, _ in found))
        grid = np.meshgrid(*(values for _, values, _ in found), indexing="ij")
        cells.append(tuple(each.ravel() for each in grid))
        inside = [np.array(masks, float) for _, _, masks in found]
        counts.append(inside[0].sum(axis=1) if len(own) == 1 else (inside[0] @ inside[1].T).ravel())
    if not columns:
        return None
    table, at = _table(X.take(slice(0, 1)), columns, cells)
    return Places(tuple(columns), tuple(axes), table, at, tuple(counts))


def _looked_at(X: Rows, learnt: Index) -> tuple[Rows, float]:
    """Return the rows that tell the places, and how many rows one of them stands for.

    They are those learnt from, or some of many.
    """
    some = learnt
    if learnt.size > MOST_PLACED:
        some = np.random.default_rng(0).choice(learnt, MOST_PLACED, replace=False, shuffle=False)
    every = some.size == X.n and np.array_equal(some, np.arange(X.n))
    return X if every else X.take(np.sort(some)), learnt.size / some.size


def _axis(model: Model, X: Rows, j: int, of: int, each: float) -> tuple[Axis, Vector, list[Any]]:
    """Return the places of a column, their cells, and the rows of each."""
    column, most = column_of(model, j), PLACES if of == 1 else PAIR_PLACES
    told = [*places_of(column, cells_of(X, j), most)]
    axis = Axis(
        column=column.name,
        kind=column.kind,
        names=tuple(name for name, _, _ in told),
        values=tuple(value if _is_number(column, name) else None for name, value, _ in told),
        rows=tuple(round(each * int(inside.sum())) for _, _, inside in told),
    )
    return axis, np.array([value for _, value, _ in told]), [inside for _, _, inside in told]


def _is_number(column: Column, name: str) -> bool:
    return not name or (column.kind == "date" and name != MISSING)


def _table(
    first: Rows, columns: Sequence[Columns], cells: Sequence[tuple[Vector, ...]]
) -> tuple[Rows, tuple[slice, ...]]:
    """Return rows in which columns have these cells, and which rows are those of each effect.

    Effects of one column share rows; those of two have rows of their own. Other cells are those of
    the first row, or 0 in sparse rows.
    """
    singles = [own[0].size for own in cells if len(own) == 1]
    end = max(singles, default=0)
    at = []
    for own in cells:
        start = 0 if len(own) == 1 else end
        at.append(slice(start, start + own[0].size))
        end = max(end, at[-1].stop)
    where = [
        (np.arange(rows.start, rows.stop), np.full(values.size, j), values)
        for own, each, rows in zip(columns, cells, at, strict=True)
        for j, values in zip(own, each, strict=True)
    ]
    i, j, values = (np.concatenate(parts) for parts in zip(*where, strict=True))
    if first.is_sparse:
        return rows(csr_array((values, (i, j)), shape=(end, first.d))), tuple(at)
    matrix = np.repeat(np.asarray(first.matrix, np.float64), end, axis=0)
    matrix[i, j] = values
    return rows(matrix), tuple(at)


@dataclass(frozen=True, eq=False)
class Parts:
    """How parts of the rows of a model are drawn.

    Attributes
    ----------
    learnt : array of shape (n,)
        The numbers of the rows.
    strata : array of shape (n,)
        The class of each row, of which each part has the same share.
    groups : array of shape (n,), or None
        They stay whole.
    share : float
        Of the rows, in a part.
    """

    learnt: Index
    strata: NDArray[Any]
    groups: Index | None
    share: float

    @staticmethod
    def of(data: Data, learnt: Index) -> Parts:
        """Divide by classes; other targets have values of which one row may be the only one."""
        labelled = isinstance(data.target, Labels)
        strata = data.strata[learnt] if labelled else np.zeros(learnt.size, np.int8)
        rarer = int(np.unique(strata, return_counts=True)[1].min())
        share = min(0.5, max(MOST_ROWS / learnt.size, MOST_OF_CLASS / rarer))
        return Parts(learnt, strata, None if data.groups is None else data.groups[learnt], share)

    def any_rows(self, rng: np.random.Generator) -> Index:
        """Return the numbers of rows whose scores tell the scale of a fit."""
        if self.share < FEW:
            return np.sort(rng.choice(self.learnt, SCORED, replace=False, shuffle=False))
        return np.sort(rng.permutation(self.learnt)[:SCORED]).astype(np.int32)

    @cached_property
    def _classes(self) -> list[Index]:
        """The rows of each class."""
        return [self.learnt[self.strata == one] for one in np.unique(self.strata)]

    @property
    def lack(self) -> str:
        """Why there are too few rows; empty if there are enough."""
        fewest = int(np.unique(self.strata, return_counts=True)[1].min())
        if fewest >= 2 * SMALLEST:
            return ""
        return f"they need {2 * SMALLEST} rows of each class, and one has {fewest}"

    def drawn(self, rng: np.random.Generator) -> Index:
        """Return the numbers of the rows of a part."""
        if self.groups is None and self.share < FEW:
            own = [_some(rng, rows, self.share) for rows in self._classes]
            return np.sort(np.concatenate(own))
        part: Index = self.learnt[held_out(self.strata, self.share, rng, self.groups)[1]]
        return part


def _some(rng: np.random.Generator, rows: Index, share: float) -> Index:
    return rng.choice(rows, max(1, round(share * rows.size)), replace=False, shuffle=False)


def _refitted(
    recipe: Recipe, model: Model, data: Data, parts: Parts, places: Places, seconds: float
) -> tuple[list[list[Vector]], str]:
    """Return the effects of each fit to a part of the rows, or why there are too few.

    They are on the scale of the model, and vary as those of fits to other samples do.
    """
    if parts.lack:
        return [], parts.lack
    rng, told = np.random.default_rng([recipe.seed, 1]), list[list[Vector]]()
    eased = refit_of(recipe, model, parts.share)
    common = data.rows.take(parts.any_rows(rng))
    begin = process_time()
    try:
        while len(told) < REFITS and _goes_on(len(told), process_time() - begin, seconds):
            fitted = eased.fitted(data, parts.drawn(rng), split=FIRST_SPLIT + len(told))
            factor = _ratio(model.scores(common), fitted.scores(common))
            told.append([factor * effect for effect in places.told(fitted)])
    except AucbenchError as error:  # such as a class that is in one group only
        return [], f"a fit to a part of the rows is not possible: {error}"
    if len(told) < FEWEST:
        return [], f"{FEWEST} fits to parts of the rows take more than {seconds:.3g} s of CPU time"
    return _widened(told, np.sqrt(parts.share / (1.0 - parts.share))), ""


def _goes_on(count: int, spent: float, seconds: float) -> bool:
    """Return whether there is time for a further fit, and for the fewest of them."""
    wanted = spent * FEWEST / count if 0 < count < FEWEST else spent
    return wanted <= seconds and seconds > 0.0


def _ratio(scores: Vector, others: Vector) -> float:
    """Return by which factor other scores have the standard deviation of some."""
    own = float(others.std())
    return float(scores.std()) / own if own > 0.0 else 1.0


def _widened(effects: list[list[Vector]], factor: float) -> list[list[Vector]]:
    """Return effects whose differences from their mean are multiplied by a factor."""
    means = [np.mean(one, axis=0) for one in zip(*effects, strict=True)]
    return [
        [mean + factor * (effect - mean) for mean, effect in zip(means, each, strict=True)]
        for each in effects
    ]


def refit_of(recipe: Recipe, model: Model, share: float, ease: float = EASED) -> Recipe:
    """Return the recipe of a rough fit to a share of the rows, with the penalty divided by `ease`.

    The penalty is a parameter `lam`, per row, or its inverse `C`, which counts for all rows
    together. A solver with neither has its own parameters. Where a solver chose no bend at all, a
    fit may bend a little: rows that show no bend do not show that there is none.
    """
    recipe = replace(recipe, gap_tol=max(recipe.gap_tol, ROUGH))
    solver, about = get_solver(recipe.spec), model.provenance
    names = [one.name for one in fields(solver)]  # type: ignore[arg-type] # a frozen dataclass
    eased: dict[str, Any] = {}
    if "lam" in names and "lam" in about:
        eased["lam"] = about["lam"] / ease
    if "curve" in names and "curve" in about:
        eased["curve"] = max(about["curve"], LEAST_CURVE)
        eased |= {"pairs": about["joint_effects"]} if "pairs" in names else {}
    if "C" in names and not isinstance(solver, Streaming):  # there it is a step
        eased["C"] = ease * solver.C / share  # type: ignore[attr-defined] # just seen
    own = dict(zip(names, recipe.spec.unnamed, strict=False))
    params = {**own, **recipe.spec.params, **eased}
    return replace(recipe, spec=Spec(recipe.spec.name, params))


def half_width(fits: Vector) -> Vector:
    """Return the half width of a simultaneous band, from the effects (B, places) of fits."""
    count = len(fits)
    centred = fits - fits.mean(axis=0)
    error = np.sqrt((centred**2).sum(axis=0) / (count - 1))
    shares = np.divide(centred, error, out=np.zeros_like(centred), where=error > 0.0)
    rng = np.random.default_rng(0)
    normal = rng.normal(size=(DRAWS, count)) @ shares / np.sqrt(count - 1)
    chi = np.sqrt(rng.chisquare(count - 1, DRAWS) / (count - 1))
    largest = np.abs(normal).max(axis=1) / chi
    width: Vector = np.quantile(largest, LEVEL) * error
    return width
