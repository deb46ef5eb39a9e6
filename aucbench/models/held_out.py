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

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Categories, Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.targets import Labels
from aucbench.datasets.chunked.data import sampled
from aucbench.models.chunked import rows_of, some_held
from aucbench.models.model import Model
from aucbench.models.recipe import some_of
from aucbench.models.trials import SplitFit
from aucbench.scale import ChunkedData

RECENT = 20  # rows of each class that the latest window needs
ENOUGH, ENOUGH_OF_CLASS = 20_000, 1_000  # rows from which no further split is needed


@dataclass(frozen=True, eq=False)
class Part:
    """A fit to a part of the rows, and rows that it has not seen.

    Attributes
    ----------
    model : Model
        Of one score function.
    rows : array
        Numbers of the rows in the data set.
    """

    model: Model
    rows: Index


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
    part : Part
        The fit to the training rows of the last split.
    """

    y: NDArray[np.float64]
    scores: Vector
    rows: Index
    what: str
    part: Part

    @staticmethod
    def of(
        fits: Sequence[SplitFit], data: Data | ChunkedData, final: Model, seed: int = 0
    ) -> tuple[HeldOut, ...]:
        """Put the held-out scores of the fits to the splits on the scale of the final model.

        Returns a record for each score function; of three or more classes the labels say whether a
        row is of the class.

        Parameters
        ----------
        fits : sequence of SplitFit
            By the recipe of the final model; with times, in their order.
        final : Model
            Fitted to the training rows of each of them, and others.
        seed : int
            Of the training rows whose scores give the scale.
        """
        if isinstance(data, ChunkedData):
            fits = [fit.on(some_held(data, fit.rows, seed)) for fit in fits]
        used: list[SplitFit] = []
        for fit in reversed(fits):
            used.insert(0, fit)
            if _enough(data, np.concatenate([one.rows for one in used])):
                break
        numbers = np.concatenate([fit.rows for fit in used])
        scores = np.concatenate([_scores_on_scale(fit, final, data, seed) for fit in used])
        several, last = scores.shape[1] > 1, used[-1]
        return tuple(
            HeldOut(
                y=labels_of_class(data, k)[numbers],
                scores=own,
                rows=numbers,
                what=_what(data, numbers, len(used), len(fits)),
                part=Part(last.model.against_rest(k) if several else last.model, last.rows),
            )
            for k, own in enumerate(scores.T)
        )


def _scores_on_scale(fit: SplitFit, final: Model, data: Data | ChunkedData, seed: int) -> Vector:
    """Return the held-out scores of a fit on the scale of the final model, (m, K)."""
    if fit.model is final:
        return fit.scores
    common = rows_of(data, some_of(fit.learnt, seed))
    own, same = (model.scores(common).T for model in (fit.model, final))
    lines = [scale_between(*both) for both in zip(own, same, strict=True)]
    return np.column_stack(
        [slope * fit.scores[:, k] + shift for k, (slope, shift) in enumerate(lines)]
    )


def in_memory(
    data: Data | ChunkedData, held: Sequence[HeldOut]
) -> tuple[Data, tuple[HeldOut, ...]]:
    """Return the rows, and the held-out rows among them; of rows in chunks the held-out ones."""
    if isinstance(data, Data):
        return data, tuple(held)
    every = np.arange(held[0].rows.size, dtype=np.int32)
    renumbered = (replace(one, rows=every, part=replace(one.part, rows=every)) for one in held)
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


def scale_between(own: Vector, other: Vector) -> tuple[float, float]:
    """Return slope and shift from the scores of one model to those of another: M + (f − m) S/s.

    Parameters
    ----------
    own, other : arrays of shape (m,)
        Scores by the two models of the same rows, which both have learnt from.
    """
    means = [float(np.mean(scores)) for scores in (own, other)]
    spreads = [
        float(np.sqrt(np.mean((scores - mean) ** 2)))
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
