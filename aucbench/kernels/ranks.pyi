import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

def split(
    positive: NDArray[np.uint8],
    scores: Doubles,
    low: float,
    high: float,
    pos: Doubles,
    neg: Doubles,
) -> tuple[int, int]: ...
def concordant_twice(pos: Doubles, neg: Doubles) -> int: ...
def split_weighted(
    positive: NDArray[np.uint8],
    scores: Doubles,
    weights: Doubles,
    pos: Doubles,
    pos_weights: Doubles,
    neg: Doubles,
    neg_weights: Doubles,
) -> None: ...
def masses_below(
    of: Doubles, within: Doubles, mass: Doubles, first: NDArray[np.uintp], twice: Doubles
) -> None: ...
