import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

def curves(
    x: Vector, low: float, high: float, knots: Vector, degree: int, C: Vector, out: Vector
) -> None: ...
