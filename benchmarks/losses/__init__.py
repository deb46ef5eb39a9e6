"""Exact pair losses beside those of torch, LibAUC, LightGBM, XGBoost and CatBoost.

    python -m benchmarks.losses                           # all three parts
    python -m benchmarks.losses --only gradients          # value and gradient, in one process
    python -m benchmarks.losses --libauc FOLDER           # a folder that holds LibAUC's package

The parts write `docs/data/losses_*.json`, from which the tables of `docs/losses.md` are made. What
is not installed is left out, and the run says so.
"""
