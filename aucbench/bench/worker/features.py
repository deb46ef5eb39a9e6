"""Fit a feature map to some rows and apply it to these rows and to others.

A map is fitted again for each inner fold of tuning: one that uses labels passes those of its own
rows on to their features. A map that declares itself `shared` is fitted once; the built-in ones
that do so learn nothing from rows. (Rejected: to share every map that uses no labels. On small data
sets another point can win; see docs/run.md.) The rows of a table are codes, whose encoding is
learnt with the map, so that none of its maps is shared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from aucbench.bench.worker.independence import require_mapped_alone
from aucbench.bench.worker.plain import message
from aucbench.contract import FeatureMap
from aucbench.data import Data
from aucbench.data.arrays import Index, Rows
from aucbench.data.data import ties_of
from aucbench.datasets.tables import Encoding, Schema
from aucbench.errors import AucbenchError, DataError, PluginError
from aucbench.features.chain import applied, fitted, mapped
from aucbench.solving.loop import Clock


def map_split(
    train: Data, held: Rows, features: FeatureMap, rng: np.random.Generator
) -> tuple[Data, Rows]:
    """Return both parts, mapped by a map that was fitted to the training rows.

    If the rows are codes of a table, an encoding that was learnt from the training rows makes
    features of them first.
    """
    if train.schema is not None:
        encoding = Encoding.learn(train.schema, train.rows)
        train, held = encoding.applied(train), encoding(held)
    phi = fitted(features, train, rng)
    mapped_held = mapped(phi, held)
    name = f"the feature map {type(phi).__name__}"
    require_mapped_alone(name, partial(mapped, phi), held, mapped_held)
    return applied(phi, train), mapped_held


@dataclass(frozen=True, slots=True)
class Refitted:
    """Maps the training rows of a cell for each inner fold of tuning."""

    features: FeatureMap
    train: Data  # the training rows; only their target is read
    raw: Rows  # the rows of the data set
    schema: Schema | None  # of a table, whose rows are codes
    numbers: Index  # numbers of the training rows in `raw`
    rng: np.random.Generator  # each fold draws from a child of this generator
    clock: Clock = field(default_factory=Clock)  # counts the seconds inside the map

    def __call__(self, rest: Index, held: Index) -> tuple[Data, Data]:
        """Return both parts of a fold, mapped by a map that was fitted to `rest`."""
        train, test = (self._raw(rows) for rows in (rest, held))
        (rng,) = self.rng.spawn(1)
        try:
            parts = self.clock.timed(map_split, train, test.rows, self.features, rng)
            return parts[0], test.with_rows(parts[1])
        except MemoryError:  # the limit of the cell
            raise
        except AucbenchError as refusal:
            raise DataError(f"mapping an inner fold of tuning: {refusal}") from refusal
        except (Exception, SystemExit) as error:
            raise PluginError(
                f"mapping an inner fold of tuning raised {type(error).__name__} "
                f"({message(error)}); take another map, or the solver without tuning"
            ) from error

    def _raw(self, rows: Index) -> Data:
        target = self.train.target.take(rows)
        ties = {name: array[rows] for name, array in ties_of(self.train).items()}
        kept = ("pairs", "shapes")
        known = {"schema": self.schema, **{name: getattr(self.train, name) for name in kept}}
        return Data(self.raw.take(self.numbers[rows]), target, **known, **ties)
