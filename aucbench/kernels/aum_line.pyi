import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

def line_min(
    scores: Vector,
    direction: Vector,
    y: NDArray[np.int8],
    units: Vector,
    few: int,
    sampled: int,
    work: Vector,
    out: Vector,
) -> None: ...
def weighted_median(
    pos: Vector, neg: Vector, target: int, kept_pos: Vector, kept_neg: Vector
) -> tuple[float, int]: ...
