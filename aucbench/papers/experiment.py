"""The papers by name, and their experiments: what is run, what is printed, and what is stated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module

from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.store import Store
from aucbench.errors import ParameterError, UnknownNameError
from aucbench.papers.measuring import measured_in
from aucbench.papers.parts import Claim, Entry, Measurement, Protocol, Scale
from aucbench.papers.results import Results, by_cell
from aucbench.report.chart import Chart
from aucbench.report.grid import Grid

Shown = Sequence[Chart | Grid | str]
_HOMES = {  # the module of each paper, which is imported when it is asked for
    name: f"aucbench.papers.{name.replace('-', '_')}"
    for name in ("aum", "roc-svm", "sht-auc", "spdam")
}


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
    experiments: Mapping[str, Callable[[Scale, Protocol], Experiment]]
    # The places for which the protocol of the published code can be run too.
    as_published: frozenset[str] = frozenset()

    def experiment(self, place: str, scale: Scale, protocol: Protocol) -> Experiment:
        """Return the experiment of a place."""
        experiment = self.experiments[place](scale, protocol)
        return replace(experiment, paper=self.name, place=place, scale=scale, protocol=protocol)


def paper_names() -> tuple[str, ...]:
    """Return the names of the papers, sorted."""
    return tuple(sorted(_HOMES))


def paper(name: str) -> Paper:
    """Return a paper by its name.

    Raises
    ------
    UnknownNameError
        When there is none of this name.
    """
    if name not in _HOMES:
        raise UnknownNameError("paper", name, _HOMES)
    known: Paper = import_module(_HOMES[name]).PAPER
    return known


def experiments(
    chosen: Paper,
    *,
    table: int | None = None,
    figure: int | None = None,
    scale: Scale = Scale.QUICK,
    protocol: Protocol = Protocol.CLEAN,
) -> tuple[Experiment, ...]:
    """Return a table or a figure of a paper, or all that can be repeated.

    Raises
    ------
    ParameterError
        When the paper has no such table or figure here, or when the protocol of the published
        code is asked for where it is the same, or not known.
    """
    if table is not None and figure is not None:
        raise ParameterError("give a table or a figure, not both; without either all are run")
    places = [*chosen.experiments]
    if table is not None or figure is not None:
        place = f"table {table}" if table is not None else f"figure {figure}"
        if place not in places:
            raise ParameterError(
                f"{chosen.name} has no {place} here; there are {', '.join(places)}"
            )
        places = [place]
    if protocol is Protocol.AS_PUBLISHED:
        known = [place for place in places if place in chosen.as_published]
        if not known:
            which = ", ".join(sorted(chosen.as_published)) or "none"
            raise ParameterError(
                f"--protocol as-published is not known for {', '.join(places)} of {chosen.name}; "
                f"it is for: {which}"
            )
        places = known
    return tuple(chosen.experiment(place, scale, protocol) for place in places)


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
