"""The verdict on results by item, such as 0 or 1 for each question or issue and method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aucbench.judging.values import Values
from aucbench.stats.best_set import BestSet, RankSets
from aucbench.stats.items import ItemTest
from aucbench.stats.tables import ResultTable, Scale
from aucbench.stats.words import Interval, listed, top

MEMBERS = 20  # of a set that are named


@dataclass(frozen=True, eq=False)
class ItemFindings:
    """What the items say of the methods.

    Attributes
    ----------
    values : Values
        With one value for each item and method.
    level : float
        Of the tests and intervals.
    """

    values: Values
    level: float

    @cached_property
    def table(self) -> ResultTable:
        """The values; the families are the groups of items."""
        scale = Scale.SMALLER if self.values.metric.smaller else Scale.LARGER
        values = self.values.folds[:, :, 0]
        families = self.values.families or None
        return ResultTable(values, self.values.methods, self.values.datasets, families, scale)

    @cached_property
    def best(self) -> BestSet:
        """Which methods may have the highest mean on items like these."""
        return ItemTest(level=self.level).best_set(self.table)

    @cached_property
    def ranks(self) -> RankSets:
        """Between which ranks each method lies."""
        return ItemTest(level=self.level).rank_sets(self.table)

    @cached_property
    def means(self) -> tuple[Interval, ...]:
        """The mean of each method over the items."""
        return ItemTest(level=self.level).means(self.table)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The methods: those with the best means first."""
        means = self.table.sign * np.array([one.estimate for one in self.means])
        return tuple(np.argsort(-means, kind="stable").tolist())

    @property
    def units(self) -> str:
        """What the means are over, for people: "500 items in 12 groups"."""
        count, groups = len(self.table.values), len(self.table.units)
        return f"{count} items" if groups == count else f"{count} items in {groups} groups"

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer first: who may be the best, the highest mean, and who is behind."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        best, names = self.best, [self.best.names[j] for j in self.order]
        first, name = self.means[self.order[0]], self.values.metric.name
        possible, m = {*best.of(best.possible)}, len(names)
        if best.note:
            yield f"Nothing can be ruled out: {best.note[0].lower()}{best.note[1:]}"
        elif len(possible) == m:
            yield f"Nothing can be ruled out: each of the {m} methods may be the best."
        else:
            members = [name for name in names if name in possible]
            which = f"one of these {len(members)}: " if len(members) > 1 else ""
            yield (
                f"With {100 * self.level:g} % confidence the best method on items like these is "
                f"{which}{listed(members, 'and', MEMBERS)}."
            )
        yield (
            f"{names[0]} has the {top(self.table.sign)} mean {name}, {first.estimate:.4f} over "
            f"{self.units}."
        )
        parts = [
            f"{len(some)} {'is' if len(some) == 1 else 'are'} {word}: {listed(some)}"
            for some, word in (
                (best.of(best.behind), "certainly behind"),
                (best.of(best.unlikely), "probably not the best"),
            )
            if some
        ]
        if parts:
            yield f"{'; '.join(parts)}."
        if not best.note:
            yield self.ranks.describe_neighbours(self.order)
