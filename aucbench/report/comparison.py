"""`compare`: make a plan from arguments and run it on this host, for use from Python.

Design
  a. What was found is computed when it is asked for. The scores of the test rows are kept in
     memory for it, since the folder may be a temporary one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from aucbench.bench.addons import supervised
from aucbench.bench.engines import make_engine
from aucbench.bench.inline import named_solvers
from aucbench.bench.measuring import measure_of
from aucbench.bench.plan.fields import DEFAULT_TIMEOUT, choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.convergence import Optima, flat_row
from aucbench.bench.results.export import flat
from aucbench.bench.results.metrics import measured_values
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.bench.runner import run
from aucbench.bench.worker.rows import data_hash, save_data
from aucbench.data import Data
from aucbench.datasets.reading import Reading
from aucbench.errors import ParameterError, require_at_least
from aucbench.processes import proc
from aucbench.processes.scratch import Scratch
from aucbench.ranges import GAP_TOL
from aucbench.registry.specs import INLINE_MARK, split_specs
from aucbench.stats.words import ROPE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from aucbench.protocols import Solver
    from aucbench.registry.specs import Spec
    from aucbench.report.findings import Findings

SHOWN = 8  # digits of the hash of a data set
Scores = Mapping[str, "NDArray[Any]"]
PLAIN_READING = Reading()


def compare(
    solvers: str | Solver | Iterable[str | Spec | Solver],
    data: str | Data | Iterable[str | Data],
    *,
    features: str | Iterable[str] = "auto",
    objective: str | None = None,
    projector: str | None = None,
    reading: Reading = PLAIN_READING,
    splits: int | None = None,
    repeats: int = 1,
    passes: float | None = None,
    seconds: float | None = None,
    gap_tol: float = GAP_TOL,
    seed: int = 0,
    tune: bool = False,
    timeout: float = DEFAULT_TIMEOUT,
    memory: float | None = None,
    holdout: float | None = None,
    jobs: int | None = None,
    out: Path | None = None,
    metrics: str | Iterable[str] = "auc",
    rope: float = ROPE,
) -> Results:
    """Fit every solver on every split of every data set, each in its own process.

    Parameters
    ----------
    solvers : str, Solver or iterable of str, Spec and Solver
        Specifications as `sht-auc[k=50,blocks=4],logistic`, and instances such as
        `HeavyBall(beta=0.5)`, whose class need not be in a plugin.
    data : str, Data or iterable of str and Data
        Specifications, files, or URLs with `#sha256=`, and rows in memory.
    features : str or iterable of str
        Feature maps, fitted on the training rows; `maxabs+nystroem[rank=50]` applies the second
        after the first. Every solver runs with each of them.
    tune : bool
        Tune each solver over its published grid, on the training rows only.
    timeout : float
        Seconds of wall time of a cell; 0: no limit.
    memory : float, optional
        Megabytes of a cell; see `Plan`.
    jobs : int, optional
        Cells that run at once. Default: the number of cores.
    out : Path, optional
        Folder that keeps the results; cells that are in it already are not run again.
    metrics : str or iterable of str
        Such as `auc,brier`, see `aucbench.stats.measure`, or metrics of plugins. The verdict is
        on the first one.
    rope : float
        Differences up to this size are practically zero.
    reading : Reading
        How data sets that are files are read, such as `Reading(target="outcome")`.
    objective, projector, splits, holdout, repeats, passes, seconds, gap_tol, seed :
        See `Plan`.

    Returns
    -------
    Results
        A tuple of `Record`: one for each cell, failed or not, in the order of the plan. It has
        the verdict too: `answer`, `table` and `findings`.

    Raises
    ------
    AucbenchError
        Before the first fit, when the arguments make no sense.
    """
    if proc.SUPERVISOR_VARIABLE in os.environ:
        raise ParameterError(
            "compare was called while a run imports this file; put the call under "
            "if __name__ == '__main__':"
        )
    measures = tuple(measure_of(spec).name for spec in _specs(metrics))
    if not measures:
        raise ParameterError("there is no metric; give one, such as auc")
    require_at_least(0.0, rope=rope)
    specs, inline = named_solvers([solvers] if hasattr(solvers, "problem") else _specs(solvers))
    sets = [(_called(one), one) for one in ([data] if isinstance(data, Data) else _specs(data))]
    plan = Plan(
        tuple(name for name, _ in sets),
        choices(specs, tune=tune),
        _specs(features),
        objective,
        projector,
        reading,
        splits,
        repeats,
        (seed,),
        passes,
        seconds,
        gap_tol,
        timeout=timeout,
        memory=memory,
        holdout=holdout,
    )
    with ExitStack() as stack:
        folder = out or stack.enter_context(Scratch()).path / "out"
        store = stack.enter_context(Store(folder, create=True))
        order = {cell: number for number, cell in enumerate(plan.cells())}
        if held := {name: one for name, one in sets if isinstance(one, Data)}:
            inline = replace(inline, datasets=_saved(held, stack.enter_context(Scratch()).path))
        ran = run(plan, store, make_engine(jobs=jobs), inline=inline)
        records = sorted(ran, key=lambda record: order[record.cell])
        every = {record.id: store.scores(record.id, record.sizes.data) for record in records}
        scores = {number: arrays for number, arrays in every.items() if arrays is not None}
        return Results(records, scores, measures, rope)


class Results(tuple[Record, ...]):
    """The records of a comparison, in the order of its plan, and what they say.

    Parameters
    ----------
    records : iterable of Record
    scores : mapping of str to mapping of str to array
        As `Store.scores`, by the id of the record.
    measures : tuple of str
        Names; the verdict is on the first one.
    rope : float
        Half the width of the region of practical equivalence.

    All that it returns raises `DataError` when there is no record, or none has what the measure
    needs.
    """

    _scores: Mapping[str, Scores]
    _measures: tuple[str, ...]
    _rope: float

    def __new__(
        cls,
        records: Iterable[Record] = (),
        scores: Mapping[str, Scores] | None = None,
        measures: Sequence[str] = ("auc",),
        rope: float = ROPE,
    ) -> Self:
        """Make a tuple of the records."""
        results = super().__new__(cls, records)
        results._scores, results._measures, results._rope = scores or {}, tuple(measures), rope
        return results

    def answer(self) -> str:
        """Return the recommendation in words, a sentence on each line."""
        from aucbench.report.terminal import sentences

        return "\n".join(sentences(self.findings))

    def table(self) -> str:
        """Return a table for each data set, as `aucbench compare` prints it."""
        from aucbench.report.document import text
        from aucbench.report.findings import means_of
        from aucbench.report.terminal import tables

        others = [means_of(self.findings.evidence, name) for name in self._measures[1:]]
        return text(tables(self.findings, others))

    @cached_property
    def findings(self) -> Findings:
        """All that the statistics say: values, intervals, pairs with their words, ranks, advice."""
        from aucbench.report.evidence import evidence_of
        from aucbench.report.findings import Settings, findings_of

        evidence = evidence_of(self, scores=lambda fit: self._scores.get(fit.id))
        return findings_of(evidence, Settings(measure=self._measures[0], rope=self._rope))

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with a row for each cell and a column for each plain field.

        The columns are those of `--json`; hyperparameters, conditions and the machine have a
        column for each entry, such as `parameters.k`. Each measure has a column.
        """
        from pandas import DataFrame

        optima = Optima(self)
        measures = [measure_of(name) for name in self._measures]
        with supervised():
            rows = [
                flat(flat_row(record, optima))
                | measured_values(self._scores.get(record.id), measures)
                for record in self
            ]
        return DataFrame(rows)


def _specs(specs: Any) -> tuple[Any, ...]:
    return tuple(split_specs(specs) if isinstance(specs, str) else specs)


def _called(one: Any) -> str:
    """Return how a plan names a data set: rows in memory by their hash."""
    if isinstance(one, Data):
        return f"data-{data_hash(one)[:SHOWN]}{INLINE_MARK}"
    if isinstance(one, str):
        return one
    raise ParameterError(f"got {one!r} as a data set, wanted a name or Data.of(X, y)")


def _saved(held: Mapping[str, Data], folder: Path) -> dict[str, str]:
    """Write rows in memory into a folder, for the workers; return their folders."""
    places = {name: folder / str(number) for number, name in enumerate(held)}
    for name, place in places.items():
        save_data(held[name], place)
    return {name: str(place) for name, place in places.items()}
