from typing import Any

from aucbench.data import Chunk
from aucbench.data.arrays import Index, Vector

def sketch_pass(chunk: Chunk, order: Index, memory: Any, noise: Vector, work: Vector) -> None: ...
