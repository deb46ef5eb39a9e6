"""What two matrices (d, d) cost: refusals of fits that would take too much memory or time."""

from __future__ import annotations

from aucbench.contract import Budget
from aucbench.data import Data
from aucbench.errors import UnsupportedError
from aucbench.ranges import DEFAULT_PASSES

from .span import fits_span

MAX_BYTES = 4 << 30  # of both scatter matrices: enough for about 16 000 features
ENTRY_SECONDS = 4e-10  # of a step, for each of d² entries: 2.5e-10 in the cache, 5e-10 out of it
MAX_MINUTES = 10  # of a fit on one core


def require_time(data: Data, budget: Budget) -> None:
    """Raise `UnsupportedError` when a fit would take more than 10 minutes on one core."""
    # Where seconds alone limit a fit, it ends after the pass in which they are up.
    count = budget.passes or (DEFAULT_PASSES if budget.seconds is None else 1.0)
    d = min(data.n, data.d) if fits_span(data) else data.d
    minutes = count * data.n * ENTRY_SECONDS * d**2 / 60
    if minutes > MAX_MINUTES:
        raise UnsupportedError(
            f"{count:g} pass(es) over {data.n} rows with {d} x {d} matrices would take "
            f"about {minutes:.0f} minutes of at most {MAX_MINUTES}; use fewer passes, "
            "or opauc-lr, which keeps sketches of them"
        )


def require_memory(d: int) -> None:
    """Raise `UnsupportedError` when the two matrices would take more than 4 GiB."""
    if 16 * d * d > MAX_BYTES:
        raise UnsupportedError(
            f"two {d} x {d} matrices would take {16 * d * d >> 20} MiB of at most "
            f"{MAX_BYTES >> 20} MiB; use opauc-lr, which keeps sketches of them"
        )
