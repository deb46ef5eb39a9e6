"""The tasks of a board: the facts of each data set, and the bins of the filters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aucbench.data.understood import by_kind
from aucbench.registry.specs import bare
from aucbench.report.evidence import Evidence
from aucbench.report.fits import Fit
from aucbench.report.site.names import file_name
from aucbench.report.site.sources import Source, source_of

NUMERIC = "numeric"  # the kind of a column of numbers, see `aucbench.data.understood`
NUMBERS, MIXED, CATEGORIES = "numbers", "mixed", "categories"
# Upper ends of the bins of the filters, and how they are called.
ROWS = ((500, "up to 500 rows"), (2_000, "to 2 000"), (10_000, "to 10 000"), (None, "above 10 000"))
SHARES = ((0.05, "up to 5 %"), (0.2, "to 20 %"), (0.4, "to 40 %"), (None, "above 40 %"))
KINDS = (NUMBERS, MIXED, CATEGORIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A data set of a board; None and empty texts stand for what is not known."""

    number: int  # in the evidence
    name: str
    file: str  # of its page, without ending
    spec: str  # as a plan names it; of a file without its folder
    family: str | None
    rows: int | None
    features: int | None
    positives: int | None
    kind: str  # numbers, mixed or categories
    hash: str  # of the data, as records have it
    counts: bool  # in what is said across data sets
    source: Source
    facts: tuple[str, ...]  # label, classes, columns that are left out
    remarks: tuple[str, ...]  # what may be wrong with it

    @property
    def share(self) -> float | None:
        """Share of positive rows."""
        if self.positives is None or not self.rows:
            return None
        return self.positives / self.rows

    @property
    def bins(self) -> tuple[int | None, int | None, int | None]:
        """The numbers of its bins: rows, share of positives, kind."""
        kind = KINDS.index(self.kind) if self.kind in KINDS else None
        return _bin(self.rows, ROWS), _bin(self.share, SHARES), kind


def tasks_of(evidence: Evidence) -> tuple[Task, ...]:
    """Return the tasks of a board, in the order of the evidence."""
    return tuple(_task(evidence, number) for number in range(len(evidence.datasets)))


def _task(evidence: Evidence, number: int) -> Task:
    fit = next(_fits(evidence, number), None)
    about = evidence.told(number) or {}
    understood = evidence.understood(number)
    name = evidence.datasets[number]
    spec = fit.cell.dataset if fit is not None and fit.cell is not None else ""
    return Task(
        number=number,
        name=name,
        file=file_name(name),
        spec=bare(spec),
        family=evidence.families[number] if evidence.families else None,
        rows=about.get("n", _rows(fit)),
        features=about.get("d"),
        positives=about.get("n_pos"),
        kind=_kind(understood.kinds) if about else "",
        hash=fit.data if fit else "",
        counts=number in evidence.finished,
        source=source_of(spec) if spec else Source(),
        facts=tuple(understood.facts()),
        remarks=tuple(by_kind(understood.remarks)),
    )


def _fits(evidence: Evidence, number: int) -> Iterator[Fit]:
    """Yield the fits of a data set, those first that say which data they used."""
    fits = [fit for _, group in evidence.row(number) for fit in group.fits.values()]
    yield from sorted(fits, key=lambda fit: not fit.data)


def _rows(fit: Fit | None) -> int | None:
    if fit is None or not fit.n_train + fit.n_test > 0:
        return None
    return int(fit.n_train + fit.n_test)


def _kind(kinds: Mapping[str, int]) -> str:
    """Return the kind of the features; what is no table has numbers only."""
    numeric = kinds.get(NUMERIC, 0)
    others = sum(kinds.values()) - numeric
    return (MIXED if numeric else CATEGORIES) if others else NUMBERS


def _bin(value: float | None, bins: tuple[tuple[float | None, str], ...]) -> int | None:
    if value is None:
        return None
    return next(k for k, (end, _) in enumerate(bins) if end is None or value <= end)
