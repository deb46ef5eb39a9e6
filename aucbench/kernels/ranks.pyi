import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

def split_keys(
    positive: NDArray[np.uint8], scores: NDArray[np.float64], pos: Keys, neg: Keys
) -> None: ...
def radix_sort(keys: Keys, spare: Keys, counts: NDArray[np.uint32]) -> None: ...
def concordant_twice(pos: Keys, neg: Keys) -> int: ...
