import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.int32]

def scores(
    X: Vector,
    feature: Index,
    threshold: Vector,
    left: Index,
    right: Index,
    value: Vector,
    roots: Index,
    out: Vector,
) -> None: ...
