"""Write which of four modes each traveller took: modechoice.csv and shifted.csv.

    python examples/travel_modes.py [modechoice.csv of elsewhere]

The table is that of Greene: 210 travellers with four modes each, of which one was chosen. Without
a path it is taken from statsmodels (`pip install statsmodels`). shifted.csv has large noise of each
traveller in one column, on which no choice depends.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

GROUP, LABEL, SHIFTED, SIZE = "individual", "choice", "ttme", 10.0


def travel_modes(path: str | None = None) -> pd.DataFrame:
    """Return the table of a file, or that of statsmodels."""
    if path is not None:
        return pd.read_csv(path)
    data: Any = import_module("statsmodels.datasets.modechoice").load_pandas().data
    rows: pd.DataFrame = data.astype({LABEL: int, GROUP: int})
    return rows


def shifted(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with ten standard deviations of noise per traveller in one column."""
    each = np.random.default_rng(0).standard_normal(rows[GROUP].nunique())
    noise = SIZE * rows[SHIFTED].std() * each[pd.factorize(rows[GROUP])[0]]
    return rows.assign(**{SHIFTED: rows[SHIFTED] + noise})


def main(path: str | None = None) -> None:
    """Write both files."""
    rows = travel_modes(path)
    rows.to_csv("modechoice.csv", index=False)
    shifted(rows).to_csv("shifted.csv", index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
