"""Solvers whose laws take longest."""

import pytest


def pytest_collection_modifyitems(items):
    """A solver over landmarks fits several kernels for each fit."""
    for item in items:
        if "[roc-svm-nystrom-" in item.name:
            item.add_marker(pytest.mark.slow)
