"""`merge`: join results folders, and refuse what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from warnings import warn

from aucbench.bench.joining.cells import Cells
from aucbench.bench.joining.foreign import Foreign
from aucbench.bench.joining.here import Here
from aucbench.bench.joining.origins_in import Origins
from aucbench.bench.joining.parts import missing, parts_of, require_whole
from aucbench.bench.joining.refusals import ask_each
from aucbench.bench.joining.submitting import new_store
from aucbench.bench.joining.writing import write
from aucbench.bench.results.origins import verified
from aucbench.bench.results.store import Store
from aucbench.errors import DataError, ParameterError
from aucbench.store.trees import require_new


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
    grows = _is(named[0], out)
    if not grows:
        require_new(out)
    with ExitStack() as until_written:
        if grows:  # its lock comes first: until then, others may merge into it
            store = until_written.enter_context(Store(out))
            until_written.enter_context(store.alone(tell))
        opened = _opened(named, own, out)
        cells = _checked(opened, range(len(named), len(opened)), grows=grows)
        if not grows:
            store = until_written.enter_context(new_store(out))
        write(cells, store)
        count = len(verified(store))
    return _merged(cells, out, count, len(cells.parts[0].briefs) if grows else 0)


def _is(folder: str | Path, out: Path) -> bool:
    """Whether a folder is that into which is merged."""
    return out.is_dir() and Path(folder).is_dir() and out.samefile(folder)


def _opened(named: Sequence[str | Path], own: Sequence[str | Path], out: Path) -> list[Foreign]:
    """Return the folders, those of runs of one's own last; of `out`, this process has the lock."""
    mine = {0, *range(len(named), len(named) + len(own))}
    opened = ask_each(
        (number, partial(Foreign, Path(one), own=number in mine, locked=_is(one, out)))
        for number, one in enumerate([*named, *own])
    )
    ask_each(
        (number, partial(_require_run, one))
        for number, one in enumerate(opened)
        if number >= len(named)
    )
    return opened


def _checked(opened: Sequence[Foreign], own: Collection[int], *, grows: bool) -> Cells:
    """Return the cells of all folders, after all checks: those first that take least time."""
    parts = parts_of(opened, grows=grows)
    require_whole(parts)
    origins = Origins(parts, own=own, grows=grows)
    ask_each((number, partial(origins.require_names, number)) for number in range(len(parts)))
    cells = Cells(parts, origins, Here(parts[0].plans))
    cells.check()
    return cells


def _require_run(folder: Foreign) -> None:
    if folder.origins:
        raise DataError(
            f"{folder.folder} holds cells of other folders, and is named as a run of your own; "
            "name the folder into which you have run them"
        )


def _merged(cells: Cells, out: Path, count: int, before: int) -> Merged:
    """Return what was written: `count` cells are verified, and there were so many before."""
    briefs = [cells.parts[number].briefs[key] for key, number in cells.first.items()]
    return Merged(
        folder=out,
        solvers=tuple(sorted({brief.cell.label for brief in briefs})),
        cells=len(briefs),
        added=len(briefs) - before,
        failed=sum(not brief.ok for brief in briefs),
        verified=count,
        notes=tuple(_notes(cells)),
    )


def _notes(cells: Cells) -> Iterator[str]:
    first = cells.parts[0]
    for solver, lacking in sorted(missing(first, cells.parts).items()):
        yield f"{lacking} cells of {solver} are not run yet in {first.name}"
    for part in cells.parts:
        if part.others:
            many = f"{part.others} records of {part.name}"
            yield f"{many} are left out, since no plan asks for them"
    for solver, count in sorted(cells.unlike.items()):
        yield (
            f"{count} cells of {solver} are not verified: they were run again, and either a "
            "limit of seconds ended them elsewhere, or they failed once"
        )
    yield from cells.copies.notes()
