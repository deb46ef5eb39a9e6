"""One pass of a network: the loss of each batch, and the weights that it moves."""

from __future__ import annotations

import aucbench

from .rows import dense

LOSSES = ("squared-hinge", "hinge", "logistic", "square", "aum", "aucm")


class Pass:
    """20 000 rows of 50 columns in batches of 64 or 1024, by the losses of `mlp` and the others."""

    version = "1"
    params = ([*(f"mlp[loss={loss}]" for loss in LOSSES), "aucm", "soap", "sopa-s"], [64, 1024])
    param_names = ("solver", "batch")

    def setup(self, solver: str, batch: int) -> None:
        try:
            self.solver = aucbench.get_solver(solver, batch=batch)
        except ImportError as error:  # asv skips it
            raise NotImplementedError(str(error)) from error
        self.data = dense(20_000, 50)

    def time_pass(self, solver: str, batch: int) -> None:
        aucbench.solve(self.solver, self.data, passes=1)
