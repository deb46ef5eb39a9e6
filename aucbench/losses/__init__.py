"""Exact pair losses for the libraries in which people already train.

`PairLoss` gives the loss over all pairs and its gradient in the scores. The modules beside it are
its faces: `aucbench.losses.torch`, `.lightgbm`, `.xgboost` and `.catboost`.
"""

from aucbench.losses.pair_loss import BoundLoss, PairLoss

__all__ = ["BoundLoss", "PairLoss"]
