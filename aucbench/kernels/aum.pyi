import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.int32]

PLACES: int

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
    work: Vector,
    place: NDArray[np.int8],
    slopes: Vector,
) -> float: ...
def look_up(place: NDArray[np.int8], of: Vector, out: Vector) -> None: ...
