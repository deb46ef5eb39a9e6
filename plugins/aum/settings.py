"""What the plugins `aum` and `aum-margin` set, as their descents read it."""

from __future__ import annotations

from typing import Protocol

from aucbench.data import Data


class Settings(Protocol):
    """What the plugins `aum` and `aum-margin` share."""

    @property
    def memory(self) -> int:
        """Number of subgradients for the direction; 1: only that of the point."""
        ...

    @property
    def early_stopping(self) -> bool:
        """Whether states have the weights with the greatest AUC so far, not the latest."""
        ...

    @property
    def tol(self) -> float:
        """Relative optimality at which it ends."""
        ...

    @property
    def intercept(self) -> bool:
        """Whether the last weight is the intercept of least errors."""
        ...

    def search(self, data: Data) -> str:
        """Return one of `SEARCHES`."""
        ...
