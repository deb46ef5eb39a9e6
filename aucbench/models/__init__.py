"""A model: fit, save, load, predict and explain it, and the scikit-learn face of every solver.

`AUCClassifier` needs scikit-learn, whose import takes half a second, and a saved model does not.
So each name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from aucbench.models.classifier import AUCClassifier
    from aucbench.models.fitting import fit
    from aucbench.models.incoming import Scored, score_frame
    from aucbench.models.model import Model
    from aucbench.models.operating import Operating
    from aucbench.models.rankers import GradeRanker, SurvivalRanker
    from aucbench.models.score_function import ScoreFunction
    from aucbench.models.shape import EffectShape

__all__ = [
    "AUCClassifier",
    "EffectShape",
    "GradeRanker",
    "Model",
    "Operating",
    "ScoreFunction",
    "Scored",
    "SurvivalRanker",
    "fit",
    "score_frame",
]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "classifier": ("AUCClassifier",),
        "fitting": ("fit",),
        "incoming": ("Scored", "score_frame"),
        "model": ("Model",),
        "operating": ("Operating",),
        "rankers": ("GradeRanker", "SurvivalRanker"),
        "score_function": ("ScoreFunction",),
        "shape": ("EffectShape",),
    },
)
