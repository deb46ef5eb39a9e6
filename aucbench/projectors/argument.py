"""What the projectors ask of the vector they overwrite, and how much rounding they forgive."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucbench.errors import ParameterError

FLOAT = np.dtype(np.float64)
TOLERANCE = 1e-12  # relative: above the rounding of a projection, far below any step size
LARGE = 2.0**900  # from this radius on lengths are taken
UNIT = 2.0**-64  # in this unit, in which they do not overflow


def require_writable(v: Any) -> None:
    """Raise `ParameterError` unless `v` is a writable, C-contiguous float64 vector."""
    if isinstance(v, np.ndarray) and v.ndim == 1 and v.dtype == FLOAT and v.flags.carray:
        return
    shape, dtype = np.shape(v), getattr(v, "dtype", type(v).__name__)
    raise ParameterError(
        f"a projector overwrites its argument and got {dtype} of shape {shape} that is not a "
        "writable contiguous float64 vector; hand it np.array(v, dtype=np.float64)"
    )
