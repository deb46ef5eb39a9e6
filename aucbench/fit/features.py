"""Feature maps: a map learns from some rows and is applied to these and to held ones.

Design
  a. A map is fitted anew to each inner fold of tuning: one that looks at labels has told the
     rows that it was fitted on what their labels are, and every score of them flatters.
  b. A map that declares itself `shared` is taken as the split has it. Of the built-in ones
     these learn nothing. (Rejected: to share all that see no label. The choice changes on
     small data sets, and most of them cost next to nothing; docs/run.md has the numbers.)
  c. The rows of a fold are gathered from the data set, which lies on disk already: neither
     a split nor a cell that fits no map inside writes or reads a row more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Index, Rows
from aucbench.data.targets import Labels
from aucbench.errors import AucbenchError, DataError, PluginError
from aucbench.fit.plain import message
from aucbench.protocols import FeatureMap
from aucbench.solving.loop import Clock


def mapped_parts(
    train: Data, held: Rows, features: FeatureMap, rng: np.random.Generator
) -> tuple[Data, Rows]:
    """Both parts, mapped by what the training rows taught."""
    fitted = features.fit(train, rng)
    return train.with_rows(fitted(train.rows)), fitted(held)


@dataclass(frozen=True, slots=True)
class Refitted:
    """The training rows of a cell before any map, mapped anew for each inner fold.

    Attributes
    ----------
    features : FeatureMap
    train : Data
        The training rows; only their target is read.
    raw : Rows
        The rows of the data set.
    numbers : array of shape (n_train,)
        Of the training rows among these.
    rng : Generator
        Each fold gets a child of its own.
    clock : Clock
        Seconds inside the map.
    """

    features: FeatureMap
    train: Data
    raw: Rows
    numbers: Index
    rng: np.random.Generator
    clock: Clock = field(default_factory=Clock)

    def __call__(self, rest: Index, held: Index) -> tuple[Data, Data]:
        """The rows of a fold, mapped by what `rest` taught.

        Raises
        ------
        DataError
            When the map refuses the rows.
        PluginError
            When it raises anything else.
        """
        parts = [self._raw(rows) for rows in (rest, held)]
        (rng,) = self.rng.spawn(1)
        try:
            return self.clock.timed(_mapped, *parts, self.features, rng)
        except MemoryError:  # the limit of the cell
            raise
        except AucbenchError as refusal:
            raise DataError(f"mapping an inner fold of tuning: {refusal}") from refusal
        except (Exception, SystemExit) as error:
            raise PluginError(
                f"mapping an inner fold of tuning raised {type(error).__name__} "
                f"({message(error)}); take another "
                "map, or the solver without tuning"
            ) from error

    def _raw(self, rows: Index) -> Data:
        """Some training rows as they are in the data set."""
        target = self.train.target
        part = Labels.of(target.y[rows]) if isinstance(target, Labels) else target.take(rows)
        return Data(self.raw.take(self.numbers[rows]), part)


def _mapped(
    rest: Data, held: Data, features: FeatureMap, rng: np.random.Generator
) -> tuple[Data, Data]:
    train, rows = mapped_parts(rest, held.rows, features, rng)
    return train, held.with_rows(rows)
