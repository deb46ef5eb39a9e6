"""Exact pair losses beside those of torch, LibAUC, LightGBM, XGBoost and CatBoost.

    python -m benchmarks.losses                           # all three parts
    python -m benchmarks.losses --only gradients          # value and gradient, in one process
    python -m benchmarks.losses --libauc FOLDER           # a folder that holds LibAUC's package
    python -m benchmarks.losses --only large --again      # measure once more what is there

The parts write `docs/data/losses_*.json`, from which the tables of `docs/losses.md` are made, after
each step: a number of scores, a fit, or a family of methods on a table. What is there is not
measured again, so that a run that was interrupted goes on where it ended. What is not installed is
left out, and the run says so.
"""
