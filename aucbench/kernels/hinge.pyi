from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.int32]
Long = NDArray[np.int64]
Table = NDArray[np.float64]

MODES: tuple[str, ...]
OF_LEAF: int
LOWERS: int

def read(s: Vector, rows: Index, sign: float, shift: float, a: Vector) -> None: ...
def spread(
    a: Vector,
    rows: Index,
    centre: float,
    scale: float,
    cell: Index,
    table: Index,
    sorted_a: Vector,
    order: Index,
) -> None: ...
def index(a: Vector, m: int, centre: float, scale: float, cell: Index, table: Index) -> None: ...
def mend(a: Vector, order: Index, moves: int) -> bool: ...
def lowest_sums(
    a: Vector, order: Index, mass: Vector | None, masses: Vector | None, sums: Vector | None
) -> None: ...
def other_rows(classes: Any, s: Vector, lo: int, hi: int, counts: Index, c: Vector) -> None: ...
def rank_sums(
    s: Vector,
    rows: Index,
    sign: float,
    shift: float,
    base: float,
    mass: Vector | None,
    rank: Index,
    masses: Vector | None,
    sums: Vector | None,
) -> None: ...
def sorted_rows(
    step: float,
    a: Vector,
    order: Index,
    mass: Vector | None,
    counts: Index,
    masses: Vector | None,
    sums: Vector | None,
    parts: Vector,
    c: Vector,
) -> tuple[float, float]: ...
def bend(
    u: Vector,
    rows: Index,
    step: float,
    order: Index,
    mass: Vector | None,
    counts: Index,
    rank: Index,
    lowest: Table,
    of_rank: Table,
    out: Vector,
) -> None: ...
def pair_pass(
    s: Vector, positives: Index, negatives: Index, step: float, c: Vector
) -> tuple[float, int]: ...
def small_groups(
    of: Any,
    groups: Long,
    room: int,
    mode: int,
    shift: float,
    x: Vector,
    u: Vector,
    scratch: Vector,
    out: Vector,
    found: Table,
) -> None: ...
def large_group(
    group: Any, memory: Any, mode: int, shift: float, x: Vector, u: Vector, out: Vector
) -> tuple[float, float]: ...
def leaf_room() -> int: ...
def running_sums(starts: Long, x: Table, out: Table, backwards: bool) -> None: ...
