from typing import Any

from aucbench.data import Chunk
from aucbench.data.arrays import Index

def stage_rows(chunk: Chunk, order: Index, stage: Any) -> None: ...
