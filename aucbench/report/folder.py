"""Read the evidence of a results folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aucbench.bench.cell import Cell
from aucbench.bench.overview import wanted_ids
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plans
from aucbench.bench.results.store import Store
from aucbench.errors import AucbenchError
from aucbench.report.evidence import Evidence, evidence_of


class FolderReader:
    """Reads a results folder.

    With `stale`, records of the plans count whose data, plugin or aucbench has changed since.
    """

    def __init__(self, folder: Path, *, stale: bool = False) -> None:
        self.folder = folder
        self._stale = stale

    def read(self) -> Evidence:
        """Return what the folder holds; stale records are left out and counted.

        Where the plans cannot be looked up, because a data set or a plugin is not on this machine,
        `Evidence.unchecked` says so and all records count.
        """
        store = Store(self.folder)
        texts = store.plans()
        plans = parse_plans(texts)
        wanted, unchecked = self._look_up(store, plans)
        evidence = evidence_of(
            store.records(),
            plans,
            wanted=wanted,
            scores=lambda fit: store.scores(fit.id, fit.data),
            about=store.about,
        )
        return replace(
            evidence,
            plans={path.name: text for path, text in texts.items()},
            unchecked=unchecked,
            problems=store.problems,
        )

    def _look_up(self, store: Store, plans: Sequence[Plan]) -> tuple[Mapping[Cell, str], str]:
        """Return the ids that count, and why they are not known; none if stale ones count too."""
        if self._stale:
            return {}, ""
        try:
            return wanted_ids(plans), ""
        except AucbenchError as error:
            return {}, str(error)
