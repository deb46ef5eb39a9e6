"""Feature maps one after the other, fitted and applied to rows, and the terms of the features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.contract import FeatureMap
from aucbench.data import Data, Shapes, Terms
from aucbench.data.arrays import Rows, Vector
from aucbench.data.arrays import rows as dense_rows
from aucbench.data.layouts import pieces, store_as
from aucbench.errors import ParameterError, PluginError, UnsupportedError, short, written_at

AT_ONCE = 1 << 18  # numbers of float32 rows that are mapped at a time: 2 MiB as float64


@dataclass(frozen=True)
class Chain(FeatureMap):
    """φ(x) = φ_k(… φ_2(φ_1(x))). Each map learns from the rows that the maps before it return.

    Parameters
    ----------
    maps : tuple of FeatureMap
        φ_1, …, φ_k. None of them adds an intercept.

    Raises
    ------
    ParameterError
        When a map adds an intercept, which the next map would treat as a feature.
    """

    maps: tuple[FeatureMap, ...]

    def __post_init__(self) -> None:
        for phi in self.maps:
            if phi.exempt:
                raise ParameterError(
                    f"{phi!r} adds an intercept, which cannot be combined with other maps; ask a "
                    "solver for an intercept, as in sto-iht[intercept=True]"
                )

    @property
    def shared(self) -> bool:  # type: ignore[override]  # of the classes of its maps
        """Whether all maps of the chain are shared."""
        return all(phi.shared for phi in self.maps)

    @property
    def keeps_rows(self) -> bool:  # type: ignore[override]
        """Whether a map of the chain holds rows that it was fitted to."""
        return any(phi.keeps_rows for phi in self.maps)

    @property
    def keeps_columns(self) -> bool:  # type: ignore[override]
        """Whether all maps of the chain keep the columns."""
        return all(phi.keeps_columns for phi in self.maps)

    def fit(self, data: Data, rng: np.random.Generator) -> Chain:
        """Return a chain of maps that have learnt from `data`, one after the other."""
        learnt: list[FeatureMap] = []
        for phi in self.maps:
            if learnt:
                if data.shapes is not None:
                    require_scaled_columns(learnt[-1], data.d)
                rows = mapped(learnt[-1], data.rows)
                data = replace(data.with_rows(rows), shapes=data.shapes)
            learnt.append(fitted(phi, data, rng))
        return Chain(tuple(learnt))

    def terms(self) -> Terms | None:
        """Return the terms of the last map, where all maps before it keep the columns."""
        *before, last = self.maps
        return last.terms() if all(phi.keeps_columns for phi in before) else None

    def input_weights(self, w: Vector) -> tuple[Vector, float] | None:
        """Return (v, c) with w·φ(x) = v·x + c, or None where a map is not affine."""
        return weights_through(self.maps, w)

    def __call__(self, rows: Rows) -> Rows:
        """Apply the maps to rows (n, d), one after the other."""
        for phi in self.maps:
            rows = mapped(phi, rows)
        return rows


def fitted(phi: FeatureMap, data: Data, rng: np.random.Generator) -> FeatureMap:
    """Return phi, fitted to rows.

    Raises
    ------
    PluginError
        When it returns no map; the message names the map, and where it is written.
    """
    learnt = phi.fit(data, rng)
    if callable(learnt) and hasattr(learnt, "exempt"):
        return learnt
    raise PluginError(
        f"{_called(phi)}.fit must return a map that is fitted, got {short(learnt)}"
        f"{written_at(type(phi).fit)}"
    )


def mapped(phi: FeatureMap, rows: Rows) -> Rows:
    """phi(rows), which must be as many rows; they are stored in the float type of `rows`.

    Raises
    ------
    PluginError
        When they are not; the message names the map, and where it is written.
    """
    out = (
        _in_pieces(phi, rows)
        if rows.stored.dtype == np.float32 and not rows.is_sparse
        else phi(rows)
    )
    if isinstance(out, Rows) and out.n == rows.n:
        return store_as(out, rows.stored.dtype)
    came = f"{out.n} rows" if isinstance(out, Rows) else f"an object {type(out).__name__}"
    raise PluginError(
        f"{_called(phi)} must return Rows, one for each of {rows.n}, got {came}"
        f"{written_at(type(phi).__call__)}"
    )


def _in_pieces(phi: FeatureMap, X: Rows) -> Any:
    """Return phi(X) of dense float32 rows, without float64 features of all of them at a time.

    Where a piece has no dense rows of its number, the map is asked for all rows at once.
    """
    parts = pieces(X, AT_ONCE)
    lo, piece = next(parts)
    part: Any = phi(piece)
    if piece.n == X.n:
        return part
    if not isinstance(part, Rows) or part.n != piece.n or part.is_sparse:
        return phi(X)
    out = np.empty((X.n, part.d), np.float32)
    out[: piece.n] = _single(part)
    for lo, piece in parts:
        part = phi(piece)
        if not isinstance(part, Rows) or (part.n, part.d) != (piece.n, out.shape[1]):
            return part
        out[lo : lo + piece.n] = _single(part.dense())
    return dense_rows(out, np.float32)


def _single(part: Rows) -> NDArray[Any]:
    return store_as(part, np.float32).stored.reshape(part.n, part.d)


def applied(phi: FeatureMap, data: Data) -> Data:
    """Return the data with mapped rows, and with what the map says of their terms.

    It is for training rows, whose bounds a solver reads.

    Raises
    ------
    PluginError
        As `mapped`.
    UnsupportedError
        When effects must have a shape, and the features cannot say what that means.
    """
    rows = mapped(phi, data.rows)
    return replace(data.with_rows(rows), terms=terms(phi, rows.d, data.shapes))


def _called(phi: FeatureMap) -> str:
    return f"the feature map {type(phi).__module__}.{type(phi).__qualname__}"


def weights_through(maps: Sequence[FeatureMap], w: Vector) -> tuple[Vector, float] | None:
    """Return (v, c) with w·φ_k(… φ_1(x)) = v·x + c, or None if a map is not affine."""
    c = 0.0
    for phi in reversed(maps):
        linear = phi.input_weights(w)
        if linear is None:
            return None
        w, c = linear[0], c + linear[1]
    return w, c


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
