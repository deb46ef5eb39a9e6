"""Data that come with scikit-learn: always there, offline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aucbench.data import Data


def breast_cancer() -> Data:
    """Wisconsin diagnostic breast cancer: 569 tumours, 30 features of their cell nuclei.

    Positive: malignant, the rarer class and the one a screening looks for (212 of 569;
    scikit-learn codes it 0). Dense, in the units of the source.

    References
    ----------
    UCI Machine Learning Repository, "Breast Cancer Wisconsin (Diagnostic)".
    """
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    data = Data.of(bunch.data, bunch.target, positive=0)
    return replace(data, names=tuple(map(str, bunch.feature_names)))


def digits(digit: int) -> Data:
    """One handwritten digit against the nine others: 1797 images of 8 x 8 grey values 0–16.

    Parameters
    ----------
    digit : int
        0 to 9, the positive class (174 to 183 images).

    Raises
    ------
    DataError
        When there is no such digit.

    References
    ----------
    UCI Machine Learning Repository, "Optical Recognition of Handwritten Digits", test part.
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    data = Data.of(bunch.data, bunch.target, positive=[digit])
    return replace(data, names=tuple(bunch.feature_names))


def one_against_the_rest(digit: int) -> Callable[[], Data]:
    """Return a function without parameters that loads `digits(digit)`."""

    def load() -> Data:
        return digits(digit)

    load.__name__ = f"digits_{digit}"
    load.__doc__ = f"Handwritten {digit} against the nine other digits (1797 images, 8 x 8)."
    return load
