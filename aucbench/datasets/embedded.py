"""Data sets that come with scikit-learn, so they need no download."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aucbench.about import about
from aucbench.data import Data
from aucbench.reading import REST


@about(cites=("wdbc",))
def breast_cancer() -> Data:
    """Wisconsin diagnostic breast cancer: 569 tumours, 30 features of their cell nuclei.

    Malignant tumours are positive (212 of 569): they are the rarer class, and the one that a
    screening looks for. scikit-learn codes them as 0. Rows are dense, in the source's units.

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
        The positive class, 0 to 9 (174 to 183 images).

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
    data = Data.of(bunch.data, bunch.target, positive=[digit], negative=REST)
    return replace(data, names=tuple(bunch.feature_names))


def one_against_the_rest(digit: int) -> Callable[[], Data]:
    """Return a function without parameters that returns `digits(digit)`."""

    def load() -> Data:
        return digits(digit)

    load.__name__ = f"digits_{digit}"
    load.__doc__ = f"Handwritten {digit} against the nine other digits (1797 images, 8 x 8)."
    return about(cites=("optdigits",))(load)
