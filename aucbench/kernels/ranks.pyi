import numpy as np
from numpy.typing import NDArray

def concordant_twice(pos: NDArray[np.float64], neg: NDArray[np.float64]) -> int: ...
