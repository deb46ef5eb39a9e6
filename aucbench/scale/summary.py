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
    merge into node m of the next; a last node without a neighbour passes as it is. At most log₂ k
    nodes wait in memory when the parts come in their order, and at most 2 log₂ k where only some
    consecutive parts do, as on a worker that sends the nodes that it has.

    Parameters
    ----------
    k : int
        Number of summaries, at least 1.
    """

    def __init__(self, k: int) -> None:
        self.k, self._widths = k, [k]
        while self._widths[-1] > 1:
            self._widths.append((self._widths[-1] + 1) // 2)
        self._waiting: dict[tuple[int, int], S] = {}

    def add(self, number: int, summary: S, level: int = 0) -> None:
        """Take node `number` of a level, the summary of a part, and merge all that are complete."""
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

    def join(self, other: Tree[S]) -> None:
        """Take the nodes that another tree over the same parts has."""
        for (level, number), summary in other._waiting.items():
            self.add(number, summary, level)

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
