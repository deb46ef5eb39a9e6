"""Read the evidence of a results folder, again and again while a run goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aucbench.bench.cell import Cell
from aucbench.bench.overview import counted_ids
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plans
from aucbench.bench.results.store import Store
from aucbench.errors import AucbenchError
from aucbench.report.evidence import Evidence, evidence_of


class FolderReader:
    """Reads a results folder; its plans are looked up once, as long as they stay the same.

    With `stale`, records of the plans count whose data, plugin or aucbench has changed since.
    """

    def __init__(self, folder: Path, *, stale: bool = False) -> None:
        self.folder = folder
        self._stale = stale
        self._known: tuple[dict[Path, str], Mapping[Cell, str], str] | None = None

    @property
    def version(self) -> str:
        """A text that changes when the folder does."""
        parts = [self.folder / name for name in ("plans", "targets", "cells")]
        parts += sorted((self.folder / "cells").glob("??"))
        return ",".join(str(part.stat().st_mtime_ns) for part in parts if part.exists())

    def read(self) -> Evidence:
        """Return what the folder holds; stale records are left out and counted.

        Where the plans cannot be looked up, because a data set or a plugin is not on this machine,
        `Evidence.unchecked` says so and all records count.
        """
        store = Store(self.folder)
        texts = store.plans()
        plans = parse_plans(texts)
        wanted, unchecked = self._look_up(store, texts, plans)
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

    def _look_up(
        self, store: Store, texts: dict[Path, str], plans: Sequence[Plan]
    ) -> tuple[Mapping[Cell, str], str]:
        """Return the ids that count, and why they are not known; none if stale ones count too."""
        if self._stale:
            return {}, ""
        if store.origins():  # where nothing is looked up, so that nothing needs to be kept
            return counted_ids(store, plans), ""
        if self._known is None or self._known[0] != texts:
            try:
                self._known = texts, counted_ids(store, plans), ""
            except AucbenchError as error:
                self._known = texts, {}, str(error)
        return self._known[1:]
