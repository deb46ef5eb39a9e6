from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

def scores(piece: Any, centre: Vector, w: Vector, out: Vector, room: Vector) -> None: ...
def binned(
    piece: Any,
    y: NDArray[np.int8],
    centre: Vector,
    w: Vector,
    low: Vector,
    inverse: float,
    counts: NDArray[np.int64],
    sums: Vector | None,
    ends: Vector,
    room: Vector,
    own: Vector,
    places: NDArray[np.int32],
) -> None: ...
def pulled(
    piece: Any,
    y: NDArray[np.int8],
    centre: Vector,
    w: Vector,
    low: Vector,
    inverse: float,
    c: Vector,
    out: Vector,
    room: Vector,
    own: Vector,
    sub: Vector,
) -> None: ...
def moments(
    piece: Any,
    y: NDArray[np.int8],
    centre: Vector,
    sums: Vector,
    squares: Vector,
    low: Vector,
    high: Vector,
    room: Vector,
    own: Vector,
    sub: Vector,
) -> None: ...
def added(
    piece: Any,
    a: Vector,
    centre: Vector,
    out: Vector,
    room: Vector,
    own: Vector,
    sub: Vector,
) -> None: ...
