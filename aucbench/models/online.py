"""A model that learns from chunks of rows as they come, by a streaming solver.

Design
  a. Two classes are one fit, and three or more are one fit for each class against the rest.
  b. The threshold, or the sigmoid of a class, is chosen on the latest chunk that has both classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.contract import FeatureMap, NoMap, Solver, Streaming
from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Rows
from aucbench.data.targets import Labels, label_places, ordered_classes
from aucbench.datasets.memory import label_array
from aucbench.errors import DataError, UnsupportedError
from aucbench.features.chain import mapped
from aucbench.metrics import Aim
from aucbench.models.calibration import Sigmoid
from aucbench.models.model import Model
from aucbench.models.recipe import Recipe
from aucbench.models.score_function import ScoreFunction, as_steps
from aucbench.registry import described, get_preprocessing, get_solver
from aucbench.registry.specs import Spec
from aucbench.stats.labels import counted

SCORE_ITSELF = Sigmoid(-1.0, 0.0)  # the score is the log-odds, until rows of the class are known


@dataclass(slots=True)
class Online:
    """A streaming solver that learns a model.

    Attributes
    ----------
    recipe : Recipe
        The solver and the feature map as they were asked for.
    solver : Streaming
    features : FeatureMap
        Learnt from the first chunk.
    memories : tuple of memories
        One for each score function.
    model : Model
        What was learnt so far.
    """

    recipe: Recipe
    solver: Streaming
    features: FeatureMap
    memories: tuple[Any, ...]
    model: Model

    @staticmethod
    def start(recipe: Recipe, rows: Rows, labels: Sequence[Any]) -> Online:
        """Return a solver with weights of zeros, and with the feature map of these rows.

        Parameters
        ----------
        labels : sequence of labels
            Of the classes that will come; of two, the positive one is last.

        Raises
        ------
        UnsupportedError
            When the solver needs all rows at once.
        """
        solver, phi = require_streaming(recipe.solver), get_preprocessing(recipe.features)
        if not isinstance(phi, NoMap):
            any_labels = Labels(np.ones(rows.n, np.int8))  # a class may be missing
            phi = phi.fit(Data(rows, any_labels), np.random.default_rng([recipe.seed, 0]))
        d = phi(rows.take(slice(0, 1))).d
        count, curve = (1, None) if len(labels) == 2 else (len(labels), SCORE_ITSELF)
        zero = ScoreFunction(weights=np.zeros(d), trees=None, maps=(), calibrator=curve)
        model = Model(
            functions=(zero,) * count,
            labels=tuple((label,) for label in labels),
            width=rows.d,
            columns=None,
            maps=as_steps(phi),
            provenance={"solver": str(recipe.solver), "features": str(recipe.features)},
        )
        # The generator that `solve` hands over, in the fit of each class.
        rngs = [np.random.default_rng(recipe.seed).spawn(2)[1] for _ in model.functions]
        memories = tuple(solver.start(np.zeros(d), rng) for rng in rngs)
        return Online(recipe, solver, phi, memories, model)

    def learn(self, rows: Rows, places: Index, aim: Aim) -> Model:
        """Take the rows as they come, and return the model so far.

        Parameters
        ----------
        places : array of shape (n,)
            The number of the class of each row among the labels.
        aim : Aim
            Of the threshold of two classes.

        Raises
        ------
        DataError
            When the weights are no longer finite.
        """
        taken = rows if isinstance(self.features, NoMap) else mapped(self.features, rows)
        order, alone = np.arange(rows.n, dtype=np.int32), len(self.memories) == 1
        for k, memory in enumerate(self.memories):
            y = np.where(places == k + alone, np.int8(1), np.int8(-1))
            self.solver.update(memory, Chunk(taken, y), order)
        W = [np.array(self.solver.weights(memory), np.float64) for memory in self.memories]
        if not all(np.isfinite(w).all() for w in W):
            raise DataError(
                "the weights are not finite after this chunk; scale the features or take smaller "
                "steps, and begin anew"
            )
        both = zip(self.model.functions, W, strict=True)
        model = replace(self.model, functions=tuple(replace(one, weights=w) for one, w in both))
        self.model = model.decided_by(places, model.scores(rows), aim)
        return self.model


def announced_classes(
    X: Any, labels: NDArray[Any], classes: Any = None, pos_label: Any = None
) -> tuple[Any, ...]:
    """Return the labels that will come; of two, the positive one is last.

    Parameters
    ----------
    X : rows, or Chunk
        The first ones; a chunk names the labels of its source.
    labels : array of shape (n,)
        Those of the first rows.
    classes : array of labels, optional
        Those that will come; None: those that are known by now.
    pos_label : label, optional
        As of `ordered_classes`.

    Raises
    ------
    DataError
        When there is one label only, a row has another one, or as `ordered_classes`.
    """
    counts = counted(labels)
    if isinstance(X, Chunk):
        counts = dict.fromkeys((*X.sides.negative, *X.sides.positive), 0) | counts
    named = [*counts] if classes is None else np.unique(label_array(classes)).tolist()
    if len(named) < 2:
        raise DataError(
            f"there are {len(named)} labels at the first call and AUC needs two or more; name "
            "them by classes= when the first chunk lacks one"
        )
    label_places(labels, named)
    if isinstance(X, Chunk) and pos_label is None and len(named) == 2:
        others = (label for label in named if label not in X.sides.negative)
        pos_label = (*X.sides.positive, *others)[0]
    return ordered_classes({label: counts.get(label, 0) for label in named}, pos_label)


def require_streaming(spec: str | Spec | Solver) -> Streaming:
    """Return the solver.

    Raises
    ------
    UnsupportedError
        When it needs all rows at once.
    """
    solver = get_solver(spec)
    if isinstance(solver, Streaming):
        return solver
    able = (known.name for known in described("solvers") if known.streaming)
    raise UnsupportedError(
        f"{spec!r} needs all rows at once, so that only fit is possible; solvers "
        f"that learn from chunks are {', '.join(able) or 'not installed'}"
    )
