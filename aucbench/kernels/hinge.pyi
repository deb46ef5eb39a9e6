import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.int32]

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
def linear_rows(
    s: Vector,
    rows: Index,
    lo: int,
    hi: int,
    sign: float,
    shift: float,
    step: float,
    a: Vector,
    centre: float,
    scale: float,
    table: Index,
    counts: Index,
    parts: Vector,
    c: Vector,
) -> None: ...
def linear_sorted(
    step: float,
    a: Vector,
    order: Index,
    counts: Index,
    parts: Vector,
    c: Vector,
) -> tuple[float, int]: ...
def square_below(a: Vector, m: int, below: Vector) -> None: ...
def square_rows(
    s: Vector,
    rows: Index,
    lo: int,
    hi: int,
    sign: float,
    shift: float,
    step: float,
    a: Vector,
    centre: float,
    scale: float,
    table: Index,
    counts: Index,
    parts: Vector,
    below: Vector,
    rank: Index,
    c: Vector,
) -> None: ...
def square_sorted(
    s: Vector,
    rows: Index,
    sign: float,
    shift: float,
    step: float,
    a: Vector,
    order: Index,
    counts: Index,
    parts: Vector,
    rank: Index,
    sums: Vector,
    c: Vector,
) -> tuple[float, int]: ...
def square_bend(
    u: Vector,
    rows: Index,
    step: float,
    order: Index,
    counts: Index,
    rank: Index,
    below: Vector,
    sums: Vector,
    out: Vector,
) -> None: ...
def pair_pass(
    s: Vector, positives: Index, negatives: Index, step: float, c: Vector
) -> tuple[float, int]: ...
