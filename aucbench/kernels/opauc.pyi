import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Stored = Vector | NDArray[np.float32]
Index = NDArray[np.int32]

def opauc_pass(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index,
    y: NDArray[np.int8],
    eta: float,
    lam: float,
    n: Vector,
    held: Index,
    mean: Vector,
    scatter: Vector,
    pending: Vector,
    w: Vector,
    work: Vector,
    spread: Vector | None = None,
) -> None: ...
