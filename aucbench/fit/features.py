"""Preprocessing: a map learns from some rows and is applied to these and to held ones.

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
from aucbench.data.arrays import Index
from aucbench.errors import AucbenchError, DataError, PluginError
from aucbench.fit.plain import first_line
from aucbench.protocols import FeatureMap
from aucbench.solving.loop import Clock


def preprocessed(
    train: Data, held: Data, features: FeatureMap, rng: np.random.Generator
) -> tuple[Data, Data]:
    """Both parts, mapped by what the training rows taught."""
    fitted = features.fit(train, rng)
    return train.with_rows(fitted(train.rows)), held.with_rows(fitted(held.rows))


@dataclass(frozen=True, slots=True)
class Refitted:
    """The training rows of a cell before preprocessing, mapped anew for each inner fold.

    Attributes
    ----------
    features : FeatureMap
    data : Data
        The data set.
    numbers : array of shape (n_train,)
        Of the training rows in it.
    rng : Generator
        Each fold gets a child of its own.
    clock : Clock
        Seconds inside the map.
    """

    features: FeatureMap
    data: Data
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
        parts = [self.data.take(self.numbers[rows]) for rows in (rest, held)]
        (rng,) = self.rng.spawn(1)
        try:
            return self.clock.timed(preprocessed, *parts, self.features, rng)
        except MemoryError:  # the limit of the cell
            raise
        except AucbenchError as refusal:
            raise DataError(f"preprocessing an inner fold of tuning: {refusal}") from refusal
        except (Exception, SystemExit) as error:
            raise PluginError(
                f"preprocessing an inner fold of tuning raised {first_line(error)}; take another "
                "map, or the solver without tuning"
            ) from error
