"""Summaries of parts of the rows, and the tree in which they merge."""

from __future__ import annotations

from typing import Generic, Protocol, Self, TypeVar

from aucbench.scale.parts import Piece


class Summary(Protocol):
    """What a part says of its rows: frozen, small, picklable, with no reference to the rows.

    `merge` of whole numbers is exact in any order. Sums of floats depend on the order in their last
    digits, which is why `Tree` fixes it.
    """

    def merge(self, other: Self) -> Self:
        """Return the summary of both parts, those of `other` after its own."""
        ...


class Tally(Protocol):
    """Whole numbers to which the rows of pieces are added: the same in any order of the pieces.

    It can be pickled and holds no rows. Where a table is large, to add to one is cheaper than to
    merge one for each piece.
    """

    def add(self, piece: Piece) -> None:
        """Count the rows of a piece."""
        ...

    def merge(self, other: Self) -> Self:
        """Take the counts of another one too, and return itself."""
        ...


S = TypeVar("S", bound=Summary)


class Tree(Generic[S]):
    """Merges k summaries, which arrive in any order, as one fixed binary tree does.

    Level 0 has the summaries of the parts 0, 1, ..., k - 1. Of each level, the nodes 2m and 2m + 1
    merge into node m of the next; a last node without a neighbour passes as it is. So the parts of
    a node are consecutive, and a worker may merge all parts of a node before it sends them. At most
    log₂ k nodes wait in memory when the parts come in their order.

    Parameters
    ----------
    k : int
        Number of summaries, at least 1.
    level : int
        The level of the nodes that arrive: 0 for parts, j for nodes of 2^j parts.
    """

    def __init__(self, k: int, level: int = 0) -> None:
        self._widths = [k]
        while self._widths[-1] > 1:
            self._widths.append((self._widths[-1] + 1) // 2)
        self._widths = self._widths[level:] or [1]
        self._waiting: dict[tuple[int, int], S] = {}

    def add(self, number: int, summary: S) -> None:
        """Take node `number` of the lowest level, and merge all that are complete."""
        level = 0
        while level + 1 < len(self._widths):
            last = number == self._widths[level] - 1
            if not (last and number % 2 == 0):
                neighbour = self._waiting.pop((level, number ^ 1), None)
                if neighbour is None:
                    break
                first, second = (summary, neighbour) if number % 2 == 0 else (neighbour, summary)
                summary = first.merge(second)
            level, number = level + 1, number // 2
        self._waiting[level, number] = summary

    @property
    def root(self) -> S:
        """The summary of all parts.

        Raises
        ------
        ValueError
            When a part has not come yet.
        """
        top = (len(self._widths) - 1, 0)
        if top not in self._waiting:
            raise ValueError(f"{len(self._waiting)} nodes of the tree wait for others to come")
        return self._waiting[top]
