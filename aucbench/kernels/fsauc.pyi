import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Stored = Vector | NDArray[np.float32]
Index = NDArray[np.int32]

def stage_rows(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index,
    y: NDArray[np.int8],
    square_norms: Vector,
    eta: float,
    R: float,
    bound: float,
    r: float,
    D: float,
    c: Vector,
    z: Vector,
    work: NDArray[np.float64],
    total: Vector,
    sums: NDArray[np.float64],
    abc: NDArray[np.float64],
    seen: Vector,
) -> None: ...
