"""A model of rows in parts: what holding out costs beside a plain reading, and all beside the fits.

Read the ratios, not the times.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from aucbench.models.choosing import ModelPlan
from aucbench.models.journal import Journal
from aucbench.models.options import FitOptions, SearchOptions
from aucbench.models.parted import fitted_by_parts
from aucbench.scale import ChunkedData, Here
from aucbench.scale.sifted import Sifted
from aucbench.scale.survey import survey

from .bench_parts import InColumns, table


def timed(call, *args) -> float:
    begin = perf_counter()
    call(*args)
    return perf_counter() - begin


class HeldOut:
    """Readings of 200 000 × 20 float32, as they are and without single rows."""

    version = "1"
    number = repeat = 1

    def setup(self) -> None:
        X, y, _ = table()
        self.parts = InColumns(X, y)

    def track_reading_of_single_rows(self) -> float:
        """A reading without a fifth of the rows, beside one of all rows."""
        shift = ChunkedData(self.parts).shift
        some = Sifted(self.parts, 0.2, 0, held=False)
        some.sizes  # noqa: B018  which are known after the first reading
        ask = Here().reduce
        return timed(ask, some, survey, shift, 100, 0) / timed(
            ask, self.parts, survey, shift, 100, 0
        )

    def track_whole_fit(self) -> float:
        """A model with threshold and page, beside the seconds of its two fits in solvers."""
        seconds = []

        class Heard:
            stage = reading = read = staticmethod(lambda _: None)

            @staticmethod
            def evaluation(_, point, state) -> None:
                seconds.append((point.step, point.seconds))

        asked = FitOptions(search=SearchOptions(solver=("svm-or",)))
        plan = ModelPlan(source="made", options=asked)
        with TemporaryDirectory() as folder:
            whole = timed(fitted_by_parts, plan, self.parts, Journal(Here(), Path(folder)), Heard())
        ends = [one for one, other in pairwise(seconds) if other[0] == 1]
        return whole / (sum(spent for _, spent in ends) + seconds[-1][1])
