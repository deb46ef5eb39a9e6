import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Scores = NDArray[np.float64] | NDArray[np.float32]
Numbers = NDArray[np.int32]

def count(
    scores: Scores,
    y: NDArray[np.int8],
    edges: Doubles,
    per: Doubles,
    first: Numbers,
    last: Numbers,
    levels: int,
    table: NDArray[np.int64],
    weights: Doubles | None,
    unit: float,
    most: float,
    cut: NDArray[np.int64],
) -> int: ...
def gather(
    scores: Scores,
    edges: Doubles,
    per: Doubles,
    first: Numbers,
    last: Numbers,
    levels: int,
    wanted: NDArray[np.uint8],
    rows: Numbers,
) -> int: ...
