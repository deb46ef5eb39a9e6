"""Engines: they let each part answer, and merge what the parts say."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import reduce
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar

from aucbench.errors import DataError, MissingExtraError, ParameterError
from aucbench.kernels.parallel import count, mapped
from aucbench.progress import Progress
from aucbench.scale.parts import Parts
from aucbench.scale.summary import Summary, Tally, Tree

S = TypeVar("S", bound=Summary)
C = TypeVar("C", bound=Tally)
T = TypeVar("T")
HERE, DASK = "here", "dask"  # engines, as options name them
AHEAD = 2  # parts that are read beside those of the threads


class Engine(Protocol):
    """Lets parts answer a question.

    `of` is a function of a module, and pure: the same piece and arguments give the same bytes.
    """

    def reduce(
        self, parts: Parts, of: Callable[..., S], *args: Any, some: Sequence[int] | None = None
    ) -> S:
        """Return of(piece, *args) of all pieces, merged: pieces in their order, parts by `Tree`.

        `some` are the numbers of the parts that are asked, all of them by default.
        """
        ...

    def tally(
        self, parts: Parts, start: Callable[..., C], *args: Any, some: Sequence[int] | None = None
    ) -> C:
        """Return a tally start(*args) to which all pieces are added; it is exact in any order.

        Each thread or worker has one of them at a time, so that tables may be large.
        """
        ...

    def scan(
        self, parts: Parts, of: Callable[..., T], *args: Any, some: Sequence[int] | None = None
    ) -> Iterator[tuple[int, list[T]]]:
        """Yield the number of each part, in order, and of(piece, *args) of its pieces."""
        ...


class Here:
    """Threads of this process, as many as `aucbench.threads` says.

    At most two parts more than threads are in memory.

    Parameters
    ----------
    progress : Progress, optional
        Shows how many rows of a reading have answered.
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress or Progress()

    def reduce(
        self, parts: Parts, of: Callable[..., S], *args: Any, some: Sequence[int] | None = None
    ) -> S:
        """Return the merged answers, see `Engine`.

        Raises
        ------
        DataError
            When there is no row, or as `Parts.read`.
        """
        numbers = begin_reading(parts, some, self._progress)
        tree: Tree[S] = Tree(len(numbers))

        def answer(i: int) -> S:
            return part_answer(parts, i, of, *args)

        for position, (_, summary) in enumerate(self._in_order(parts, numbers, answer)):
            tree.add(position, summary)
        return tree.root

    def tally(
        self, parts: Parts, start: Callable[..., C], *args: Any, some: Sequence[int] | None = None
    ) -> C:
        """Return the tally of all pieces, see `Engine`."""
        numbers = begin_reading(parts, some, self._progress)
        rest = iter(numbers)  # one thread at a time holds the lock of `next`

        def work(_: int) -> C:
            own: C = start(*args)
            try:
                for i in rest:
                    for piece in parts.read(i):
                        own.add(piece)
                    self._progress.advance(parts.sizes[i])
            except BaseException:
                for _ in rest:  # the other threads begin no more parts
                    pass
                raise
            return own

        return reduce(lambda a, b: a.merge(b), mapped(work, range(count())))

    def scan(
        self, parts: Parts, of: Callable[..., T], *args: Any, some: Sequence[int] | None = None
    ) -> Iterator[tuple[int, list[T]]]:
        """Yield the answers of each part in order, see `Engine`."""

        def answer(i: int) -> list[T]:
            return [of(piece, *args) for piece in parts.read(i)]

        numbers = begin_reading(parts, some, self._progress)
        yield from self._in_order(parts, numbers, answer)

    def _in_order(
        self, parts: Parts, numbers: Sequence[int], answer: Callable[[int], T]
    ) -> Iterator[tuple[int, T]]:
        """Yield (number, answer) in order; the next parts are answered meanwhile."""
        with ThreadPoolExecutor(count(), "aucbench-parts") as pool:
            running: deque[tuple[int, Future[T]]] = deque()
            rest = iter(numbers)
            try:
                while True:
                    while len(running) < count() + AHEAD and (i := next(rest, None)) is not None:
                        running.append((i, pool.submit(answer, i)))
                    if not running:
                        return
                    i, future = running.popleft()
                    answered = future.result()
                    self._progress.advance(parts.sizes[i])
                    yield i, answered
            finally:
                for _, future in running:
                    future.cancel()


def engine_of(text: str, progress: Progress | None = None) -> Engine:
    """Return the engine that an option names: here, or dask=ADDRESS; `progress` as for `Here`.

    Raises
    ------
    ParameterError
        When it is something else.
    """
    name, _, address = text.partition("=")
    if text == HERE:
        return Here(progress)
    if name != DASK or not address:
        raise ParameterError(
            f"--engine is {text!r}; take {HERE}, or {DASK}=ADDRESS, such as {DASK}=tcp://host:8786"
        )
    if find_spec("distributed") is None:
        raise MissingExtraError(f"--engine {DASK}", DASK)
    from aucbench.scale.dask import Dask

    return Dask(address, progress)


def numbers_of(parts: Parts, some: Sequence[int] | None) -> Sequence[int]:
    """Return the numbers of the parts that have rows, of all or of some.

    Raises
    ------
    DataError
        When there are none.
    """
    asked = range(len(parts.sizes)) if some is None else some
    filled = [i for i in asked if parts.sizes[i]]
    if not filled:
        raise DataError("there is no row in the parts; give parts with data")
    return filled


def begin_reading(parts: Parts, some: Sequence[int] | None, progress: Progress) -> Sequence[int]:
    """Return the numbers of the parts that are read, and begin the progress of their rows."""
    numbers = numbers_of(parts, some)
    progress.begin(sum(parts.sizes[i] for i in numbers))
    return numbers


def part_answer(parts: Parts, i: int, of: Callable[..., S], *args: Any) -> S:
    """Return what part i says: the answers of its pieces, merged in their order."""
    return reduce(lambda a, b: a.merge(b), (of(piece, *args) for piece in parts.read(i)))
