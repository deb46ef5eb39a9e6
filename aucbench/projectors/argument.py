"""The check of the vector that a projector overwrites, and the constants of rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucbench.errors import ParameterError

FLOAT = np.dtype(np.float64)
FEASIBLE_TO = 1e-12  # relative; more than the rounding of a projection, much less than a step
LARGE = 2.0**900  # from this radius on, vectors are first multiplied by DOWNSCALE,
DOWNSCALE = 2.0**-64  # so that their lengths do not overflow


def require_writable_vector(v: Any) -> None:
    """Raise `ParameterError` unless `v` is a writable, C-contiguous float64 vector."""
    if isinstance(v, np.ndarray) and v.ndim == 1 and v.dtype == FLOAT and v.flags.carray:
        return
    shape, dtype = np.shape(v), getattr(v, "dtype", type(v).__name__)
    raise ParameterError(
        f"a projector overwrites its argument, and got {dtype} of shape {shape}, which is not a "
        "writable contiguous float64 vector; give it np.array(v, dtype=np.float64)"
    )
