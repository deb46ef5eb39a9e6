import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

TERMS: int

def exponential_pass(
    starts: NDArray[np.int64],
    t: Vector,
    mass: Vector,
    side: NDArray[np.int8],
    value: Vector,
    slope: Vector,
    near: Vector,
    bend: Vector,
) -> None: ...
