"""Inference on measured values: arrays in, frozen records out; knows nothing of the harness."""

from aucbench.stats.words import (
    LEVEL,
    ROPE,
    Difference,
    Interval,
    Word,
    holm,
)

__all__ = [
    "LEVEL",
    "ROPE",
    "Difference",
    "Interval",
    "Word",
    "holm",
]
