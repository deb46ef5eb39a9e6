"""Write the cells of a merge, which were checked, and where they come from."""

from __future__ import annotations

from dataclasses import replace

from aucbench.bench.joining.briefs import brief_of, require_honest
from aucbench.bench.joining.cells import Cells
from aucbench.bench.joining.private import without_places, without_private
from aucbench.bench.joining.submitting import keep_plan
from aucbench.bench.results.origins import hash_of_scores, keep_origin
from aucbench.bench.results.store import Store
from aucbench.data.packed import pack_arrays
from aucbench.errors import DataError


def write(cells: Cells, store: Store) -> None:
    """Write cells after where they come from, so that none seems to be one's own; then plans.

    Those of the first folder come before: where it grows, they are one's own, or known.
    """
    lookups = [*cells.here.lookups()]
    targets = {one.fingerprint: one.target.packed for one in lookups if one.target}
    store.keep_targets(targets)
    store.keep_about({one.fingerprint: without_places(one.answer) for one in lookups})
    _write_part(cells, store, 0)
    for origin in cells.origins.made():
        keep_origin(store, origin)
    for number in range(1, len(cells.parts)):
        _write_part(cells, store, number)
    for plan in (plan for part in cells.parts for plan in part.plans):
        keep_plan(store, plan)


def _write_part(cells: Cells, store: Store, number: int) -> None:
    """Write the cells of a part that no part before it has, as they were checked."""
    part = cells.parts[number]
    for key in cells.new(number):
        record, arrays = part.folder.record(key), cells.arrays(number, key)
        require_honest(record, part.name)
        found = None if arrays is None else hash_of_scores(arrays)
        if brief_of(record) != part.briefs[key] or found != cells.hashes[number, key]:
            raise DataError(
                f"{part.name}: {record.cell} was changed while it was merged; merge again when "
                "nobody writes into the folder"
            )
        if arrays is not None:
            sizes = cells.here.dealt(record.cell).counted(record.sizes)
            record = replace(record, sizes=sizes)
        store.write(without_private(record), None if arrays is None else pack_arrays(arrays))
