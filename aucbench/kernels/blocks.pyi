import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.int32]
Long = NDArray[np.int64]
Table = NDArray[np.float64]

MODES: tuple[str, ...]
OF_LEAF: int
LOWERS: int

def small_groups(
    mode: int,
    shift: float,
    starts: Long,
    groups: Long,
    room: int,
    key: Index,
    x: Vector,
    a: Vector,
    b: Vector,
    u: Vector,
    scratch: Vector,
    out: Vector,
    value: Vector,
    mass: Vector,
) -> None: ...
def large_group(
    mode: int,
    shift: float,
    even: bool,
    first: Index,
    key: Index,
    x: Vector,
    a: Vector,
    b: Vector,
    u: Vector,
    sorted_x: Vector,
    sorted_u: Vector,
    place: Index,
    scratch: Vector,
    places: Index,
    leaf: Vector,
    out: Vector,
) -> tuple[float, float]: ...
def leaf_room() -> int: ...
def running_sums(starts: Long, x: Table, out: Table, backwards: bool) -> None: ...
