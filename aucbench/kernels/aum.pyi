import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.int32]

def sweep_loss(
    t: Vector,
    order: Index,
    example: Index,
    fp_diff: Vector,
    fn_diff: Vector,
    left: Vector,
    right: Vector,
) -> float: ...
def binary_loss(
    s: Vector,
    y: NDArray[np.int8],
    n_pos: int,
    rates: bool,
    keys: NDArray[np.uint64],
    left: Vector,
    right: Vector,
) -> float: ...
