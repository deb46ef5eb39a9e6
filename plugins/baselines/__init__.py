"""Linear classifiers of scikit-learn, with which every published gain in AUC is compared.

Each is fitted once, to a tight tolerance, and the residual of its gradient is recorded.
"""
