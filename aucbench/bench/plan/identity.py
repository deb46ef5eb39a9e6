"""Cell ids: a hash of everything that could change the number of a cell."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from aucbench.cell import NAMES, Cell, listed
from aucbench.infra.store import SCHEMA
from aucbench.registry.fingerprints import hash_of
from aucbench.registry.specs import short

SPECS = ("solver", "dataset", "features", "objective", "projector")
OF_TUNING = ("tune_evals", "inner_splits")  # cannot matter to a solver that is not tuned
PLAIN = tuple(name for name in NAMES if name not in OF_TUNING)
_all, _plain = attrgetter(*NAMES), attrgetter(*PLAIN)


def cell_id(cell: Cell, *, data: str, plugins: Mapping[str, str], code: str) -> str:
    """Id of a cell, 32 hexadecimal digits.

    Parameters
    ----------
    cell : Cell
        Its fields; those that are about tuning count when the solver is tuned.
    data : str
        Hash of the rows and labels.
    plugins : mapping of str to str
        `plugin_fingerprint` of what the cell uses, by role ("solver", "features", ...).
    code : str
        `code_fingerprint` of aucbench.
    """
    names, values = (NAMES, _all(cell)) if cell.tune else (PLAIN, _plain(cell))
    fields = {name: listed(value) for name, value in zip(names, values, strict=True)}
    # A file is known by its content, which is in `data` or `plugins`, and not by its place.
    fields |= {
        name: short(fields[name], joined=name == "features")
        for name in SPECS
        if fields[name] is not None
    }
    used = {"data": data, "plugins": dict(plugins), "code": code, "schema": SCHEMA}
    return hash_of({"cell": fields, **used})
