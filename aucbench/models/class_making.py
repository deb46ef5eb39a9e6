"""From a table to a model of three or more classes: a model for each class against the rest.

Each is made as a model of two classes: fitted to all rows, its threshold and its calibration by
rows that were held out, in the same parts for all classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aucbench.data import Categories, Data
from aucbench.data.arrays import Index
from aucbench.data.folds import Split
from aucbench.datasets.reading import Plain
from aucbench.errors import ParameterError
from aucbench.metrics import Aim
from aucbench.models.assessing import assessed
from aucbench.models.deciding import decided
from aucbench.models.model import Model
from aucbench.models.recipe import Recipe
from aucbench.models.shaping import shapes
from aucbench.registry import get_solver
from aucbench.solving.classes import against_rest
from aucbench.stats import Fold
from aucbench.stats.delong import Placements, interval_of

if TYPE_CHECKING:
    from aucbench.models.choosing import ModelPlan

CALIBRATION = "sigmoid"


def require_for_classes(wanted: ModelPlan) -> None:
    """Raise `ParameterError` where an option is about two classes, and the table has more."""
    two = {
        "--scorecard": wanted.scaling is not None,
        f"--calibration {wanted.calibration or 'none'}": wanted.calibration != CALIBRATION,
        "an aim of the threshold": wanted.aim != Aim(),
    }
    named = [name for name, given in two.items() if given]
    if wanted.reading.labels != "classes" or not named:
        return
    if isinstance(wanted.rows().target, Categories):
        raise ParameterError(
            f"{' and '.join(named)} is for two classes, and the table has more: a row is decided "
            "by sigmoid probabilities of all classes; leave it out"
        )


def labels_of(data: Data) -> tuple[Plain, ...]:
    """Return the labels of the classes, as the table has them."""
    assert isinstance(data.target, Categories)
    known = data.understood.labels
    return known if len(known) == data.target.k else tuple(data.target.names.tolist())


def models_of(
    recipe: Recipe,
    data: Data,
    learnt: Index,
    splits: Sequence[Split],
    by: Sequence[str] = (),
) -> Iterator[Model]:
    """Yield the model of each class; parameters and errors are those of `deciding.decided`."""
    labels = labels_of(data)
    for k, one in enumerate(against_rest(get_solver(recipe.spec), data)):
        others = (*labels[:k], *labels[k + 1 :])
        understood = replace(data.understood, labels=(), positive=(labels[k],), negative=others)
        part = replace(one, understood=understood)
        model, held = decided(recipe, part, learnt, splits, Aim(), CALIBRATION)
        assert held is not None  # a model of two classes decides
        groups = None if data.groups is None else data.groups[held.rows]
        auc = interval_of(Placements.of([Fold(held.y, held.scores, groups=groups)]))
        known = assessed(held, part, model, by=by, seed=recipe.seed)
        yield replace(
            model,
            auc=auc,
            auc_rows=held.what,
            assessment=known,
            shapes=shapes(model, part, learnt),
        )
