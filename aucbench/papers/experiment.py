"""An experiment of a paper: what is run, what the paper prints, and what it states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.store import Store
from aucbench.papers.measuring import kept
from aucbench.papers.parts import Claim, Entry, Measurement, Protocol, Scale
from aucbench.papers.results import Results, by_cell
from aucbench.sections import Chart, Table


def _nothing(_: Results) -> Sequence[Chart | Table | str]:
    return ()


def _no_claim(_: Results) -> Sequence[Claim]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A table or a figure of a paper.

    Attributes
    ----------
    paper, place : str
        Such as "spdam" and "table 3".
    title : str
        What it shows.
    scale, protocol :
        Of this experiment.
    notes : tuple of str
        Sentences: the protocol, what the paper leaves open, and what is smaller here.
    plans : tuple of Plan
        What the harness runs; their cells are different.
    measurements : tuple of Measurement
        What it runs besides.
    entries : tuple of Entry
        The numbers of the paper and ours.
    shown : function (Results) -> sequence of Chart, Table or str
        Drawings like those of the paper.
    claims : function (Results) -> sequence of Claim
        Statements of the paper, tested on the results.
    """

    paper: str
    place: str
    title: str
    scale: Scale
    protocol: Protocol
    notes: tuple[str, ...] = ()
    plans: tuple[Plan, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    entries: tuple[Entry, ...] = ()
    shown: Callable[[Results], Sequence[Chart | Table | str]] = _nothing
    claims: Callable[[Results], Sequence[Claim]] = _no_claim


Maker = Callable[[Scale, Protocol], Experiment]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A source paper.

    Attributes
    ----------
    name : str
        As the command takes it.
    title : str
        Of the paper.
    cite : str
        Its key in references.bib.
    experiments : mapping of str to Maker
        By place, such as "table 3", in the order of the paper.
    as_published : frozenset of str
        The places for which the protocol of the published code can be run too.
    """

    name: str
    title: str
    cite: str
    experiments: Mapping[str, Maker]
    as_published: frozenset[str] = frozenset()


def results_in(experiment: Experiment, store: Store) -> Results:
    """Return what a folder holds of an experiment; nothing is run, and nothing is looked up.

    Records count that were computed with other versions, and so do results of measurements. Where
    a cell or a measurement has more than one, that with the last id counts.
    """
    wanted = {cell for plan in experiment.plans for cell in plan.cells()}
    records = by_cell(r for r in store.records() if r.cell in wanted)
    measured = {one.name: one for one in kept(experiment.measurements, store.folder)}
    return Results(records, store, measured)
