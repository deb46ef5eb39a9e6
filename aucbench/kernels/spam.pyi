import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.int32]

def ridge_pass(
    values: Vector,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index,
    y: NDArray[np.int8],
    cross: NDArray[np.float64],
    steps: Vector,
    p: float,
    l2: float,
    w: Vector,
    u: Vector,
    total: Vector,
    ab: Vector,
) -> None: ...
