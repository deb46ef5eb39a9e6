import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.int32]
Whole = NDArray[np.int64]

STATE: int
FULL: int
EXHAUSTED: int
STOPPED: int
STEP_LIMIT: int
NO_STOP: int
AUM_RISES: int
AUC_FALLS: int

def tree_size(lines: int) -> int: ...
def begin(
    T: Vector,
    d: Vector,
    fp: Whole,
    fn: Whole,
    order: Index,
    unit: float,
    lines: Vector,
    levels: Whole,
    tree: Vector,
    winner: Index,
    state: Whole,
) -> None: ...
def run(
    lines: Vector,
    levels: Whole,
    tree: Vector,
    winner: Index,
    state: Whole,
    step_limit: float,
    stop: int,
    out: Vector,
) -> tuple[int, int]: ...
