"""Linear classifiers of scikit-learn: what every published gain in AUC is measured against.

Each is fitted once, tightly, and its residual is recorded.
"""
