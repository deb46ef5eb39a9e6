import numpy as np
from numpy.typing import NDArray

OrderKeys = NDArray[np.uint64]

def split_keys(
    positive: NDArray[np.uint8],
    scores: NDArray[np.float64],
    low: int,
    high: int,
    pos: OrderKeys,
    neg: OrderKeys,
) -> tuple[int, int]: ...
def concordant_twice(pos: OrderKeys, neg: OrderKeys) -> int: ...
