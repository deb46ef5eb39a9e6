"""A network of one hidden layer that learns any loss over pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Problem, State
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.errors import NoPairsError, ParameterError, UnsupportedError
from aucbench.losses import BoundLoss
from aucbench.pairs import members_of, pairs_of

from .aucm import margin_loss
from .network import Adam, Momentum, Net, Network, falling, passes

LOSSES = ("squared-hinge", "hinge", "logistic", "square", "aum", "aucm")
OF_LABELS = ("aum", "aucm")  # which are no sums over pairs
DESCENTS: Mapping[str, type[Adam] | type[Momentum]] = MappingProxyType(
    {"adam": Adam, "momentum": Momentum}
)


@about("curved scores by a network, for any loss over pairs", cites=("rust2023", "kingma2015"))
@dataclass(frozen=True)
class Mlp(Network):
    """θ ← θ − η_t D(∇f_B(θ) + λθ), with f_B the exact loss over the pairs of the batch B.

    The score is s = v·[W x + c]₊ of the standardised row x, and θ = (W, c, v). D is the direction
    of Adam or of momentum, and η_t falls from η to 0 as half a wave of the cosine. A batch costs
    O(n_B log n_B) for its pairs (`aucbench.losses`), and they are those of the data: all pairs,
    groups, times, grades, or a range of the ROC curve.

    Parameters
    ----------
    loss : {"squared-hinge", "hinge", "logistic", "square", "aum", "aucm"}
        As `aucbench.losses.PairLoss`. "aucm": the AUC margin loss with the margin 1, with its
        saddle point in closed form (`aucm`). It and the AUM are of all pairs of labels.
    width, batch, step, ridge, minority :
        As `Network`; η in units of a weight with Adam, and in squared ones with momentum.
    descent : {"adam", "momentum"}
        D.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    UnsupportedError
        When the loss has no such pairs or no weights of rows.

    References
    ----------
    Rust & Hocking, "A log-linear gradient descent algorithm for unbalanced binary classification
    using the all pairs squared hinge loss", 2023. Kingma & Ba, "Adam: a method for stochastic
    optimization", ICLR 2015.
    """

    loss: Literal["squared-hinge", "hinge", "logistic", "square", "aum", "aucm"] = "squared-hinge"
    descent: Literal["adam", "momentum"] = "adam"

    needs: ClassVar = replace(
        Network.needs,
        capabilities=frozenset({"weights", "group-pairs", "order-pairs", "range-pairs"}),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, choices in (("loss", LOSSES), ("descent", DESCENTS)):
            if getattr(self, name) not in choices:
                raise ParameterError(
                    f"{name} is {getattr(self, name)!r}; give one of {', '.join(choices)}"
                )

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        data, net = problem.data, Net(problem, self.width, rng)
        if self.loss in OF_LABELS and pairs_of(data) is not None:
            raise UnsupportedError(f"{self.loss} has all pairs of labels; take another loss")
        pairs, descent = data.with_rows(no_columns(data.n)), DESCENTS[self.descent](net.theta.size)
        for batches in passes(self, members_of(data), budget, rng):
            for B, share in batches:
                s = net.scores(B)
                try:
                    c = self._slopes(pairs.take(B), s)
                except NoPairsError:  # such as events at one time only
                    continue
                g = net.pullback(c) + self.ridge * net.theta
                net.theta -= falling(share) * self.step * descent(g)
            yield net.state()

    def _slopes(self, batch: Data, s: Vector) -> Vector:
        """Return ∂f_B/∂s, (n_B,)."""
        if self.loss == "aucm":
            return margin_loss(s, batch.labels.shares, batch.y > 0)[1]
        return BoundLoss(self.loss, batch).value_and_gradient(s)[1]


def no_columns(n: int) -> Rows:
    """Return n rows without features: a loss of scores reads none."""
    return Rows(np.empty(0), None, None, n, 0)
