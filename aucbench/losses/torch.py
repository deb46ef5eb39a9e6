"""The exact loss over pairs as a module of torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from warnings import warn

import numpy as np
import torch
from torch import Tensor, nn

from aucbench.errors import DataError, NoPairsError, UnsupportedError
from aucbench.losses import pair_loss
from aucbench.losses.pair_loss import BoundLoss, Loss
from aucbench.pairs import Members, Pairs, members_of
from aucbench.pairs.range import Ranged

SECOND = (
    "the exact loss over pairs has no second derivatives in torch; train by first derivatives, or "
    "take aucbench.losses.PairLoss.curvature, which bounds them"
)


class PairLoss(nn.Module):
    """f(s) = Σ_ij π_ij φ(s_i − s_j) of a batch, see `aucbench.losses.PairLoss`.

    Scores on the CPU are read where they are, if they are float64; the kernels compute in float64,
    so that float32 is copied. Elsewhere torch computes the same sums by a sort and cumulative sums,
    in float64 where the device has it. Where no two rows of a batch can be compared, the loss and
    its gradient are 0, and the first such batch is warned of.

    Parameters
    ----------
    loss : {"squared-hinge", "hinge", "logistic", "square", "aum"}
        φ, or the AUM.
    pairs : str or Pairs
        Which pairs count: as `aucbench.losses.PairLoss`.

    Raises
    ------
    ParameterError, UnsupportedError
        As `aucbench.losses.PairLoss`.
    """

    def __init__(self, loss: Loss = "squared-hinge", pairs: Pairs | str = "all"):
        super().__init__()
        self.of = pair_loss.PairLoss(loss, pairs)
        self._has_warned = False

    def forward(
        self, scores: Tensor, target: Any, groups: Any = None, weights: Any = None
    ) -> Tensor:
        """Return the loss, a scalar of the type of the scores.

        Parameters
        ----------
        scores : tensor of shape (n,) or (n, 1)
            Floats; a larger one means more positive, an earlier event, or a higher grade.
        target, groups, weights : tensor or array of shape (n,), optional but for the target
            As those of `aucbench.losses.PairLoss`.

        Raises
        ------
        DataError
            When shapes differ, scores are no floats, or one on the CPU is not finite.
        UnsupportedError
            When the scores are on another device, and the loss is logistic or has a range.
        """
        if not scores.is_floating_point():
            raise DataError(f"scores are of {scores.dtype}; give floats, by scores.float()")
        s = scores.reshape(-1)
        of = pair_loss.PairLoss(self.of.loss, self.of.pairs, _array(weights))
        try:
            bound = of.bind(_array(target), _array(groups))
        except NoPairsError as error:
            if not self._has_warned:
                warn(f"the loss of a batch is 0: {error}", stacklevel=2)
            self._has_warned = True
            zero: Tensor = _Given.apply(s, lambda s: (s.new_zeros(()), torch.zeros_like(s)))
            return zero
        on_cpu = s.device.type == "cpu"
        value: Tensor = _Given.apply(s, _by_kernels(bound) if on_cpu else by_torch(bound))
        return value

    def extra_repr(self) -> str:
        """Return the parameters, as torch prints modules."""
        return f"loss={self.of.loss!r}, pairs={self.of.pairs!r}"


Sums = Callable[[Tensor], tuple[Tensor, Tensor]]  # s (n,) -> f(s), and a subgradient (n,)


class _Given(torch.autograd.Function):
    """A function of the scores that gives its gradient itself."""

    @staticmethod
    def forward(ctx: Any, s: Tensor, sums: Sums) -> Tensor:
        value, c = sums(s.detach())
        ctx.save_for_backward(s, c.to(s.dtype))
        return value.to(s.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        s, c = ctx.saved_tensors
        return _Last.apply(grads[0] * c, s), None


class _Last(torch.autograd.Function):
    """A gradient c at the scores s, which refuses to be differentiated."""

    @staticmethod
    def forward(_: Any, c: Tensor, s: Tensor) -> Tensor:
        return c.view_as(s)

    @staticmethod
    def backward(_: Any, *__: Tensor) -> Tensor:
        raise UnsupportedError(SECOND)


def _array(values: Any) -> Any:
    """Return a tensor as an array, and anything else as it is."""
    return values.detach().cpu().numpy() if isinstance(values, Tensor) else values


def _by_kernels(bound: BoundLoss) -> Sums:
    def sums(s: Tensor) -> tuple[Tensor, Tensor]:
        value, c = bound.value_and_gradient(s.double().numpy())
        return torch.tensor(value, dtype=torch.float64), torch.from_numpy(np.ascontiguousarray(c))

    return sums


def by_torch(bound: BoundLoss) -> Sums:
    """Return the loss of some rows in operations of torch, which run on any device.

    Raises
    ------
    UnsupportedError
        When the loss is logistic, or the pairs are those of a range.
    """
    if bound.loss == "logistic" or isinstance(bound.data.pairs, Ranged):
        raise UnsupportedError(
            "the logistic loss and ranges of the ROC curve are computed on the CPU only; move the "
            "scores there by scores.cpu(), through which gradients pass"
        )

    def sums(s: Tensor) -> tuple[Tensor, Tensor]:
        x = s if s.device.type == "mps" else s.double()  # which has no float64
        if bound.loss == "aum":
            return _aum(x, torch.as_tensor(bound.data.y > 0, device=s.device))
        return _over_blocks(bound.loss, x, members_of(bound.data).blocks)

    return sums


def _over_blocks(loss: Loss, s: Tensor, of: Members) -> tuple[Tensor, Tensor]:
    """Return the loss over the pairs of blocks by one sort, and its gradient.

    With x = s_i − 1 of an upper member and x = s_j of a lower one, a pair loses
    [x_j − x_i]₊, its square, or (x_j − x_i)². Sorted by x, the active lower members of an upper one
    are those behind it, and the active upper members of a lower one those before it. With their
    mass W, and the sum T of their masses times x, the sum of the differences is D = T − xW of an
    upper member and D = xW − T of a lower one. A square has all members of the other side in W and
    T. The squares are homogeneous, so that f = ½ c·x. The sums run over all blocks, so that in
    float64 many blocks cost some digits: f errs by 1e-11 of its size.
    """
    rows, upper = _on(s, of.rows).long(), _on(s, of.key) == 0
    mass, block = _on(s, of.a + of.b).to(s.dtype), _on(s, of.group).long()
    first, x = _on(s, of.starts[:-1]).long(), s[rows] - upper.to(s.dtype)
    order = torch.argsort(upper.int(), stable=True)  # of equal x, lower members come first
    order = order[torch.argsort(x[order], stable=True)]
    order = order[torch.argsort(block[order], stable=True)]
    rows, upper, mass, x = rows[order], upper[order], mass[order], x[order]
    x = x - x[first][block]  # differences only count; so few digits cancel

    def of_partners(v: Tensor) -> Tensor:
        """Sum v over the partners of each member."""
        whole = v.new_zeros(2, first.numel())
        for side, row in ((upper, 0), (~upper, 1)):
            whole[row].index_add_(0, block, torch.where(side, v, 0.0))
        if loss == "square":
            return torch.where(upper, whole[1][block], whole[0][block])
        before, behind = (torch.cumsum(torch.where(side, v, 0.0), 0) for side in (upper, ~upper))
        start = [torch.cumsum(sums, 0) - sums for sums in whole]  # of earlier blocks
        lower = whole[1][block] - (behind - start[1][block])
        return torch.where(upper, lower, before - start[0][block])

    W, sign = of_partners(mass), torch.where(upper, -1.0, 1.0).to(s.dtype)
    D = sign * (x * W - of_partners(mass * x))
    c = sign * mass * W if loss == "hinge" else 2.0 * sign * mass * D
    value = 0.5 * (mass @ D if loss == "hinge" else c @ x)
    return value, torch.zeros_like(s).index_add(0, rows, c)


def _aum(s: Tensor, positive: Tensor) -> tuple[Tensor, Tensor]:
    """Return the AUM by one sort, and the means of its one-sided derivatives.

    Between two scores in a row, FN is the share of the positives below, and FP that of the
    negatives above. A score that moves alone leaves those that it is tied with: to the right the
    errors after the tie lose its own step, and to the left those before the tie take it.
    """
    x, order = torch.sort(s)
    up = positive[order]
    fn, fp = (side.to(s.dtype) / side.sum() for side in (up, ~up))
    _, tie, counts = torch.unique_consecutive(x, return_inverse=True, return_counts=True)
    last = torch.cumsum(counts, 0)
    zero = fn.new_zeros(1)
    FN, FP = torch.cat([zero, torch.cumsum(fn, 0)]), 1.0 - torch.cat([zero, torch.cumsum(fp, 0)])
    g, h = (last - counts)[tie], last[tie]  # before and after the tie
    least = torch.minimum(FP, FN)
    right = torch.minimum(FP[h] + fp, FN[h] - fn) - least[h]
    left = least[g] - torch.minimum(FP[g] - fp, FN[g] + fn)
    value = torch.diff(x) @ least[1:-1]
    return value, torch.zeros_like(s).index_copy(0, order, 0.5 * (left + right))


def _on(like: Tensor, values: Any) -> Tensor:
    return torch.as_tensor(np.array(values), device=like.device)
