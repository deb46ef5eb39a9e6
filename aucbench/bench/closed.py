"""What solvers cannot read while they run: the files that may hold labels of test rows.

Closed are the caches of aucbench, the folder of data sets, the files that a plan names, and its
results folder; on other hosts too, where they have the same paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from aucbench.bench.engines.local import FOLDERS, HIDDEN
from aucbench.bench.plan.plan import Plan
from aucbench.processes.records import Fence
from aucbench.registry.specs import in_file, joined_specs, parse_spec
from aucbench.store.folder import MARKER

KNOWN = (*(f"${name}" for name in FOLDERS), "$XDG_CACHE_HOME/aucbench", "~/.cache/aucbench")


def fence_of(plan: Plan, *folders: Path) -> Fence:
    """Return what the cells of a plan are kept from; `folders` are further ones that are closed."""
    here = (os.environ[name] for name in FOLDERS if name in os.environ)
    places = (*map(Path, here), *folders, *_files(plan))
    closed = dict.fromkeys(str(place.expanduser().absolute()) for place in places)
    code = dict.fromkeys(str(file.expanduser().absolute().parent) for file in _plugins(plan))
    return Fence((*KNOWN, *closed), tuple(code), (MARKER,), HIDDEN)


def _files(plan: Plan) -> Iterator[Path]:
    """Yield the files of the data sets that are given by their paths."""
    from aucbench.datasets.sources import File

    named = (parse_spec(dataset).name for dataset in plan.datasets)
    for name in (*named, *([plan.reading.test] if plan.reading.test else [])):
        path = Path(name)
        if path.is_file():
            yield from File(path).files()


def _plugins(plan: Plan) -> Iterator[Path]:
    """Yield the files with plugins that the plan names."""
    maps = (part for spec in plan.features for part in joined_specs(spec))
    others = filter(None, (plan.objective, plan.projector))
    specs = (parse_spec(text) for text in chain(maps, others, plan.datasets))
    for spec in chain((choice.spec for choice in plan.solvers), specs):
        if (place := in_file(spec.name)) is not None:
            yield place[0]
