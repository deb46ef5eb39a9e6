"""The terms of the features of a map: to which columns they belong, and the bounds of weights."""

from __future__ import annotations

import numpy as np

from aucbench.contract import FeatureMap
from aucbench.data import Shapes, Terms
from aucbench.errors import UnsupportedError


def terms(phi: FeatureMap, d: int, shapes: Shapes | None = None) -> Terms | None:
    """Return the terms of the features of phi, and the bounds of their weights; None if unknown.

    A map that makes several features of a column has a method `terms()`. Where feature j is
    column j times a positive number, and a constant, each column is a linear term.

    Parameters
    ----------
    phi : FeatureMap
        A map that is fitted.
    d : int
        The number of its features.
    shapes : Shapes, optional
        What the effects of some columns must be.

    Raises
    ------
    UnsupportedError
        When the map cannot say what the shapes mean for its features.
    """
    known = phi.terms()
    if known is None and (scales_columns(phi, d) or shapes is not None):
        require_scaled_columns(phi, d)
        known = Terms.each(d, shapes)
    return known


def scales_columns(phi: FeatureMap, d: int) -> bool:
    """Return whether each of d features is a column times a positive number, and a constant."""
    by_columns = phi.keeps_columns and not phi.exempt
    return by_columns and phi.input_weights(np.zeros(d)) is not None


def require_scaled_columns(phi: FeatureMap, d: int) -> None:
    """Raise `UnsupportedError` unless `scales_columns`, for the shapes of effects."""
    if not scales_columns(phi, d):
        raise UnsupportedError(
            f"the features of {type(phi).__name__} mix columns or rows, so that no effect of a "
            "column can be increasing or convex; take splines, bins, auto, standard or none"
        )
