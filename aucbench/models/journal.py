"""What parts have answered, kept in a folder: a fit that was interrupted goes on from there.

A solver is deterministic: when it begins anew, it asks the same questions in the same order. So the
answers are all that a restart needs, cuts and weights included, and it ends with the same bits.
The file of an answer has the name of its question, and a seal of this name and of its content.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from hashlib import sha256
from importlib import import_module
from io import BytesIO
from pathlib import Path
from pickle import dumps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aucbench.data.packed import unpack_arrays
from aucbench.errors import DataError
from aucbench.scale import Engine, Parts, Summary
from aucbench.scale.summary import Tally
from aucbench.store.files import own_file, read_file
from aucbench.store.shard import OF_ARCHIVE

S = TypeVar("S", bound=Summary)
C = TypeVar("C", bound=Tally)
T = TypeVar("T")
ENDING = ".npz"
DOCUMENT, ARRAY, CLASS, TUPLE, FIELDS = "document", "array", "class", "tuple", "fields"
OURS = ("aucbench.", "aucbench_plugins.")  # modules whose records a journal may hold
KEPT = 128 << 20  # bytes of an answer, at most, that is kept: those of 2800 features


class Journal:
    """An engine that keeps what another one has reduced, and asks it nothing twice.

    Parameters
    ----------
    engine : Engine
        It is asked what is not known yet.
    folder : Path
        Of the answers, one file each. It is made when the first one comes.
    """

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine, self._folder = engine, folder

    def reduce(
        self, parts: Parts, of: Callable[..., S], *args: Any, some: Sequence[int] | None = None
    ) -> S:
        """Return the merged answers, see `Engine`."""
        file = self._folder / f"{_key(parts, of, args, some)}{ENDING}"
        if file.exists():
            known: S = read(file)
            return known
        answer = self._engine.reduce(parts, of, *args, some=some)
        self._folder.mkdir(parents=True, exist_ok=True)
        write(file, answer)
        return answer

    def tally(
        self, parts: Parts, start: Callable[..., C], *args: Any, some: Sequence[int] | None = None
    ) -> C:
        """Return the tally of all pieces, see `Engine`; it is not kept."""
        return self._engine.tally(parts, start, *args, some=some)

    def scan(
        self, parts: Parts, of: Callable[..., T], *args: Any, some: Sequence[int] | None = None
    ) -> Iterator[tuple[int, list[T]]]:
        """Yield the answers of each part, see `Engine`; they are not kept."""
        return self._engine.scan(parts, of, *args, some=some)


def answers_in(folder: Path) -> int:
    """Return how many answers a folder holds."""
    return len([*folder.glob(f"*{ENDING}")])


def write(file: Path, answer: Any) -> None:
    """Write a record of numbers, arrays and other records.

    Large ones, and those of other packages, are left out: they are read again.

    Raises
    ------
    ParameterError
        When the file cannot be written.
    """
    arrays: dict[str, NDArray[Any]] = {}
    if not type(answer).__module__.startswith(OURS):
        return
    document = json.dumps(_plain(answer, arrays)).encode()
    if sum(array.nbytes for array in arrays.values()) > KEPT:
        return
    content = BytesIO()
    arrays[DOCUMENT] = np.frombuffer(document, np.uint8)
    np.savez(content, allow_pickle=False, **arrays)
    with own_file(file) as out:
        out.write(OF_ARCHIVE.put_on(file.stem, content.getvalue()))


def read(file: Path) -> Any:
    """Return the record of a file that `write` has written. Nothing in it is unpickled.

    Raises
    ------
    DataError
        When it is damaged, or the file of another answer.
    """
    try:
        content = OF_ARCHIVE.taken_off(file.stem, read_file(file))
        if content is None:
            raise DataError("its seal is of another name or content")
        arrays = unpack_arrays(content)
        return _whole(json.loads(arrays[DOCUMENT].tobytes()), arrays)
    except Exception as error:  # damaged bytes can make anything raise
        raise DataError(
            f"{file} is damaged, or stands in the place of another one ({type(error).__name__}); "
            "remove it, and it is computed again"
        ) from error


def _key(
    parts: Parts, of: Callable[..., Any], args: tuple[Any, ...], some: Sequence[int] | None
) -> str:
    """Return the name of a question."""
    asked = dumps((of, args, some and (*some,)), protocol=5)
    return sha256(parts.fingerprint.encode() + asked).hexdigest()[:32]


def _plain(thing: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """Return a value as JSON holds it, and add its arrays to those that are known."""
    if isinstance(thing, np.ndarray):
        name = f"{ARRAY} {len(arrays)}"
        arrays[name] = thing
        return {ARRAY: name}
    if isinstance(thing, np.generic):
        return thing.item()
    if is_dataclass(thing):
        kind = type(thing)
        own = {f.name: _plain(getattr(thing, f.name), arrays) for f in fields(thing) if f.init}
        return {CLASS: f"{kind.__module__}:{kind.__qualname__}", FIELDS: own}
    if isinstance(thing, tuple):
        return {TUPLE: [_plain(one, arrays) for one in thing]}
    if thing is None or isinstance(thing, bool | int | float | str):
        return thing
    raise TypeError(f"a summary holds {type(thing).__name__}, which a journal cannot keep")


def _whole(plain: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """Inverse of `_plain`."""
    if not isinstance(plain, dict):
        return plain
    if ARRAY in plain:
        return arrays[plain[ARRAY]]
    if TUPLE in plain:
        return tuple(_whole(one, arrays) for one in plain[TUPLE])
    module, name = plain[CLASS].split(":")
    if not module.startswith(OURS):
        raise DataError(f"it holds {module}, which is no summary")
    kind = getattr(import_module(module), name)
    if not is_dataclass(kind):
        raise DataError(f"it holds {name}, which is no record")
    own: Any = kind(**{key: _whole(value, arrays) for key, value in plain[FIELDS].items()})  # type: ignore[operator]
    return own
