"""The papers by name, and the choice of their experiments."""

from __future__ import annotations

from importlib import import_module

from aucbench.errors import ParameterError, UnknownNameError
from aucbench.papers.experiment import Experiment, Paper
from aucbench.papers.parts import Protocol, Scale

_HOMES = {  # the module of each paper, which is imported when it is asked for
    name: f"aucbench.papers.{name.replace('-', '_')}"
    for name in ("aum", "roc-svm", "sht-auc", "spdam")
}


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
