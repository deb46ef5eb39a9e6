"""Learnt feature maps, trees and calibrators as plain values and arrays, both ways.

Design
  a. A list of kinds says what can be in a file, so that a file can never name code. (Rejected: the
     import path of a class, as pickle has it.)
  b. Each map is a frozen dataclass whose fields are what it learnt, so that one pair of functions
     serves all of them. A chain is written as its maps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from aucbench.contract import FeatureMap, NoMap
from aucbench.data import Terms
from aucbench.data.arrays import Rows, float_values
from aucbench.errors import UnsupportedError
from aucbench.features import (
    AppendOne,
    Bins,
    Chain,
    Kernel,
    KernelColumns,
    MaxAbs,
    MinMax,
    Nystroem,
    Splines,
    Standard,
    Unit,
    UnitCentred,
)
from aucbench.features.bins import Steps
from aucbench.features.chain import terms
from aucbench.features.splines import Cross, Spline
from aucbench.models.calibration import Isotonic, Sigmoid
from aucbench.models.shape import TIMES
from aucbench.optim.trees import TreeSum

KIND, ROWS = "kind", "rows"
MAPS: Mapping[str, type[Any]] = {
    "append-one": AppendOne,
    "bins": Bins,
    "kernel-columns": KernelColumns,
    "maxabs": MaxAbs,
    "min-max": MinMax,
    "nystroem": Nystroem,
    "splines": Splines,
    "standard": Standard,
    "unit": Unit,
    "unit-centred": UnitCentred,
}
CALIBRATORS: Mapping[str, type[Any]] = {"sigmoid": Sigmoid, "isotonic": Isotonic}
# Functions of one column, and of two.
BLOCKS: Mapping[str, type[Any]] = {"spline": Spline, "steps": Steps, "cross": Cross}
PARTS: Mapping[str, type[Any]] = {
    **MAPS,
    "kernel": Kernel,
    **BLOCKS,
    "trees": TreeSum,
    **CALIBRATORS,
}
INTERCEPT = "(intercept)"
NAMES = {kind: name for name, kind in PARTS.items()}


def steps_of(phi: FeatureMap) -> Iterator[FeatureMap]:
    """Yield the maps that a map consists of, in the order in which they are applied.

    Raises
    ------
    UnsupportedError
        When one of them is not one of aucbench's own.
    """
    if isinstance(phi, Chain):
        for part in phi.maps:
            yield from steps_of(part)
    elif type(phi) in MAPS.values():
        yield phi
    elif not isinstance(phi, NoMap):
        raise UnsupportedError(
            f"the feature map {type(phi).__name__} is not one of aucbench's own, so that it cannot "
            f"be saved; use one of {', '.join(MAPS)}, or apply it before the fit"
        )


def names_after(phi: FeatureMap, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the features that a map makes; several ones of a term are numbered.

    Those of bins are named by their thresholds: age ≥ 25.
    """
    if isinstance(phi, AppendOne):
        return (*names, INTERCEPT)
    if isinstance(phi, Bins):
        both = zip(names, phi.blocks or (), strict=True)
        return tuple(f"{name} ≥ {t:.6g}" for name, one in both if one for t in one.thresholds)
    known = None if phi.keeps_columns else terms(phi, len(names))
    return tuple(names) if known is None else (*_numbered(known, names),)


def _numbered(known: Terms, names: Sequence[str]) -> Iterator[str]:
    for columns, width in zip(known.columns, np.bincount(known.owner).tolist(), strict=True):
        name = TIMES.join(names[j] for j in columns)
        yield from (f"{name} [{k}]" for k in range(1, width + 1)) if width > 1 else (name,)


def tree_of(part: Any) -> Any:
    """Return a map, kernel, forest or matrix as a tree of plain values and arrays."""
    if isinstance(part, Rows):
        arrays = {
            "values": float_values(part),
            "columns": part.columns,
            "starts": part.starts,
        }
        return {KIND: ROWS, "n": part.n, "d": part.d, **arrays}
    if type(part) in NAMES:
        own = {f.name: tree_of(getattr(part, f.name)) for f in fields(part)}
        return {KIND: NAMES[type(part)], **own}
    if isinstance(part, tuple) and any(type(one) in NAMES for one in part):
        return [tree_of(one) for one in part]
    return part


def current_fields(kind: str, own: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a map; older files have other ones for what `features.Affine` learns."""
    if kind == "maxabs" and "peak" in own:
        return {"mean": 0 * own["peak"], "rest": 0 * own["peak"], "spread": own["peak"]}
    if kind == "min-max" and "least" in own:
        low, high = own["least"] / 2, own["most"] / 2
        return {"mean": low, "rest": high, "spread": high - low}
    if kind == "unit-centred" and "spread" not in own:
        return {**own, "spread": np.ones_like(own["mean"])}
    return own
