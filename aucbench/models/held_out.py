"""Rows that were held out, with scores on the scale of the final model.

Design
  a. Fits to different rows have scores of different scales: the norm of w grows with the rows or
     with the passes. A threshold for the final model needs scores on its scale. Both the final
     model and that of a split have learnt from the training rows of the split. Their scores of
     these rows have the means m, M and the standard deviations s, S, and the score f of a row that
     was held out becomes M + (f − m) S/s. (Rejected: pooled scores as they are. With 300 features
     and 3000 rows, a threshold for 2 % of the rows then flags 0.8 %. Rejected: equal quantiles in
     place of equal moments. In the tails, where thresholds are, they rest on few rows. Rejected: a
     law of growth from a fit to half of the rows. It misses what the rows themselves changed.)
  b. With times, the latest window alone counts, since the next rows come after it. It reaches
     further back only where it has too few rows of a class.
  c. Without times, all splits count, until there are enough rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Categories, Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.folds import Split
from aucbench.data.targets import Labels
from aucbench.datasets.chunked import sampled
from aucbench.errors import DataError
from aucbench.models.chunked import rows_of
from aucbench.models.model import Model
from aucbench.models.recipe import Recipe, some_of
from aucbench.scale import ChunkedData

RECENT = 20  # rows of each class that the latest window needs
ENOUGH, ENOUGH_OF_CLASS = 20_000, 1_000  # rows from which no further split is needed


@dataclass(frozen=True, eq=False)
class Part:
    """A fit to a part of the rows, and the rows that it has not seen.

    Attributes
    ----------
    model : Model
    learnt, rows : arrays
        Numbers of the rows in the data set that it has learnt from, and of those that it scores.
    slope, shift : float
        slope times a score of `model`, plus shift, is on the scale of the final model.
    """

    model: Model
    learnt: Index
    rows: Index
    slope: float
    shift: float

    def scores(self, data: Data | ChunkedData) -> Vector:
        """Return the scores of its rows on the scale of the final model."""
        return self.slope * self.model.scores(rows_of(data, self.rows))[:, 0] + self.shift


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldOut:
    """Rows that did not train the score function which scored them.

    Attributes
    ----------
    y : array of shape (n,), in {-1, +1}
    scores : array of shape (n,)
        On the scale of the final model.
    rows : array of shape (n,)
        Numbers of the rows in the data set.
    what : str
        Which rows these are, for people.
    parts : tuple of Part
        The fits that scored them, those of later splits first.
    """

    y: NDArray[np.float64]
    scores: Vector
    rows: Index
    what: str
    parts: tuple[Part, ...]

    @property
    def part(self) -> Part:
        """The fit to the training part of the last split."""
        return self.parts[0]

    @staticmethod
    def of(
        recipe: Recipe,
        data: Data | ChunkedData,
        splits: Sequence[Split],
        final: Model,
        learnt: Index,
    ) -> tuple[HeldOut, ...]:
        """Fit a model to the training part of each split that is needed, and score the other rows.

        Returns a record for each score function; of three or more classes the labels say whether a
        row is of the class.

        Parameters
        ----------
        splits : sequence of (rows to learn from, rows held out)
            With times, in their order.
        final : Model
            By the same recipe.
        learnt : array
            Numbers of the rows that trained it.

        Raises
        ------
        DataError
            When the solver cannot be fitted to a training part, or a score is not finite.
        """
        parts: list[tuple[Part, ...]] = []
        for k in reversed(range(len(splits))):
            rest, held = splits[k]
            model = final if np.array_equal(rest, learnt) else recipe.fitted(data, rest, split=k)
            common = some_of(rest, recipe.seed)
            shared = rows_of(data, common)
            own, same = (m.scores(shared).T for m in (model, final))
            lines = [scale_between(*both) for both in zip(own, same, strict=True)]
            parts.append(tuple(_parts_of(model, rest, held, lines)))
            if _enough(data, np.concatenate([part[0].rows for part in parts])):
                break
        if not parts:
            raise DataError("no rows were held out; ask for splits")
        numbers = np.concatenate([part[0].rows for part in reversed(parts)])
        what = _what(data, numbers, len(parts), len(splits))
        held_out = []
        for k, fits in enumerate(zip(*parts, strict=True)):
            scores = _scores(fits, data)
            if not np.isfinite(scores).all():
                raise DataError("the score of a held-out row is not finite; scale the features")
            y = labels_of_class(data, k)[numbers]
            held_out.append(HeldOut(y=y, scores=scores, rows=numbers, what=what, parts=fits))
        return tuple(held_out)

    def by(self, parts: Sequence[Part], data: Data | ChunkedData) -> HeldOut:
        """Return the same rows, scored by other models in place of the fits."""
        return replace(self, parts=tuple(parts), scores=_scores(parts, data))


def in_memory(
    data: Data | ChunkedData, held: Sequence[HeldOut]
) -> tuple[Data, tuple[HeldOut, ...]]:
    """Return the rows, and the held-out rows among them; of rows in chunks the held-out ones."""
    if isinstance(data, Data):
        return data, tuple(held)
    every = np.arange(held[0].rows.size, dtype=np.int32)
    renumbered = (
        replace(one, rows=every, parts=tuple(replace(p, rows=every) for p in one.parts))
        for one in held
    )
    return sampled(data, held[0].rows), tuple(renumbered)


def labels_of_class(data: Data | ChunkedData, k: int) -> NDArray[np.int8]:
    """Return labels: whether rows are of class k; those of two classes as they are."""
    return data.y if isinstance(data, ChunkedData) else rows_of_class(data, k).y


def rows_of_class(data: Data, k: int) -> Data:
    """Return the rows with labels of class k against the rest; those of two classes as they are."""
    if not isinstance(data.target, Categories):
        return data
    labels = np.where(data.target.y == k, np.int8(1), np.int8(-1))
    return replace(data, target=Labels(labels), pairs=None)


def _parts_of(
    model: Model, learnt: Index, rows: Index, lines: Sequence[tuple[float, float]]
) -> Iterator[Part]:
    for k, (slope, shift) in enumerate(lines):
        own = model if len(lines) == 1 else model.against_rest(k)
        yield Part(model=own, learnt=learnt, rows=rows, slope=slope, shift=shift)


def _scores(parts: Sequence[Part], data: Data | ChunkedData) -> Vector:
    return np.concatenate([part.scores(data) for part in reversed(parts)])


def scale_between(own: Vector, other: Vector, shares: Vector | None = None) -> tuple[float, float]:
    """Return slope and shift from the scores of one model to those of another: M + (f − m) S/s.

    Parameters
    ----------
    own, other : arrays of shape (m,)
        Scores by the two models of the same rows, which both have learnt from.
    shares : array of shape (m,), optional
        The share of all rows for which each row stands; None: the same.
    """
    means = [float(np.average(scores, weights=shares)) for scores in (own, other)]
    spreads = [
        float(np.sqrt(np.average((scores - mean) ** 2, weights=shares)))
        for scores, mean in zip((own, other), means, strict=True)
    ]
    slope = spreads[1] / spreads[0] if spreads[0] > 0 else 1.0
    return slope, means[1] - means[0] * slope


def _enough(data: Data | ChunkedData, rows: Index) -> bool:
    _, counts = np.unique(data.target.strata[rows], return_counts=True)
    rarer = int(counts.min())
    if data.times is not None:
        return rarer >= RECENT
    return rows.size >= ENOUGH and rarer >= ENOUGH_OF_CLASS


def _what(data: Data | ChunkedData, rows: Index, used: int, count: int) -> str:
    if data.times is not None:
        which = f" in the latest {'window' if used == 1 else f'{used} windows'} of time"
    else:
        which = "" if used == count else f", {used} of {count} parts"
    return (
        f"{rows.size} rows held out{which}, each scored by a fit that did not see it, on the scale "
        "of the last fit"
    )
