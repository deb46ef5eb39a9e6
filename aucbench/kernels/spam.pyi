import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Stored = Vector | NDArray[np.float32]
Index = NDArray[np.int32]

def ridge_pass(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index,
    y: NDArray[np.int8],
    means: Vector,
    cross: NDArray[np.float64],
    steps: Vector,
    p: float,
    l2: float,
    w: Vector,
    u: Vector,
    total: Vector,
) -> None: ...
def soft_pass(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index,
    y: NDArray[np.int8],
    means: Vector,
    steps: Vector,
    p: float,
    l1: float,
    l2: float,
    w: Vector,
    total: Vector,
) -> None: ...
def soft_lazy(
    values: Stored,
    columns: Index | None,
    starts: Index | None,
    d: int,
    order: Index,
    y: NDArray[np.int8],
    means: Vector,
    steps: Vector,
    p: float,
    l1: float,
    l2: float,
    w: Vector,
    total: Vector,
    budget: int,
    cells: NDArray[np.float64],
    tables: NDArray[np.float64],
    row: NDArray[np.float64],
    due: Index,
    bins: Index,
) -> None: ...
