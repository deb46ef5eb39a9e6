"""`sample`: some rows of a larger data set, so that an experiment takes minutes."""

from __future__ import annotations

import numpy as np

from aucbench.about import about
from aucbench.data import Data
from aucbench.errors import DataError, require_whole
from aucbench.registry import get_dataset


@about(cites=("bae2025",))
def sample(data: str, n: int = 1000, seed: int = 0) -> Data:
    """n rows of another data set, drawn without replacement, with its shares of the classes.

    The number of rows of a class is
    rounded, so that their sum may differ from n by one.

    Parameters
    ----------
    data : str
        A data set with its parameters, such as outbreak[k=20], or a file.
    n : int
        Number of rows to draw, at least 2 and less than the set has.
    seed : int
        Decides which rows are drawn.

    Raises
    ------
    ParameterError
        When n or seed is out of range.
    DataError
        When the set has not more than n rows, or when a class would have no row.
    AucbenchError
        When there is no such set, or it cannot be read.

    References
    ----------
    Bae & Shin, "ROC-SVM" (2025), section 4.2, which draws 100 000 rows of skin in this way.
    """
    require_whole(2, n=n)
    require_whole(0, seed=seed)
    whole = get_dataset(data)
    if n >= whole.n:
        raise DataError(
            f"{data} has {whole.n} rows, of which {n} cannot be drawn; give a smaller n"
        )
    return whole.split(n / whole.n, np.random.default_rng(seed))[1]
