"""Data sets that are made of others: `sample` of their rows, and `whole`, with mapped features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aucbench.about import about
from aucbench.data import Data
from aucbench.datasets.tables import encode_table
from aucbench.errors import DataError, require_whole
from aucbench.features.chain import mapped
from aucbench.registry import get_dataset, get_features


@about(cites=("yang2020",))
def whole(data: str, features: str = "standard") -> Data:
    """φ(x) for all rows of a data set, where φ has learnt from all of them. This leaks.

    The rows that a split tests were among those that φ learnt from, so that an AUC on them may be
    too high. It is here to repeat experiments whose code did so; for all else give `features` to
    the comparison, which learns φ from training rows.

    Parameters
    ----------
    data : str
        A data set with its parameters, such as outbreak[k=20], or a file.
    features : str
        A feature map, or several that are joined by +.

    Raises
    ------
    AucbenchError
        When there is no such data set or map, or the map refuses the rows.

    References
    ----------
    The published code of Yang, Zhou, Lei & Ying, "Stochastic hard thresholding algorithms for AUC
    maximization", ICDM 2020.
    """
    raw = encode_table(get_dataset(data))
    phi = get_features(features).fit(raw, np.random.default_rng(0))
    moved = raw.with_rows(mapped(phi, raw.rows))
    if not phi.keeps_columns:
        return moved
    return replace(moved, names=raw.names, relevant=raw.relevant)


@about(cites=("bae2025",))
def sample(data: str, n: int = 1000, seed: int = 0) -> Data:
    """n rows of another data set, drawn without replacement, with its shares of the classes.

    The number of rows of a class is rounded, so that their sum may differ from n by one.

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
    full = get_dataset(data)
    if n >= full.n:
        raise DataError(f"{data} has {full.n} rows, of which {n} cannot be drawn; give a smaller n")
    return full.split(n / full.n, np.random.default_rng(seed))[1]
