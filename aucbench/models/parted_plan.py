"""When rows are read by parts, and what of a fit works then."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from aucbench.bench.options import Fits
from aucbench.bench.parted import MAPS, names_parts, why_too_large
from aucbench.bench.plan.plan import MEGABYTE
from aucbench.datasets.arrow import PARQUET
from aucbench.datasets.parted.footers import Footer
from aucbench.datasets.reading import Reading
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.models.choosing import GIANT, ModelPlan
from aucbench.models.options import AUTO, GROUPS, Aims, Carding, Making, Parting
from aucbench.registry import get_solver
from aucbench.registry.specs import parse_spec
from aucbench.solving.wrappers import why_not_parts

OWN = ("resume", "skip-bad", "shuffle")  # options of rows in parts only
AUTOMATIC = ("logistic", "svm-or", "ls-svm", "rank-svm")  # of which auto takes those by parts


def why_by_parts(source: Any, parting: Parting, memory: float | None) -> str | None:
    """Return in a sentence why a source is read by parts; None: it is read into memory.

    Parameters
    ----------
    source : str, path or table
    memory : float or None
        Megabytes that a fit may take; None: what is free now.

    Raises
    ------
    ParameterError
        When an option of parts is given and the source is read into memory, or cannot be.
    """
    sentence = _why(source, parting.by_parts, memory)
    if sentence is None:
        own = {name: getattr(parting, name.replace("-", "_")) for name in OWN}
        for name, given in {"engine": parting.engine != "here", **own}.items():
            if given:
                raise ParameterError(
                    f"--{name} is for rows that are read by parts, and these fit in memory; add "
                    f"--by-parts, or leave --{name} out"
                )
    return sentence


def in_order(solvers: Sequence[str], shuffle: str | None) -> tuple[str, ...]:
    """Return the solvers with the order of rows that is asked for.

    Raises
    ------
    UnsupportedError
        When one of them does not learn row by row.
    """
    if shuffle is None:
        return tuple(solvers)
    for solver in solvers:
        if solver == AUTO or not hasattr(get_solver(solver), "shuffle"):
            raise UnsupportedError(
                f"--shuffle {shuffle} is for solvers that learn row by row, such as uni-exp, and "
                f"{solver} is none; leave it out"
            )
    specs = map(parse_spec, solvers)
    order = {"shuffle": shuffle == GROUPS}
    return tuple(str(replace(spec, params={**spec.params, **order})) for spec in specs)


def _why(source: Any, asked: bool | None, memory: float | None) -> str | None:
    if not isinstance(source, str | os.PathLike):
        if asked:
            raise ParameterError(
                "a table in memory is not read by parts; give the path of files, or leave by_parts "
                "out"
            )
        return None
    if names_parts(os.fspath(source)):
        if asked is False:
            raise ParameterError(
                f"{source} names several files, which are read by parts only; name one file, or "
                "leave --no-by-parts out"
            )
        return f"{source}: the files are read in parts, again and again"
    if asked is not None:
        return f"{source} is read in parts, again and again" if asked else None
    return why_too_large(Path(source), None if memory is None else int(memory * MEGABYTE))


def hint(
    source: str, making: Making, fits: Fits, reading: Reading, carding: Carding, parting: Parting
) -> str | None:
    """Return in a sentence that a fit in memory would be faster by parts; None where it is not.

    It is for large Parquet files, where all that is asked for works by parts.
    """
    path = Path(source)
    if parting.by_parts is False or path.suffix.lower() != PARQUET or not path.is_file():
        return None
    footer = Footer.of(path)
    if sum(footer.rows) * len(footer.fields) < GIANT or making.solver == (AUTO,):
        return None
    try:
        require_by_parts(making, fits, reading, carding)
    except UnsupportedError:
        return None
    return (
        f"{source}: --by-parts takes a part of the time and of the memory for a file of this size, "
        "if no cell is missing; --no-by-parts leaves this line out"
    )


def plan_of(
    source: str, making: Making, aims: Aims, fits: Fits, reading: Reading, carding: Carding
) -> ModelPlan:
    """Return the plan for the options of a fit by parts.

    Raises
    ------
    UnsupportedError
        When something that is asked for does not work by parts.
    """
    require_by_parts(making, fits, reading, carding)
    if making.solver == (AUTO,):
        known = [name for name in AUTOMATIC if why_not_parts(get_solver(name)) is None]
        making = replace(making, solver=tuple(known), tune=bool(making.tune))
    return replace(ModelPlan.of(source, making, aims, fits, reading), minutes=None)


def require_by_parts(making: Making, fits: Fits, reading: Reading, carding: Carding) -> None:
    """Raise `UnsupportedError` when something that is asked for does not work by parts."""
    asked = {
        "--pairs": making.pairs is not None,
        "--monotone": making.monotone is not None,
        "--minutes": making.minutes is not None,
        "--scorecard": bool(carding.scorecard),
        "--splits": fits.splits is not None,
        "--test": reading.test is not None,
        "--groups": reading.groups is not None,
        "--time": reading.time is not None,
        "--weights": reading.weights is not None,
        "--labels": reading.labels != "two",
        "--time-to-event": reading.event is not None,
    }
    if named := [name for name, given in asked.items() if given]:
        raise UnsupportedError(
            f"{', '.join(named)} cannot be had when rows are read by parts; leave it out, or fit "
            "to a file that is read into memory"
        )
    if making.features not in MAPS:
        raise UnsupportedError(
            f"--features {making.features} learns from rows in memory; by parts take one of "
            f"{', '.join(MAPS)}"
        )
    for spec in making.solver:
        if spec != AUTO and (why := why_not_parts(get_solver(spec))):
            raise UnsupportedError(why)
