import numpy as np
from numpy.typing import NDArray

OrderKeys = NDArray[np.uint64]
Doubles = NDArray[np.float64]

def split_keys(
    positive: NDArray[np.uint8],
    scores: NDArray[np.float64],
    low: int,
    high: int,
    pos: OrderKeys,
    neg: OrderKeys,
) -> tuple[int, int]: ...
def concordant_twice(pos: OrderKeys, neg: OrderKeys) -> int: ...
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
