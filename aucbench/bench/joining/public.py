"""What others can have: data sets by name, and code of packages."""

from __future__ import annotations

from collections.abc import Iterator

from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record
from aucbench.errors import DataError
from aucbench.registry.specs import INLINE_MARK, Spec, in_file, joined_specs, parse_spec


def require_public(plan: Plan, folder: str) -> None:
    """Raise `DataError` where a plan names data or code that only one machine has.

    No file is read, and no plugin imported. `folder` is what to call the folder of the plan.
    """
    from aucbench.datasets.addresses import is_url
    from aucbench.datasets.catalogue import entries
    from aucbench.datasets.collections import member_of
    from aucbench.datasets.located import names_file

    for kind, spec in _named(plan):
        name = spec.name if isinstance(spec, Spec) else parse_spec(spec).name
        if name.endswith(INLINE_MARK) or in_file(name) is not None:
            raise DataError(
                f"{folder}: the {kind} {spec} is code of one machine, which others cannot have; "
                "put it into a package (`aucbench new`), and run it by its name"
            )
        if kind != "data set" or is_url(name) or member_of(name) is not None or name in entries():
            continue
        if names_file(name):
            raise DataError(
                f"{folder}: the data set {spec} is a file of one machine, so that nobody else can "
                "compute its results again; take data sets by name, or by https address"
            )
    if plan.reading.test is not None:
        raise DataError(
            f"{folder}: its test rows are the file {plan.reading.test} of one machine, so that "
            "nobody else can compute its results again; let splits divide the rows"
        )


def require_released(record: Record, folder: str) -> None:
    """Raise `DataError` where a cell was computed by code that is in no package."""
    own = [top for top, one in record.imports.items() if "distribution" not in one]
    if own or (record.ok and record.plugin is None):
        which = f"imported {own[0]}, which is" if own else "came from code that is"
        raise DataError(
            f"{folder}: {record.cell} {which} in no package, so that others cannot have it; put "
            "it into the package of the solver, and run the plan again"
        )


def _named(plan: Plan) -> Iterator[tuple[str, Spec | str]]:
    yield from (("solver", choice.spec) for choice in plan.solvers)
    yield from (("data set", dataset) for dataset in plan.datasets)
    for spec in plan.features:
        yield from (("feature map", part) for part in joined_specs(spec))
    replaced = (("objective", plan.objective), ("projector", plan.projector), ("pairs", plan.pairs))
    yield from ((kind, spec) for kind, spec in replaced if spec is not None)
