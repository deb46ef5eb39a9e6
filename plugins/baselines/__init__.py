"""Baselines, with which every published gain in AUC is compared.

The linear classifiers of scikit-learn are fitted once, to a tight tolerance, and the residual of
their gradient is recorded. Trees of scikit-learn, LightGBM and XGBoost, and any other classifier
with the interface of scikit-learn, are fitted once and give a model.
"""
