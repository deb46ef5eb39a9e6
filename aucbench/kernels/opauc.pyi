from typing import Any

from aucbench.data import Chunk
from aucbench.data.arrays import Index, Vector

def opauc_pass(chunk: Chunk, order: Index, memory: Any, work: Vector) -> None: ...
