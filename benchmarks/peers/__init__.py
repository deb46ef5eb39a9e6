"""Peers in one run: NumPy recipes, scikit-learn, LightGBM, XGBoost, LibAUC, and other programs.

    python -m benchmarks.peers                    # what is installed, all three parts
    python -m benchmarks.peers --only kernels     # calls in turns, in one process
    RANKSVM=…/train SVM_PERF=…/svm_perf_learn SOFIA=…/sofia-ml python -m benchmarks.peers

asv asks whether our code is slower than it was; this asks whether it is faster than that of
others. It writes `docs/data/speed_*.json`, from which the tables of `docs/speed.md` are made.
"""
