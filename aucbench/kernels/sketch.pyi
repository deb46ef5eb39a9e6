import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Stored = Vector | NDArray[np.float32]
Index = NDArray[np.int32]

def sketch_pass(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index,
    y: NDArray[np.int8],
    noise: Vector,
    eta: float,
    lam: float,
    n: Vector,
    q: Vector,
    B: Vector,
    G: Vector,
    ha: Vector,
    u: Vector,
    numbers: Vector,
    work: Vector,
    spread: Vector | None = None,
) -> None: ...
