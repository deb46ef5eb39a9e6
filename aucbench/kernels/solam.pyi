from typing import Any

from aucbench.data import Chunk
from aucbench.data.arrays import Index

def solam_pass(chunk: Chunk, order: Index, point: Any) -> None: ...
