"""The exact loss over pairs as a module of torch."""

from __future__ import annotations

from dataclasses import replace
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


class PairLoss(nn.Module):
    """f(s) = Σ_ij π_ij φ(s_i − s_j) of a batch, see `aucbench.losses.PairLoss`.

    Scores on the CPU are read where they are, if they are float64; the kernels compute in float64,
    so that float32 is copied. Elsewhere torch computes the same sums by a sort and cumulative sums,
    in float64 where the device has it. Where no two rows of a batch can be compared, the loss and
    its gradient are 0, and the first such batch is warned of. Parameters and errors are those of
    `aucbench.losses.PairLoss`.
    """

    def __init__(self, loss: Loss = "squared-hinge", pairs: Pairs | str = "all"):
        super().__init__()
        self.of = pair_loss.PairLoss(loss, pairs)
        self._has_warned = False

    def forward(
        self, scores: Tensor, target: Any, groups: Any = None, weights: Any = None
    ) -> Tensor:
        """Return the loss of scores (n,) or (n, 1), a scalar of their type.

        The others are tensors or arrays (n,). `DataError`: scores are no floats.
        `UnsupportedError`: they are on another device, and the loss is logistic or has a range; or
        a second derivative is asked for.
        """
        if not scores.is_floating_point():
            raise DataError(f"scores are of {scores.dtype}; give floats, by scores.float()")
        s = scores.reshape(-1)
        target, groups, weights = (
            x.numpy(force=True) if isinstance(x, Tensor) else x for x in (target, groups, weights)
        )
        try:
            bound = replace(self.of, weights=weights).bind(target, groups)
        except NoPairsError as error:
            if not self._has_warned:
                warn(f"the loss of a batch is 0: {error}", stacklevel=2)
            self._has_warned = True
            return s[:0].sum()
        x = s.view_as(s)
        if x.requires_grad:
            x.register_hook(_refuse_second)
        if s.device.type != "cpu":
            return by_torch(bound, x).to(s.dtype)
        value, c = bound.value_and_gradient(s.detach().double().numpy())
        slopes = torch.from_numpy(np.ascontiguousarray(c)).to(s.dtype)
        return torch.tensor(value, dtype=s.dtype) + (slopes * (x - x.detach())).sum()


def _refuse_second(_: Tensor) -> None:
    if torch.is_grad_enabled():  # by create_graph=True
        raise UnsupportedError(
            "the exact loss over pairs has no second derivatives in torch; leave out create_graph, "
            "or take aucbench.losses.PairLoss.curvature, which bounds them"
        )


def by_torch(bound: BoundLoss, s: Tensor) -> Tensor:
    """Return the loss of some rows, in operations of torch for any device.

    `UnsupportedError`: the loss is logistic, or the pairs are those of a range.
    """
    if bound.loss == "logistic" or isinstance(bound.data.pairs, Ranged):
        raise UnsupportedError(
            "the logistic loss and ranges of the ROC curve are computed on the CPU only; move the "
            "scores there by scores.cpu(), through which gradients pass"
        )
    x = s if s.device.type == "mps" else s.double()  # which has no float64
    if bound.loss == "aum":
        return _aum(x, torch.tensor(bound.data.y > 0, device=s.device))
    return _over_blocks(bound.loss, x, members_of(bound.data).blocks)


def _over_blocks(loss: Loss, s: Tensor, of: Members) -> Tensor:
    """Return the loss over the pairs of blocks by one sort.

    With x = s_i − 1 of an upper member and x = s_j of a lower one, a pair loses [x_j − x_i]₊, its
    square, or (x_j − x_i)². Sorted by x, the active lower members of an upper one are those behind
    it in its block; a square has all of them. With their sums T_k of masses times xᵏ, an upper
    member loses T_1 − x T_0, or T_2 − 2x T_1 + x² T_0. The sums run over all blocks, so that in
    float64 many blocks cost some digits: f errs by 1e-11 of its size.
    """
    rows, block, first = (
        torch.tensor(places, dtype=torch.int64, device=s.device)
        for places in (of.rows, of.group, of.starts[:-1])
    )
    upper = torch.tensor(of.key == 0, device=s.device)
    mass = torch.tensor(of.a + of.b, dtype=s.dtype, device=s.device)
    x, order = s[rows] - upper.to(s.dtype), torch.arange(rows.numel(), device=s.device)
    for key in (upper.int(), x, block):  # of equal x, lower members come first
        order = order[torch.argsort(key[order], stable=True)]
    upper, mass, x = upper[order], mass[order], x[order]
    x = x - x[first][block].detach()  # differences only count; so few digits cancel

    v = torch.where(upper, 0.0, mass) * torch.stack([torch.ones_like(x), x, x.square()])
    T = v.new_zeros(3, first.numel()).index_add(1, block, v)  # of each block
    T = T[:, block] if loss == "square" else torch.cumsum(T, 1)[:, block] - torch.cumsum(v, 1)
    lost = T[1] - x * T[0] if loss == "hinge" else T[2] - 2.0 * x * T[1] + x.square() * T[0]
    return torch.where(upper, mass, 0.0) @ lost


def _aum(s: Tensor, positive: Tensor) -> Tensor:
    """Return the AUM by one sort, whose gradient is the means of its one-sided derivatives.

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
    known = x.detach()
    return torch.diff(known) @ least[1:-1] + 0.5 * (left + right) @ (x - known)
