"""The data sets that need no file: those that come with scikit-learn, and simulated ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aucbench.about import about
from aucbench.data import Data
from aucbench.data.targets import REST
from aucbench.datasets.simulated import linear, outbreak, radial
from aucbench.hookspecs import Factories, hookimpl


@hookimpl
def aucbench_datasets() -> Factories:
    """Return the data sets that need no file: embedded and simulated ones."""
    return {
        "breast-cancer": breast_cancer,
        **{f"digits-{digit}": one_against_the_rest(digit) for digit in range(10)},
        "linear": linear,
        "outbreak": outbreak,
        "radial": radial,
    }


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

    found = load_breast_cancer()
    return replace(
        Data.of(found.data, found.target, positive=0), names=tuple(map(str, found.feature_names))
    )


def digits(digit: int) -> Data:
    """One handwritten digit against the nine others: 1797 images of 8 x 8 grey values 0–16.

    Parameters
    ----------
    digit : int
        The positive class, 0 to 9 (174 to 183 images).

    References
    ----------
    UCI Machine Learning Repository, "Optical Recognition of Handwritten Digits", test part.
    """
    from sklearn.datasets import load_digits

    found = load_digits()
    data = Data.of(found.data, found.target, positive=[digit], negative=REST)
    return replace(data, names=tuple(found.feature_names))


def one_against_the_rest(digit: int) -> Callable[[], Data]:
    """Return a function without parameters that returns `digits(digit)`."""

    def load() -> Data:
        return digits(digit)

    load.__name__ = f"digits_{digit}"
    load.__doc__ = f"Handwritten {digit} against the nine other digits (1797 images, 8 x 8)."
    return about(cites=("optdigits",))(load)
