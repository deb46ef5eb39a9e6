import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.int32]
Whole = NDArray[np.int64]

FULL: int
EXHAUSTED: int
STOPPED: int
STEP_LIMIT: int

def room_size(lines: int) -> int: ...
def begin(
    T: Vector, d: Vector, fp: Whole, fn: Whole, order: Index, unit: float, room: Vector
) -> None: ...
def run(room: Vector, step_limit: float, until_aum_rises: bool, out: Vector) -> tuple[int, int]: ...
