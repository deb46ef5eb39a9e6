"""What workers of a dask cluster do: read parts, and answer for blocks of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import reduce
from typing import Any, TypeVar

from distributed import get_worker

from aucbench.scale.chosen import Chosen
from aucbench.scale.parts import Columns, Parts, Piece
from aucbench.scale.summary import Summary, Tally, Tree

S = TypeVar("S", bound=Summary)
C = TypeVar("C", bound=Tally)
T = TypeVar("T")
Numbers = tuple[int, ...]
Held = list[tuple[Piece, ...]]  # the pieces of each part of a block


def carried(one: T) -> T:
    """Return what it is given: a task whose result other tasks need."""
    return one


def row_bytes(parts: Parts, i: int) -> float:
    """Return the bytes of a row in memory."""
    piece = next(iter(parts.read(i)))
    own = piece.rows
    arrays: Sequence[Any] = own.arrays if isinstance(own, Columns) else own.stored_arrays
    arrays = [*arrays, piece.y, piece.weights]
    total, rows = sum(int(getattr(array, "nbytes", 0)) for array in arrays), int(piece.n)
    return total / max(rows, 1)


def held(parts: Parts, numbers: Numbers, topic: str) -> Held:
    """Return the pieces of a block of parts."""
    pieces = []
    for i in numbers:
        say_part(topic, i)
        pieces.append(tuple(parts.read(i)))
    return pieces


def _pieces(
    parts: Parts | None, numbers: Numbers, blocks: Held | None, topic: str
) -> Iterator[Iterator[Piece]]:
    """Yield the pieces of each part of a block, kept or read now."""
    if blocks is not None:
        say_part(topic, numbers[0])
        yield from (own_pieces(parts, i, own) for i, own in zip(numbers, blocks, strict=True))
        return
    assert parts is not None
    for i in numbers:
        say_part(topic, i)
        yield parts.read(i)


def own_pieces(parts: Parts | None, i: int, held: tuple[Piece, ...]) -> Iterator[Piece]:
    """Return the pieces that a worker holds, or the rows of them that belong to some rows."""
    return parts.of_pieces(i, iter(held)) if isinstance(parts, Chosen) else iter(held)


def say_part(topic: str, i: int) -> None:
    """Let the client know that this worker is at part i."""
    worker = get_worker()
    key = str(worker.get_current_task())
    worker.log_event(topic, {"part": i, "key": key, "worker": worker.address})


def answered(
    parts: Parts | None,
    numbers: Numbers,
    span: tuple[int, int],
    blocks: Held | None,
    of: Callable[..., S],
    args: tuple[Any, ...],
    topic: str,
) -> Tree[S]:
    """Return the nodes of a block: the first of its parts is at span[0] of span[1]."""
    first, k = span
    tree: Tree[S] = Tree(k)
    for place, pieces in enumerate(_pieces(parts, numbers, blocks, topic), first):
        tree.add(place, reduce(lambda a, b: a.merge(b), (of(piece, *args) for piece in pieces)))
    return tree


def joined(*trees: Tree[S]) -> Tree[S]:
    """Return the nodes of several blocks, merged as far as they are neighbours."""
    whole: Tree[S] = Tree(trees[0].k)
    for tree in trees:
        whole.join(tree)
    return whole


def tallied(
    parts: Parts | None,
    numbers: Numbers,
    _: tuple[int, int],
    blocks: Held | None,
    start: Callable[..., C],
    args: tuple[Any, ...],
    topic: str,
) -> C:
    """Return the tally of a block."""
    own: C = start(*args)
    for pieces in _pieces(parts, numbers, blocks, topic):
        for piece in pieces:
            own.add(piece)
    return own


def joined_tallies(*tallies: C) -> C:
    """Return the tally of several; they stay as they are, since dask may ask for them again."""
    return reduce(lambda a, b: a.merge(b), tallies[1:], deepcopy(tallies[0]))


def scanned(
    parts: Parts | None,
    i: int,
    blocks: Held | None,
    place: int,
    of: Callable[..., T],
    args: tuple[Any, ...],
) -> list[T]:
    """Return what the pieces of a part say."""
    if blocks is not None:
        return [of(piece, *args) for piece in own_pieces(parts, i, blocks[place])]
    assert parts is not None
    return [of(piece, *args) for piece in parts.read(i)]
