"""Where a run stands: interim, before a look of its plan, stopped at one, or at its end."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from aucbench.bench.looks import Watch
from aucbench.bench.plan.looks import in_order, looks_of

if TYPE_CHECKING:
    from aucbench.report.evidence import Evidence
    from aucbench.stats.looks import Look

Key = TypeVar("Key", bound=tuple[object, ...])
Value = TypeVar("Value", bound=Collection[object])


@dataclass(frozen=True, slots=True)
class Looked:
    """The looks of a plan, and how far they are.

    Attributes
    ----------
    looks : tuple of Look
        Those that are planned.
    look : Look or None
        The last one whose data sets are finished; what is said across data sets is said of these.
    datasets : frozenset of str
        These data sets.
    stopped : bool
        Whether the run ends at this look.
    spared : int
        Cells that are not run because of that.
    """

    looks: tuple[Look, ...]
    look: Look | None
    datasets: frozenset[str]
    stopped: bool
    spared: int = 0

    @staticmethod
    def of(watch: Watch) -> Looked:
        """Return where a plan stands by its records."""
        stop = watch.stopped()
        passed = watch.passed()
        look = stop or (passed[-1] if passed else None)
        order = in_order(watch.plan)[: look.data_sets if look else 0]
        return Looked(looks_of(watch.plan), look, frozenset(order), stop is not None)

    def without_spared(self, planned: Mapping[Key, Value]) -> tuple[dict[Key, Value], int]:
        """Return what is planned of data sets that are run, and the number of the other cells.

        `planned` has the folds of each data set and solver; keys begin with those of data sets.
        """
        if not self.stopped:
            return {**planned}, 0
        run = {key: folds for key, folds in planned.items() if key[0][0] in self.datasets}  # type: ignore[index]
        return run, sum(len(folds) for key, folds in planned.items() if key not in run)

    @property
    def mark(self) -> str:
        """In three words where it has stopped; empty if it has not."""
        return f"stopped at {self.look}" if self.stopped else ""

    def sentence(self, pending: int) -> str:
        """Say where it stands, with that many cells left to run."""
        if self.look is None:
            of, first = len(self.looks), self.looks[0].data_sets
            return f"The first of {of} looks is at {first} data sets; before it nothing is said."
        counts = f"a difference counts there if p < {self.look.bound:.2g}"
        if self.stopped:
            return (
                f"Stopped at {self.look}, as planned: {counts}, and {self.spared} cells were not "
                "run."
            )
        if pending:
            at = f"{self.look}, after {self.look.data_sets} data sets"
            return f"What is said across data sets is that of {at}: {counts}."
        return f"At {self.look}, as planned: {counts}."


def state_of(evidence: Evidence) -> str:
    """Say why there are no more results; nothing if the run has ended as planned."""
    told = []
    if evidence.pending:
        total = sum(group.planned for group in evidence.groups.values())
        told.append(
            f"Interim: the run has not ended, and {evidence.pending} of {total} cells were not run "
            "yet."
        )
    if evidence.looked is not None:
        told.append(evidence.looked.sentence(evidence.pending))
    return " ".join(told)


def left_out_of(evidence: Evidence) -> str:
    """Say which data sets do not count in what is said across data sets; nothing if all do."""
    waiting = {dataset for (dataset, _), group in evidence.groups.items() if group.pending}
    others = len(evidence.datasets) - len(evidence.complete) - len(waiting)
    early = len(evidence.complete) - len(evidence.finished)
    count, sentences = len(evidence.datasets), []
    if waiting:
        sentences.append(
            f"{len(waiting)} of {count} data sets have cells that were not run yet, and are left "
            "out of what is said across data sets."
        )
    if early:
        sentences.append(
            f"{early} of {count} data sets are finished before their look, and wait for it."
        )
    if others:
        sentences.append(
            f"On {others} of {count} data sets some solvers were not planned; these data sets are "
            "left out of what is said across data sets."
        )
    return " ".join(sentences)
