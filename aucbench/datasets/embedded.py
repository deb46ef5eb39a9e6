"""Data sets that come with scikit-learn, so they need no download.

To import `sklearn.datasets` takes a second, to read one of its files milliseconds. So a file with
the digest that is known is read without scikit-learn; else its own function is asked.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aucbench.about import about
from aucbench.data import Data
from aucbench.data.targets import REST

# SHA-256 of the files, which are the same in scikit-learn 1.5 to 1.9.
BREAST_CANCER = "fed3eb72d0575ef6192293f5093c6e801b1476b577d0386bf4455504522172ed"
DIGITS = "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22"
MEASURES = (
    *("radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity"),
    *("concave points", "symmetry", "fractal dimension"),
)
NUCLEI = tuple(
    form.format(measure) for form in ("mean {}", "{} error", "worst {}") for measure in MEASURES
)


@about(cites=("wdbc",))
def breast_cancer() -> Data:
    """Wisconsin diagnostic breast cancer: 569 tumours, 30 features of their cell nuclei.

    Malignant tumours are positive (212 of 569): they are the rarer class, and the one that a
    screening looks for. scikit-learn codes them as 0. Rows are dense, in the source's units.

    References
    ----------
    UCI Machine Learning Repository, "Breast Cancer Wisconsin (Diagnostic)".
    """
    content = _content("breast_cancer.csv", BREAST_CANCER)
    if content is None:
        from sklearn.datasets import load_breast_cancer

        X, y = load_breast_cancer(return_X_y=True)
    else:
        X, y = _columns(content.splitlines()[1:])  # the first line counts rows and names classes
    return replace(Data.of(X, y, positive=0), names=NUCLEI)


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
    content = _content("digits.csv.gz", DIGITS)
    if content is None:
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
    else:
        X, y = _columns(gzip.decompress(content).splitlines())
    data = Data.of(X, y, positive=[digit], negative=REST)
    return replace(data, names=tuple(f"pixel_{i}_{j}" for i in range(8) for j in range(8)))


def one_against_the_rest(digit: int) -> Callable[[], Data]:
    """Return a function without parameters that returns `digits(digit)`."""

    def load() -> Data:
        return digits(digit)

    load.__name__ = f"digits_{digit}"
    load.__doc__ = f"Handwritten {digit} against the nine other digits (1797 images, 8 x 8)."
    return about(cites=("optdigits",))(load)


def _content(name: str, digest: str) -> bytes | None:
    """Return the bytes of a data file of scikit-learn, or None if it is not the one expected."""
    package = find_spec("sklearn")  # which imports nothing
    for folder in (package and package.submodule_search_locations) or ():
        try:
            content = (Path(folder) / "datasets" / "data" / name).read_bytes()
        except OSError:
            continue  # scikit-learn knows where it is, or says what is wrong
        if sha256(content).hexdigest() == digest:
            return content
    return None


def _columns(lines: list[bytes]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return all columns but the last one, and the last one, which has whole numbers."""
    table = np.loadtxt(lines, delimiter=",")
    return table[:, :-1], table[:, -1].astype(np.int64)
