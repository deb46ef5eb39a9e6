from typing import Any

from aucbench.data import Chunk
from aucbench.data.arrays import Index, Vector

def oam_pass(chunk: Chunk, order: Index, memory: Any, uniforms: Vector) -> None: ...
