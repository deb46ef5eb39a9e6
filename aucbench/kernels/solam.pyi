import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Stored = Vector | NDArray[np.float32]
Index = NDArray[np.int32]

def solam_pass(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index,
    y: NDArray[np.int8],
    square_norms: Vector,
    steps: Vector,
    lam: float,
    R: float,
    running: bool,
    w: Vector,
    u: Vector,
    total: Vector,
    numbers: Vector,
) -> None: ...
