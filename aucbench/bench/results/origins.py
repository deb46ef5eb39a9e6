"""Where the cells of a results folder come from, and which of them were run again.

`aucbench submit` writes one origin into the folder that it makes, and `aucbench merge` one for each
folder that it joins: FOLDER/origins/NAME.json, see `Store.keep_origin`.

Design
  a. A cell is verified if a run of who merges and a folder of somebody else both have it, with the
     same scores of the same rows. Two submissions with equal scores verify nothing: one could be a
     copy of the other.
  b. Whether a folder is one's own is said by who merges, and never by a file of that folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucbench.bench.results.store import Store, not_an_origin

if TYPE_CHECKING:
    from numpy.typing import NDArray

ARRAYS = (("rows", "<i8"), ("scores", "<f8"))  # that are hashed, and as which type


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where cells come from: one folder that was merged into another one.

    Attributes
    ----------
    name : str
        2 to 128 of the characters 0-9 a-z _ -, the name of its file.
    by : str
        Who says that the cells were run so; empty where nobody was named. Text of other people.
    made : str
        When the folder was written, in ISO 8601 with the time zone.
    aucbench : str
        Version of aucbench that ran the cells.
    machine : mapping of str to plain value
        cpu, cores, threads, simd, sort and python where most of the cells ran; no name of a host.
    packages : mapping of str to str
        Versions of the distributions that the cells used.
    solvers : tuple of str
        Their names as tables have them, such as `sht-auc (tuned)`.
    plan : str
        Hash of the plans.
    cells : mapping of str to (str or None)
        `hash_of_scores` of each cell, by its id; None for a cell that failed.
    own : bool
        Whether who merged ran the cells, or takes the word of who did.
    """

    name: str
    by: str = ""
    made: str
    aucbench: str
    machine: Mapping[str, Any] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    solvers: tuple[str, ...] = ()
    plan: str
    cells: Mapping[str, str | None] = field(default_factory=dict)
    own: bool = False


def keep_origin(store: Store, origin: Origin) -> None:
    """Write an origin into a results folder, complete or not at all."""
    store.keep_origin(origin.name, {**asdict(origin), "solvers": [*origin.solvers]})


def origins_of(store: Store) -> tuple[Origin, ...]:
    """Return the origins of a results folder, by their names; none where nothing was merged.

    Raises
    ------
    DataError
        When a file is damaged, or holds no origin.
    """
    return tuple(_origin(path, plain) for path, plain in store.origins().items())


def verified(store: Store) -> frozenset[str]:
    """Return the ids of the cells that were run again, with the scores that the folder has.

    An own origin and another one have the cell, and the same hash, or both of them a failure.
    """
    origins = origins_of(store)
    mine = [origin.cells for origin in origins if origin.own]
    theirs = [origin.cells for origin in origins if not origin.own]
    again = {
        key: scores
        for cells in mine
        for key, scores in cells.items()
        if any(key in others and others[key] == scores for others in theirs)
    }
    return frozenset(key for key, scores in again.items() if scores_hash(store, key) == scores)


def scores_hash(store: Store, key: str) -> str | None:
    """Return the hash of the scores that a folder has of a cell; None where it has none."""
    from aucbench.data.npz import unpack

    arrays = store.blob(key, unpack)
    return None if arrays is None else hash_of_scores(arrays)


def hash_of_scores(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the sha256 of `rows` and `scores`: of their shapes and their numbers.

    The file has further bytes, such as the time at which it was packed.
    """
    digest = sha256()
    for name, kind in ARRAYS:
        array = arrays[name]
        digest.update(f"{name} {array.shape}\n".encode())
        digest.update(array.astype(kind, order="C").tobytes())
    return digest.hexdigest()


def _origin(path: Path, plain: Any) -> Origin:
    from cattrs import BaseValidationError, transform_error

    try:
        origin: Origin = _converter().structure(plain, Origin)
    except BaseValidationError as error:
        raise not_an_origin(path, "; ".join(transform_error(error)[:3])) from error
    if origin.name != path.stem:
        raise not_an_origin(path, f"it is that of {origin.name!r}")
    return origin


@cache
def _converter() -> Any:
    from cattrs import Converter

    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook(str, _text)
    converter.register_structure_hook(bool, _flag)
    converter.register_structure_hook_func(lambda kind: kind == tuple[str, ...], _texts)
    return converter


def _text(plain: Any, _: Any) -> str:
    if not isinstance(plain, str):
        raise TypeError(f"not a text but {type(plain).__name__}")
    return plain


def _texts(plain: Any, _: Any) -> tuple[str, ...]:
    if not isinstance(plain, list):
        raise TypeError(f"not a list but {type(plain).__name__}")
    return tuple(_text(one, str) for one in plain)


def _flag(plain: Any, _: Any) -> bool:
    if not isinstance(plain, bool):
        raise TypeError(f"not true or false but {type(plain).__name__}")
    return plain
