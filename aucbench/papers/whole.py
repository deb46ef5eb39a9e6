"""`whole`: a data set whose features were mapped before it is split, as in published code."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aucbench.about import about
from aucbench.data import Data
from aucbench.features.chain import keeps_columns, mapped
from aucbench.hookspecs import Factories, hookimpl
from aucbench.papers.sample import sample
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
    found = get_dataset(data).encoded()
    phi = get_features(features).fit(found, np.random.default_rng(0))
    moved = found.with_rows(mapped(phi, found.rows))
    if not keeps_columns(phi):
        return moved
    return replace(moved, names=found.names, relevant=found.relevant)


@hookimpl
def aucbench_datasets() -> Factories:
    """Register the data sets that are made of others."""
    return {"sample": sample, "whole": whole}
