"""Ask each of several folders the same, and tell the first problem of each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from aucbench.errors import AucbenchError, DataError

T = TypeVar("T")


class Refusals(DataError):
    """What is wrong with several folders, one sentence each."""

    def __init__(self, errors: Sequence[AucbenchError]):
        self.errors = tuple(errors)
        super().__init__("; ".join(map(str, errors)))

    @property
    def lines(self) -> tuple[str, ...]:
        """Their number, and what is wrong with each."""
        return f"{len(self.errors)} folders cannot be merged:", *map(str, self.errors)


def ask_each(questions: Iterable[tuple[int, Callable[[], T]]]) -> list[T]:
    """Return the answers to questions, each of them to the folder of a number.

    A folder that refuses one is asked nothing more. At the end, all that was refused is raised.
    """
    answers: list[T] = []
    refused: dict[int, AucbenchError] = {}
    for number, ask in questions:
        if number not in refused:
            try:
                answers.append(ask())
            except AucbenchError as error:
                refused[number] = error
    if refused:
        first, *others = (refused[number] for number in sorted(refused))
        raise Refusals([first, *others]) if others else first
    return answers
