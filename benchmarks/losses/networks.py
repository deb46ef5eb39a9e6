"""One network, trained by the cross entropy, by our losses, and by those of LibAUC.

The network has one hidden layer. Every method takes `STEPS` steps, of which it keeps the best
moment. Steps are 0.01 long, and those of PESG 0.1, as in its examples. The cross entropy has random
batches, or batches of which half are positives, as LibAUC's sampler draws them. So have losses over
pairs; or all rows in one batch, for which a loss needs to do without a matrix of pairs.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from time import process_time
from typing import Any

import numpy as np

if find_spec("torch"):  # asv imports each module of this folder
    import torch
    from torch import Tensor, nn

    from aucbench.losses.torch import PairLoss

HIDDEN, STEPS, BATCH, LOOKS = 32, 200, 256, 10


@dataclass(frozen=True)
class Method:
    """How a network learns; `loss` takes the labels of all rows, and gives a loss of a batch."""

    name: str
    # labels (n,) -> the loss of (scores, labels, numbers of the rows)
    loss: Callable[[Tensor], Callable[[Tensor, Tensor, Tensor], Tensor]]
    batches: str = "halves"  # "random", "halves" of both classes, "all" rows
    rate: float = 1e-2
    # parameters, loss, rate -> optimiser; None: Adam
    optimiser: Callable[[Any, Any, float], Any] | None = None
    by: str = "auc"  # the measure that chooses when to stop


def methods(libauc: Any) -> list[Method]:
    """Return ours, and those of LibAUC if it is given."""
    found = [
        Method("cross entropy", lambda _: _cross_entropy, "random"),
        Method("cross entropy, halves", lambda _: _cross_entropy),
        Method("exact squared-hinge, halves", _ours("squared-hinge")),
        Method("exact squared-hinge, all rows", _ours("squared-hinge"), "all"),
        Method("AUM, all rows", _ours("aum"), "all"),
        Method("exact squared-hinge, FPR ≤ 0.1", _ours("squared-hinge", "fpr"), "all", by="pauc"),
    ]
    return [*found, *_of_libauc(libauc)] if libauc is not None else found


def _cross_entropy(s: Tensor, y: Tensor, _: Tensor) -> Tensor:
    return nn.functional.binary_cross_entropy_with_logits(s, y)


def _ours(loss: Any, pairs: str = "all") -> Callable[[Tensor], Callable[..., Tensor]]:
    def of(_: Tensor) -> Callable[..., Tensor]:
        f = PairLoss(loss, pairs)
        return lambda s, y, __: f(s, y)

    return of


def _of_libauc(libauc: Any) -> Iterator[Method]:
    """AUCM with PESG, and the losses of a partial AUC with SOPA and SOPAs; scores are sigmoids."""

    def pesg(weights: Any, loss: Any, rate: float) -> Any:
        return libauc.PESG(weights, loss_fn=loss.of, lr=rate, verbose=False)

    def sopa(weights: Any, _: Any, rate: float) -> Any:
        return libauc.SOPA(weights, lr=rate)

    def sopas(weights: Any, _: Any, rate: float) -> Any:
        return libauc.SOPAs(weights, lr=rate)

    yield Method(
        "LibAUC AUCM",
        lambda _: Sigmoid(libauc.AUCMLoss()),
        rate=0.1,
        optimiser=pesg,
    )
    yield Method(
        "LibAUC pAUC-CVaR",
        lambda y: Sigmoid(libauc.pAUC_CVaR_Loss(len(y), int(y.sum()), beta=0.1), numbered=True),
        optimiser=sopa,
        by="pauc",
    )
    yield Method(
        "LibAUC pAUC-DRO",
        lambda y: Sigmoid(libauc.pAUC_DRO_Loss(len(y)), numbered=True),
        optimiser=sopas,
        by="pauc",
    )


class Sigmoid:
    """A loss of LibAUC at the sigmoids of scores, with the numbers of the rows where it asks."""

    def __init__(self, of: Any, *, numbered: bool = False):
        self.of, self.numbered = of, numbered

    def __call__(self, s: Tensor, y: Tensor, rows: Tensor) -> Tensor:
        """Return the loss of a batch."""
        more = (rows,) if self.numbered else ()
        value: Tensor = self.of(torch.sigmoid(s), y, *more)
        return value.sum()


Quality = Callable[[np.ndarray, str], float]  # scores of the rows held out, measure -> value


def fit(
    method: Method, X: np.ndarray, y: np.ndarray, held: np.ndarray, quality: Quality
) -> tuple[Callable[[np.ndarray], np.ndarray], float, float]:
    """Return the scores of the best network on rows held out, its value, and all CPU seconds.

    Looks at the rows held out are not counted.
    """
    best, chosen, spent = -np.inf, None, 0.0
    for weights, seconds in _trained(method, X, y):
        spent += seconds
        value = quality(_scores(weights, held), method.by)
        if value > best:
            best, chosen = value, [w.clone() for w in weights]
    if chosen is None:
        raise ValueError(f"{method.name} gave no finite scores")
    return lambda X: _scores(chosen, X), best, spent


def _trained(method: Method, X: np.ndarray, y: np.ndarray) -> Iterator[tuple[list[Tensor], float]]:
    """Yield the weights at a few moments, and the CPU seconds since the last one."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(X.shape[1], HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))
    rows, labels = torch.as_tensor(X, dtype=torch.float32), torch.as_tensor(y, dtype=torch.float32)
    loss = method.loss(labels)
    if method.optimiser is None:
        optimiser: Any = torch.optim.Adam(net.parameters(), lr=method.rate)
    else:
        with contextlib.redirect_stdout(io.StringIO()):
            optimiser = method.optimiser(net.parameters(), loss, method.rate)
    batches, begin = _batches(method.batches, y), process_time()
    for step in range(1, STEPS + 1):
        batch = next(batches)
        given = (rows, labels) if batch is None else (rows[batch], labels[batch])
        numbers = torch.arange(len(y)) if batch is None else batch
        optimiser.zero_grad()
        value: Any = loss(net(given[0])[:, 0], given[1], numbers)
        value.backward()
        optimiser.step()
        if step % (STEPS // LOOKS) == 0:
            yield [w.detach() for w in net.parameters()], process_time() - begin
            begin = process_time()


def _batches(kind: str, y: np.ndarray) -> Iterator[Tensor | None]:
    """Yield the numbers of the rows of a batch for ever; None: all of them."""
    rng = np.random.default_rng(0)
    if kind == "all":
        while True:
            yield None
    if kind == "random":
        each = _dealt(np.arange(y.size), BATCH, rng)
        while True:
            yield torch.as_tensor(next(each))
    sides = [_dealt(np.flatnonzero(y == side), BATCH // 2, rng) for side in (1, 0)]
    while True:
        yield torch.as_tensor(np.concatenate([next(side) for side in sides]))


def _dealt(rows: np.ndarray, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield so many rows at a time, in new random orders of all of them."""
    left = rows[:0]
    while True:
        while left.size < size:
            left = np.concatenate([left, rng.permutation(rows)])
        yield left[:size]
        left = left[size:]


def _scores(weights: list[Tensor], X: np.ndarray) -> np.ndarray:
    W, b, v, c = (w.numpy().astype(float) for w in weights)
    return np.asarray((np.maximum(X @ W.T + b, 0.0) @ v.T + c)[:, 0])
