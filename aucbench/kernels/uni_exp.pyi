from typing import Any

from aucbench.data import Chunk
from aucbench.data.arrays import Index

def uni_exp_pass(chunk: Chunk, order: Index, point: Any) -> None: ...
