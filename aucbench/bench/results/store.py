"""The results folder of a benchmark: records by id, their scores, and the plans.

FOLDER/plans/....toml   every plan that was run into the folder
FOLDER/targets/....npz  the targets of the data sets, by hash
FOLDER/datasets/....json what is known of the data sets, by hash
FOLDER/cells/, scores/  see `aucbench.store`
FOLDER/measurements/    a folder of the same form, see `aucbench.papers.measuring`

Files of the first three folders end with a seal of their name and content. One that is damaged,
or lies in the place of another one, is refused by its name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucbench.bench.codec import dump, load
from aucbench.bench.results.record import Record
from aucbench.errors import DataError
from aucbench.store import DocumentStore
from aucbench.store.files import read_file, refused
from aucbench.store.shard import OF_ARCHIVE, Seal

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLANS, TARGETS, ABOUT = "plans", "targets", "datasets"
SEALS = {
    PLANS: Seal(b"# seal: ", b"\n"),
    TARGETS: OF_ARCHIVE,
    ABOUT: Seal(b', "seal": "', b'"}', end=b"}"),
}
DIGITS = 16  # of the name of a plan
# Arrays of a target that are beside scores, as in `aucbench.data.packed`, which imports NumPy.
OF_ROWS = ("y", "weights", "groups", "time", "event", "grades", "category")
CLASSES, LEARNT = "classes", ("time", "event")
RELEVANT = "relevant"
HELD = 256 * 10**6  # bytes of scores that stay in memory, packed as they are on disk


class Store(DocumentStore):
    """The results folder of a benchmark; a context manager, which returns its lock at the end.

    `alone`, `has`, `finished`, `problems` and `close` are those of a `DocumentStore`.

    Parameters
    ----------
    folder : Path
        The results folder.
    create : bool
        Make the folder when something is written, if it is missing or empty.
    held : float
        Bytes of the scores that were just written and stay in memory; others are read from disk.

    Raises
    ------
    DataError
        Here and in all methods: when the folder cannot be read or written, is not a results
        folder, or was written by an aucbench with other records. What was stored before stays.
    """

    def __init__(self, folder: Path, *, create: bool = False, held: float = HELD):
        super().__init__(folder, create=create)
        self._target_of = lru_cache(maxsize=1)(self._read_target)
        self._room = held
        # What this object has written: scores by cell, and the others by the hash of the data.
        self._scores: dict[str, bytes | None] = {}
        self._targets: dict[str, bytes] = {}
        self._abouts: dict[str, dict[str, Any]] = {}

    def read(self, cell: str) -> Record | None:  # type: ignore[override] # parsed
        """Return the record of a cell by its id; None when it is not finished."""
        plain = super().read(cell)
        return None if plain is None else load(plain, Record)

    def records(self) -> Iterator[Record]:
        """Yield all records in the order of their ids; memory does not grow with their number."""
        return self.documents()  # type: ignore[return-value] # `read` makes records of them

    def scores(self, cell: str, data: str | None = None) -> dict[str, NDArray[Any]] | None:
        """Return `scores` and `rows` of a cell, with the target of the rows if it can be had.

        None where there are no scores. `rows` are the numbers of the test rows in the data set, `y`
        their labels, `groups` the numbers of their groups. Of other targets it has `time` and
        `event`, besides `learnt_time` and `learnt_event` of all other rows; `grades`; or `category`
        and `classes`. There is no target where its file cannot be used, which `problems` then says,
        and for rows that have error functions in place of labels.
        Where the data set knows which features are relevant, their numbers are `relevant`, and `w`
        has the weights of all features if these are known: the feature map keeps the columns, and
        there are at most 100 000.

        Parameters
        ----------
        data : str, optional
            Hash of the data set of the cell, by which reading its record is saved.
        """
        from aucbench.data.packed import unpack_arrays

        if cell in self._scores:
            packed = self._scores[cell]
            arrays = None if packed is None else unpack_arrays(packed)
        else:
            arrays = self.blob(cell, unpack_arrays)
        if arrays is None:
            return None
        if data is None:
            record = self.read(cell)
            data = None if record is None else record.sizes.data
        target = self._target_of(data or "")
        known: dict[str, NDArray[Any]] = {
            name: target[name][arrays["rows"]] for name in OF_ROWS if name in target
        }
        whole = {name: target[name] for name in (RELEVANT, CLASSES) if name in target}
        return {**arrays, **known, **whole, **_learnt(target, arrays["rows"])}

    def _read_target(self, data: str) -> Mapping[str, NDArray[Any]]:
        """Return the arrays of the targets of a data set; none where its file cannot be used."""
        from aucbench.data.packed import unpack_arrays

        if data in self._targets:
            return unpack_arrays(self._targets[data])
        path = self._target(data)
        try:
            whole = SEALS[TARGETS].taken_off(data, read_file(path))
            if whole is None:
                raise DataError("it is damaged, or the file of another data set")
            return unpack_arrays(whole)
        except FileNotFoundError:
            self._cannot_use(path, "it is missing")
        except OSError as error:
            raise refused("read", path, error) from error
        except DataError as error:
            self._cannot_use(path, str(error))
        return {}

    def _cannot_use(self, path: Path, trouble: str) -> None:
        self.report(f"{path} cannot be used: {trouble}; run its plan again, which writes it again")

    def keep_targets(self, targets: Mapping[str, bytes]) -> None:
        """Keep the packed targets of data sets, by the hash of their data."""
        for name, packed in targets.items():
            self._keep(self._target(name), packed)
            self._targets[name] = packed

    def _target(self, name: str) -> Path:
        return self.folder / TARGETS / f"{name}.npz"

    def write(self, record: Record, scores: bytes | None = None) -> None:  # type: ignore[override]
        """Store a record in place of an older one of its id, complete or not at all.

        `scores` is a npz file, kept as it is and never unpickled.
        """
        super().write(dump(record), scores)
        size = 0 if scores is None else len(scores)
        if size <= self._room:
            self._scores[record.id], self._room = scores, self._room - size
        else:
            self._scores.pop(record.id, None)

    def keep_plan(self, text: str, known_as: str | None = None) -> None:
        """Keep the text of a plan with its results, in place of one that is known as the same.

        Plans of other runs stay.
        """
        name = sha256((known_as or text).encode()).hexdigest()[:DIGITS]
        self._keep(self.folder / PLANS / f"{name}.toml", text.encode())

    def keep_about(self, about: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep what is known of data sets, by the hash of their data."""
        for name, plain in about.items():
            self._keep(self._about(name), json.dumps(plain, allow_nan=False).encode())
            self._abouts[name] = dict(plain)

    def _keep(self, path: Path, content: bytes) -> None:
        """Write a file with its seal, unless it is there."""
        sealed = SEALS[path.parent.name].put_on(path.stem, content)
        if not path.is_file() or read_file(path) != sealed:
            self.home.put(path, sealed)

    def about(self, data: str) -> dict[str, Any] | None:
        """Return what is known of the data set with this hash; None when that was not kept."""
        from aucbench.data.understood import Understood

        if data in self._abouts:
            return self._abouts[data]
        path = self._about(data)
        content = self._unsealed(path)
        if content is None:
            return None
        try:
            plain: dict[str, Any] = json.loads(content)
            Understood.from_json(plain["understood"])
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise self._damaged(path, str(error)) from error
        return plain

    def _unsealed(self, path: Path) -> bytes | None:
        """Return the content of a file without its seal; None if there is no such file."""
        seal = SEALS[path.parent.name]
        try:
            content = read_file(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise refused("read", path, error) from error
        unsealed = seal.taken_off(path.stem, content)
        if unsealed is None and seal.is_on(content):
            raise self._damaged(path, "its seal is of another content")
        return content if unsealed is None else unsealed  # a plan that was changed by hand has none

    def _damaged(self, path: Path, why: str) -> DataError:
        return DataError(
            f"{path} is damaged ({why}); delete it, and run its plan again, which writes it again"
        )

    def _about(self, name: str) -> Path:
        return self.folder / ABOUT / f"{name}.json"

    def plans(self) -> dict[Path, str]:
        """Return the texts of the plans that were kept, by their files."""
        folder = self.folder / PLANS
        try:
            paths = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise refused("read", folder, error) from error
        texts = ((path, self._unsealed(path)) for path in paths)
        return {path: text.decode(errors="replace") for path, text in texts if text is not None}


def _learnt(target: Mapping[str, NDArray[Any]], rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return times and events of all rows but these, by which censoring is known."""
    if not all(name in target for name in LEARNT):
        return {}
    import numpy as np

    return {f"learnt_{name}": np.delete(target[name], rows) for name in LEARNT}
