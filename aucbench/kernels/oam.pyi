from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Chunk
from aucbench.data.arrays import Index, Vector

def oam_pass(
    chunk: Chunk,
    order: Index,
    memory: Any,
    uniforms: Vector,
    work: tuple[Vector, NDArray[np.intp]],
) -> None: ...
