import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Stored = Vector | NDArray[np.float32]
Index = NDArray[np.int32]

def oam_pass(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    kept_values: Stored,
    kept_columns: Index | None,
    kept_starts: Index | None,
    order: Index,
    y: NDArray[np.int8],
    uniforms: Vector,
    C: float,
    at_once: bool,
    w: Vector,
    x: Vector,
    rows: NDArray[np.intp],
    slots: Index,
    squares: Vector,
    seen: NDArray[np.int64],
    features: Vector,
    products: Vector,
    work: Vector,
) -> None: ...
