"""What the processes of a supervisor have in their environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection

from aucbench.kernels.parallel import VARIABLE
from aucbench.processes.supervisor import MARK

POOLS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB_MAXIMUM")


def environment(threads: int, token: str, hidden: Collection[str]) -> dict[str, str]:
    """Return the variables of this process without the hidden ones, with those of a supervisor."""
    names = [*(f"{name}_NUM_THREADS" for name in POOLS), VARIABLE]
    known = {name: value for name, value in os.environ.items() if name not in hidden}
    # A fixed hash seed: sets of str have the same order in every run.
    seed = {"PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0")}
    return {**known, **dict.fromkeys(names, str(threads)), **seed, MARK: token}


def search_path() -> list[str]:
    """Return where this process finds modules, as another one with another folder needs it."""
    return [os.path.abspath(entry) for entry in sys.path]  # noqa: PTH100 - '' is the cwd
