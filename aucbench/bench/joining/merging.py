"""`merge`: join results folders, and refuse what does not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING
from warnings import warn

from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.joining.copies import Copies
from aucbench.bench.joining.foreign import Foreign
from aucbench.bench.joining.origins_in import Origins
from aucbench.bench.joining.parts import Part, missing, parts_of, require_whole
from aucbench.bench.joining.private import without_places, without_private
from aucbench.bench.joining.public import require_released
from aucbench.bench.joining.recomputed import Checked, checked, close
from aucbench.bench.joining.submitting import keep_plan, new_store, require_new
from aucbench.bench.lookup import look_up_data
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.origins import hash_of_scores, keep_origin, verified
from aucbench.bench.results.store import Store
from aucbench.data.packed import pack_arrays
from aucbench.datasets.reading import Reading
from aucbench.errors import DataError, ParameterError
from aucbench.host import cores

if TYPE_CHECKING:
    from aucbench.bench.answers import Lookup

IN_ORDER = attrgetter("dataset", "seed", "repeat", "split")  # rows are divided once for neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What `merge` has written.

    Attributes
    ----------
    folder : Path
    solvers : tuple of str
        All that the folder has now.
    cells : int
        All that the folder has now, of its plans.
    added : int
        Those that it did not have before.
    failed : int
        How many of all cells failed; they count as worst.
    verified : int
        How many were run again by who merges, with the same scores.
    notes : tuple of str
        What is to be known, one sentence each.
    """

    folder: Path
    solvers: tuple[str, ...]
    cells: int
    added: int
    failed: int
    verified: int
    notes: tuple[str, ...]


def merge(
    folders: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    own: Sequence[str | Path] = (),
    tell: Callable[[str], object] = warn,
) -> Merged:
    """Join results folders, after all that can be computed again was computed again.

    The first folder is that of a board, or of a run. It says the protocol: its plans, its data
    sets, and the limits of a cell. The data sets are read on this machine, by the names that the
    first folder has. Nothing that another folder names is executed.

    Parameters
    ----------
    folders : path or sequence of paths
        Results folders; all but the first one are written by `submit`.
    out : path
        A folder that is new or empty; or the first one, which then grows.
    own : sequence of paths
        Results folders of runs of your own. A cell that another folder has too is verified where
        your run has the same scores.
    tell : function (str) -> object
        Called with a sentence when it waits for a run into `out`; a warning otherwise.

    Raises
    ------
    DataError
        Where something does not fit: other data, another protocol, missing cells, a number that is
        not that of its scores, a name that two packages have, or a file that is no part of a
        submission. Then `out` is as it was.
    ParameterError
        Where `out` holds something else.
    """
    named = [folders] if isinstance(folders, str | Path) else [*folders]
    if not named:
        raise ParameterError("no folder was named; give one or more results folders")
    out = Path(out)
    grows = out.is_dir() and Path(named[0]).is_dir() and out.samefile(named[0])
    if not grows:
        require_new(out)
    opened = [Foreign(Path(one), own=number == 0) for number, one in enumerate(named)]
    mine = [Foreign(Path(one), own=True) for one in own]
    for one in mine:
        _require_run(one)
    with ExitStack() as until_written:
        if grows:
            store = until_written.enter_context(Store(out, create=True))
            until_written.enter_context(store.alone(tell))
        parts = parts_of([*opened, *mine])
        require_whole(parts)
        origins = Origins(parts, own=frozenset(range(len(opened), len(parts))), grows=grows)
        join = _Join(parts, origins, _looked_up(parts[0].plans))
        join.check()
        if not grows:
            store = until_written.enter_context(new_store(out))
        join.write(store)
        count = len(verified(store))
    return join.merged(out, count, len(parts[0].briefs) if grows else 0)


def _require_run(folder: Foreign) -> None:
    if folder.origins:
        raise DataError(
            f"{folder.folder} holds cells of other folders, and is named as a run of your own; "
            "name the folder into which you have run them"
        )


def _looked_up(plans: Sequence[Plan]) -> dict[tuple[str, Reading], Lookup]:
    """Read the data sets of plans on this machine."""
    known: dict[tuple[str, Reading], Lookup] = {}
    engine = LocalEngine(cores())
    with engine.opened() as supervisor:
        for plan in plans:
            new = tuple(name for name in plan.datasets if (name, plan.reading) not in known)
            if new:
                part = replace(plan, datasets=new, families={}, looks=None, reference=None)
                found = look_up_data(part, engine.on(supervisor))
                known |= {(name, plan.reading): found[name] for name in new}
    return known


@dataclass(slots=True)
class _Join:
    """Checks the cells of all parts, and writes those that the folder lacks."""

    parts: Sequence[Part]
    origins: Origins
    data: Mapping[tuple[str, Reading], Lookup]
    whose: dict[str, Part] = field(default_factory=dict)  # of whom each cell is taken, by its id
    unlike: Counter[str] = field(default_factory=Counter)  # cells with other scores, by solver
    copies: Copies = field(default_factory=Copies)

    def check(self) -> None:
        """Check all cells; raises as `merge`."""
        for number, part in enumerate(self.parts):
            for key in _in_order(part):
                if self.origins.known(number, key):
                    self.whose[key] = part
                    continue
                cell = self._checked(part, key)
                found = None if cell.arrays is None else hash_of_scores(cell.arrays)
                before = self.whose.setdefault(key, part)
                kept = found if before is part else self._again(before, part, cell, found)
                self.copies.add(cell.record, found, first=number == 0)
                self.origins.add(number, cell.record, found, kept)

    def write(self, store: Store) -> None:
        """Write cells after where they come from, so that none seems to be one's own; then plans.

        Those of the first folder come before: where it grows, they are one's own, or known.
        """
        targets = {one.fingerprint: one.target for one in self.data.values() if one.target}
        store.keep_targets({data: target.packed for data, target in targets.items()})
        about = {one.fingerprint: without_places(one.answer) for one in self.data.values()}
        store.keep_about(about)
        origins = self.origins.made()  # first: it may refuse a name
        self._write_part(store, 0)
        for origin in origins:
            keep_origin(store, origin)
        for number in range(1, len(self.parts)):
            self._write_part(store, number)
        for plan in (plan for part in self.parts for plan in part.plans):
            keep_plan(store, plan)

    def _write_part(self, store: Store, number: int) -> None:
        """Write the cells of a part that no part before it has."""
        part = self.parts[number]
        for key in _in_order(part):
            if self.whose[key] is part and not self.origins.known(number, key):
                cell = self._checked(part, key)
                packed = None if cell.arrays is None else pack_arrays(cell.arrays)
                store.write(without_private(cell.record), packed)

    def merged(self, out: Path, count: int, before: int) -> Merged:
        """Return what was written."""
        briefs = [part.briefs[key] for key, part in self.whose.items()]
        return Merged(
            folder=out,
            solvers=tuple(sorted({brief.cell.label for brief in briefs})),
            cells=len(briefs),
            added=len(briefs) - before,
            failed=sum(not brief.ok for brief in briefs),
            verified=count,
            notes=tuple(self._notes()),
        )

    def _checked(self, part: Part, key: str) -> Checked:
        record = part.folder.record(key)
        require_released(record, part.name)
        lookup = self.data[record.cell.dataset, record.cell.reading]
        assert lookup.target is not None  # else it would have been refused
        return checked(part.folder, record, lookup.fingerprint, lookup.target)

    def _again(self, before: Part, part: Part, cell: Checked, found: str | None) -> str | None:
        """Return the hash of the scores that are kept of a cell which two parts have.

        It is another one than that of this part where the scores are not the same.
        """
        first = self._checked(before, cell.record.id)
        kept = None if first.arrays is None else hash_of_scores(first.arrays)
        if kept == found or close(first.arrays, cell.arrays):
            return kept
        asked = cell.record.cell
        limited = asked.seconds is not None or asked.tune_seconds is not None
        if first.arrays is not None and cell.arrays is not None and not limited:
            aucs = [one.record.measures.auc for one in (first, cell)]
            raise DataError(
                f"{before.name} and {part.name} have other scores of {asked}, of AUC {aucs[0]} and "
                f"{aucs[1]}, by the same code, data and seed; one of them was altered, or the "
                "solver is not deterministic: run it again to know which, and leave one folder out"
            )
        self.unlike[asked.label] += 1
        return found

    def _notes(self) -> Iterator[str]:
        first = self.parts[0]
        for solver, lacking in sorted(missing(first, self.parts).items()):
            yield f"{lacking} cells of {solver} are not run yet in {first.name}"
        for part in self.parts:
            if part.others:
                many = f"{part.others} records of {part.name}"
                yield f"{many} are left out, since no plan asks for them"
        for solver, count in sorted(self.unlike.items()):
            yield (
                f"{count} cells of {solver} are not verified: they were run again, and either a "
                "limit of seconds ended them elsewhere, or they failed once"
            )
        yield from self.copies.notes()


def _in_order(part: Part) -> list[str]:
    """Return the ids of a part, those of one split beside each other."""
    return sorted(part.briefs, key=lambda key: IN_ORDER(part.briefs[key].cell))
