"""The data sets that need no file: those that come with scikit-learn, and simulated ones.

The import of `sklearn.datasets` takes a second in each process that reads, and a file of it
milliseconds. So the files are read from the folder where scikit-learn has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.about import about
from aucbench.data import Data
from aucbench.data.targets import REST
from aucbench.datasets.simulated import linear, outbreak, radial
from aucbench.hookspecs import Factories, hookimpl

MEASURES = (
    *("radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity"),
    *("concave points", "symmetry", "fractal dimension"),
)
NUCLEI = tuple(
    form.format(measure) for form in ("mean {}", "{} error", "worst {}") for measure in MEASURES
)


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
    # The first line of the file counts its rows and names its classes.
    return replace(_read("breast_cancer.csv", positive=0, negative=1, skiprows=1), names=NUCLEI)


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
    data = _read("digits.csv.gz", positive=[digit], negative=REST)
    return replace(data, names=tuple(f"pixel_{i}_{j}" for i in range(8) for j in range(8)))


def one_against_the_rest(digit: int) -> Callable[[], Data]:
    """Return a function without parameters that returns `digits(digit)`."""

    def load() -> Data:
        return digits(digit)

    load.__name__ = f"digits_{digit}"
    load.__doc__ = f"Handwritten {digit} against the nine other digits (1797 images, 8 x 8)."
    return about(cites=("optdigits",))(load)


def _read(name: str, *, positive: Any, negative: Any, skiprows: int = 0) -> Data:
    """Return the rows of a file of scikit-learn, whose last column is the label."""
    package = find_spec("sklearn")  # which imports nothing
    assert package is not None, "scikit-learn is a requirement of aucbench"
    folder = next(iter(package.submodule_search_locations or ()))
    path = Path(folder) / "datasets" / "data" / name
    table = np.loadtxt(path, delimiter=",", skiprows=skiprows)
    return Data.of(
        table[:, :-1], table[:, -1].astype(np.int64), positive=positive, negative=negative
    )
