"""Cell ids: a hash of everything that could change the number of a cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter

from aucbench.bench.cell import NAMES, Cell, listed
from aucbench.registry.fingerprints import CANONICAL, hash_of_text
from aucbench.registry.specs import bare
from aucbench.store import SCHEMA

SPECS = ("solver", "dataset", "features", "objective", "projector", "pairs")
OF_TUNING = (
    "tune_evals",
    "inner_splits",
    "tune_seconds",
)  # cannot matter to a solver that is not tuned
PLAIN = tuple(name for name in NAMES if name not in OF_TUNING)
COUNTED = ("repeat", "seed", "split")  # whole numbers, by which neighbours in a plan differ
SHARED = tuple(name for name in NAMES if name not in COUNTED)
MOST_TEXTS = 4096
_all, _plain = attrgetter(*NAMES), attrgetter(*PLAIN)
_counts, _shared = attrgetter(*COUNTED), attrgetter(*SHARED)


class CellIds:
    """The ids of many cells; what they share is written down once."""

    def __init__(self, code: str, used: Callable[[Cell], Mapping[str, str]]):
        self._code, self._used = code, used
        # By the objects that the cells share: equal ones, as 1 and 1.0, may be written otherwise.
        # The cell keeps the objects alive.
        self._texts: dict[tuple[int, ...], tuple[Cell, list[str]]] = {}

    def of(self, cell: Cell) -> str:
        """Return the `cell_id` of a cell."""
        shared = tuple(map(id, _shared(cell)))
        known = self._texts.get(shared)
        if known is None:
            if len(self._texts) == MOST_TEXTS:
                self._texts.clear()
            known = self._texts[shared] = (cell, self._parts(cell))
        parts, (repeat, seed, split) = known[1], _counts(cell)
        return hash_of_text(f"{parts[0]}{repeat}{parts[1]}{seed}{parts[2]}{split}{parts[3]}")

    def _parts(self, cell: Cell) -> list[str]:
        """Return the text that is hashed without the three numbers, which are in this order."""
        plugins = dict(self._used(cell))
        rest = _text(cell, data=plugins.pop("data"), plugins=plugins, code=self._code)
        parts = []
        for name, value in zip(COUNTED, _counts(cell), strict=True):
            before, mark, rest = rest.partition(f',"{name}":{value},')
            if not mark:
                raise AssertionError(f"the text of an id has no {name}={value} where it was")
            parts.append(f'{before},"{name}":')
            rest = f",{rest}"
        return [*parts, rest]


def cell_id(cell: Cell, *, data: str, plugins: Mapping[str, str], code: str) -> str:
    """Id of a cell, 32 hexadecimal digits."""
    return hash_of_text(_text(cell, data=data, plugins=plugins, code=code))


def _text(cell: Cell, *, data: str, plugins: Mapping[str, str], code: str) -> str:
    names, values = (NAMES, _all(cell)) if cell.tune else (PLAIN, _plain(cell))
    each = zip(names, values, strict=True)
    fields = {n: listed(value) for n, value in each}
    # A file is known by its content, which is in `data` or `plugins`, and not by its place.
    fields |= {
        name: bare(fields[name], joined=name == "features")
        for name in SPECS
        if fields.get(name) is not None
    }
    used = {"data": data, "plugins": dict(plugins), "code": code, "schema": SCHEMA}
    return CANONICAL.encode({"cell": fields, **used})
