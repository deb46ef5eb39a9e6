import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

def places(
    points: Floats,
    turn: Floats,
    pos: Counts,
    neg: Counts,
    order: Numbers,
    spare: Numbers,
    before: Numbers,
    after: Numbers,
) -> tuple[int, int]: ...
def turns(
    first: Numbers,
    pos: Counts,
    neg: Counts,
    P: Counts,
    N: Counts,
    spare: Counts,
    stride: int,
    up: Numbers,
    low: Numbers,
    gains: NDArray[np.uint8],
) -> tuple[int, int, int]: ...
def best_arc(
    points: Floats,
    up: Numbers,
    low: Numbers,
    gains: NDArray[np.uint8],
    pos: Counts,
    neg: Counts,
    keys: Floats,
    least: float,
    twice: int,
    order: Numbers,
    spare: Numbers,
) -> tuple[int, int, int]: ...
