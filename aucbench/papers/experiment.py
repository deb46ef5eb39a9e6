"""An experiment of a paper: what is run, what the paper prints, and what it states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.store import Store
from aucbench.papers.measuring import measured_in
from aucbench.papers.parts import Claim, Entry, Measurement, Protocol, Scale
from aucbench.papers.results import Results, by_cell
from aucbench.report.sections import Chart, Table

Shown = Sequence[Chart | Table | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A table or a figure of a paper, at a scale and with a protocol."""

    paper: str = ""  # this and the next three are filled in by `Paper.experiment`
    place: str = ""  # such as "table 3"
    scale: Scale = Scale.QUICK
    protocol: Protocol = Protocol.CLEAN
    title: str
    # Sentences: the protocol, what the paper leaves open, and what is smaller here.
    notes: tuple[str, ...] = ()
    plans: tuple[Plan, ...] = ()  # what the harness runs; their cells are different
    measurements: tuple[Measurement, ...] = ()  # what it runs besides
    entries: tuple[Entry, ...] = ()
    shown: Callable[[Results], Shown] = lambda _: ()  # drawings like those of the paper
    claims: Callable[[Results], Sequence[Claim]] = lambda _: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A source paper; its experiments are by place, in the order of the paper."""

    name: str  # as the command takes it
    title: str
    cite: str  # its key in references.bib
    experiments: Mapping[str, Callable[[Scale, Protocol], Experiment]]
    # The places for which the protocol of the published code can be run too.
    as_published: frozenset[str] = frozenset()

    def experiment(self, place: str, scale: Scale, protocol: Protocol) -> Experiment:
        """Return the experiment of a place."""
        experiment = self.experiments[place](scale, protocol)
        return replace(experiment, paper=self.name, place=place, scale=scale, protocol=protocol)


def results_in(experiment: Experiment, store: Store) -> Results:
    """Return what a folder holds of an experiment; nothing is run, and nothing is looked up.

    Records count that were computed with other versions, and so do results of measurements. Where
    a cell or a measurement has more than one, that with the last id counts.
    """
    wanted = {cell for plan in experiment.plans for cell in plan.cells()}
    records = by_cell(r for r in store.records() if r.cell in wanted)
    known = measured_in(store.folder) if experiment.measurements else []
    measured = {
        asked.name: replace(one, name=asked.name)
        for one in known
        for asked in experiment.measurements
        if one.answers(asked)
    }
    return Results(records, store, measured)
