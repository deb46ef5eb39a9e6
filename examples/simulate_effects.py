"""Bands of the effects of additive models: how often they hold the whole true curve.

    python examples/simulate_effects.py

Tables have six columns, uniform and independent, and the log-odds of the positive class are a sum
of six functions of them: a sine, a square, the absolute value, a line, a steep step, and nothing.
A ranking has neither scale nor constant. So each true curve has the mean 0, as an effect has, and
the true sum has the standard deviation of the scores of the model.

The old rule is a bootstrap as it is used elsewhere: fits with the penalty of the model, and a band
around the model. It has the same halves, and the same width of a simultaneous band.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray
from simulated import Tables, grid, print_tables, repeated, share

from aucbench.data import Data
from aucbench.data.row_roles import held_out
from aucbench.models.recipe import Recipe
from aucbench.models.shaping import REFITS, banded, effect_places, half_width, refit_of
from aucbench.registry.specs import parse_spec

Array = NDArray[np.float64]
Curve = Callable[[Array], Array]

CURVES: Mapping[str, Curve] = {
    "sine": lambda x: np.sin(2.5 * x),
    "square": lambda x: 0.6 * x**2,
    "absolute value": lambda x: 1.2 * np.abs(x),
    "line": lambda x: x,
    "step": lambda x: 1.5 * np.tanh(3.0 * x),
    "nothing": lambda x: 0.0 * x,
}
WIDE = 1.7  # the columns reach from -1.7 to 1.7
DESIGNS = (  # solver, features, rows
    ("additive", "auto", 600),
    ("additive", "auto", 2000),
    ("svm-or", "splines", 2000),
    ("logistic", "splines", 600),
    ("rank-svm", "bins", 2000),
)
SAMPLES = 20
OLD, NEW = "old", "new"
Bands = Mapping[str, tuple[Array, Array]]  # low and high by the name of the column


def sample(n: int, seed: int) -> Data:
    """Return n rows."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-WIDE, WIDE, (n, len(CURVES)))
    odds = truth(X).sum(axis=1)
    noise = rng.logistic(size=n)
    return Data.of(X, np.where(odds - np.median(odds) + noise > 0.0, 1, -1))


def truth(X: Array) -> Array:
    """Return the true effects of rows (n, 6) -> (n, 6)."""
    return np.column_stack([f(x) for f, x in zip(CURVES.values(), X.T, strict=True)])


def old_bands(recipe: Recipe, data: Data) -> Bands:
    """Return bands around a model, by fits with its own penalty."""
    rows, rng = np.arange(data.n, dtype=np.int32), np.random.default_rng(1)
    model = recipe.fitted(data, rows)
    places = effect_places(model, data, rows)
    assert places is not None
    spread = model.scores(data.rows).std()
    fits = []
    for _ in range(REFITS):
        part = rows[held_out(data.strata, 0.5, rng)[1]]
        fit = refit_of(recipe, model, 0.5, ease=1.0).fitted(data, part)
        factor = spread / fit.scores(data.rows).std()
        fits.append([factor * effect for effect in places.told(fit)])
    bands = {}
    each = zip(places.axes, places.told(model), zip(*fits, strict=True), strict=True)
    for [axis], effect, own in each:
        width = half_width(np.array(own))
        bands[axis.column] = (effect - width, effect + width)
    return bands


def held(recipe: Recipe, data: Data) -> dict[str, list[tuple[float, bool]]]:
    """Return for each rule and column the share of places that its band holds, and if all."""
    rows = np.arange(data.n, dtype=np.int32)
    model = banded(recipe, recipe.fitted(data, rows), data, rows, inf)
    X = np.asarray(data.rows.matrix)
    scale = model.scores(data.rows).std() / truth(X).sum(axis=1).std()
    new = {one.name: (np.array(one.low), np.array(one.high)) for one in model.shapes}
    told: dict[str, list[tuple[float, bool]]] = {}
    for rule, bands in ((OLD, old_bands(recipe, data)), (NEW, new)):
        for shape in sorted(model.shapes, key=lambda one: one.name):
            [axis] = shape.axes
            f = [*CURVES.values()][int(shape.name.removeprefix("column "))]
            curve = scale * f(np.array(axis.values, float))
            curve -= np.average(curve, weights=axis.rows)
            low, high = bands[shape.name]
            inside = (low <= curve) & (curve <= high)
            told.setdefault(rule, []).append((float(inside.mean()), bool(inside.all())))
    return told


def lines(solver: str, features: str, n: int, count: int) -> list[list[str]]:
    """Return a line of the table for each rule."""
    recipe = Recipe(spec=parse_spec(solver), features=features)
    samples = [held(recipe, sample(n, seed)) for seed in range(count)]
    told = []
    for rule in (OLD, NEW):
        whole = np.array([[all_of_it for _, all_of_it in one[rule]] for one in samples])
        places = np.array([[part for part, _ in one[rule]] for one in samples])
        shares = [f"{value:.2f}".removeprefix("0") for value in whole.mean(axis=0)]
        every = share(float(whole.mean()), whole.size)
        told.append([solver, features, rule, str(n), every, f"{places.mean():.3f}", *shares])
    return told


def tables(effort: float, designs: Sequence[tuple[str, str, int]] = DESIGNS) -> Tables:
    """Return the table of the page."""
    count = repeated(SAMPLES, effort)
    told = [line for design in designs for line in lines(*design, count)]
    header = ("solver", "features", "rule", "rows", "whole curves", "places", *CURVES)
    return {"effect_bands": grid(header, told, words=3)}


if __name__ == "__main__":
    print_tables(tables)
