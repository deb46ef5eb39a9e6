import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Stored = Vector | NDArray[np.float32]
Index = NDArray[np.int32]

def scores(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index | None,
    lo: int,
    hi: int,
    w: Vector,
    out: Vector,
) -> None: ...
def pullback(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index | None,
    lo: int,
    hi: int,
    r: Vector,
    out: Vector,
) -> None: ...
def square_norms(
    values: Stored, columns: Index | None, starts: Index | None, d: int, n: int, out: Vector
) -> None: ...
def affine_pass(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index | None,
    lo: int,
    hi: int,
    y: NDArray[np.int8],
    w: Vector,
    slope: Vector,
    shift: Vector,
    out: Vector,
    sums: Vector,
) -> None: ...
def margin_pass(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index | None,
    lo: int,
    hi: int,
    y: NDArray[np.int8],
    w: Vector,
    weight: Vector,
    logistic: bool,
    out: Vector,
    shift: float = 0.0,
) -> float: ...
