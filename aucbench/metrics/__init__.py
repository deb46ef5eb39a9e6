"""Measures of quality: arrays in, a float out. The harness calls them, solvers do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aucbench.metrics.auc import auc as auc
from aucbench.metrics.classes import hand_till as hand_till
from aucbench.metrics.classes import one_vs_rest as one_vs_rest
from aucbench.metrics.order import cindex as cindex
from aucbench.metrics.order import grade_auc as grade_auc
from aucbench.metrics.pairs import auc_of as auc_of
from aucbench.metrics.pairs import gauc as gauc
from aucbench.metrics.pairs import measure_of as measure_of
from aucbench.metrics.pairs import quality_of as quality_of
from aucbench.metrics.thresholds import Aim as Aim
from aucbench.metrics.thresholds import Cuts as Cuts
from aucbench.metrics.thresholds import best_cut as best_cut
from aucbench.metrics.thresholds import intercept_at as intercept_at

if TYPE_CHECKING:
    from aucbench.metrics.by_parts import AucBounds as AucBounds
    from aucbench.metrics.by_parts import auc_by_parts as auc_by_parts
    from aucbench.metrics.by_parts import auc_of_file as auc_of_file

BY_PARTS = ("AucBounds", "auc_by_parts", "auc_of_file")


def __getattr__(name: str) -> Any:
    """Import what reads rows in parts when it is used: a run does not wait for it."""
    if name in BY_PARTS:
        from aucbench.metrics import by_parts

        return getattr(by_parts, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
