import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Stored = Vector | NDArray[np.float32]
Index = NDArray[np.int32]

def uni_exp_pass(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index,
    y: NDArray[np.int8],
    eta: float,
    lam: float,
    w: Vector,
    seen: NDArray[np.int64],
    longest: Vector | None = None,
    square_norms: Vector | None = None,
    offset: Vector | None = None,
) -> None: ...
