"""How the paper scales the features of each data set."""

from __future__ import annotations

SMALL = ("diabetes", "fourclass", "german")  # the small sets, by their names in section 5.2
SCALED = (*SMALL, "splice", "usps")  # those that LIBSVM has with features in [−1, 1]


def features_of(name: str, *, taken: bool) -> str:
    """Return the feature map of a data set.

    Parameters
    ----------
    name : str
        Of the data set.
    taken : bool
        Whether the paper took the numbers from Gao et al. (2013), whose rows have any length.
    """
    if taken:
        return "min-max" if name in SCALED else "none"
    return "min-max+unit" if name in SMALL else "unit-centred"
