"""ARFF: numbers, and categories that are words even where they are digits."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from typing import Any

from aucbench.datasets.formats import Wanted
from aucbench.datasets.table import Table, frame_table
from aucbench.datasets.textfile import exact

MISSING = ["?", "<null>"]
COMMENT = "%"
_ROWS = re.compile(r"^@data\s*$", re.IGNORECASE | re.MULTILINE)
_COLUMN = re.compile(r"^@attribute\s+('[^']*'|[^\s{]+)\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)


def table_of_attributes(frame: Any, wanted: Wanted) -> Table:
    """Divide the columns of ARFF; the last one has the labels, unless another one is asked for."""
    if wanted.target is not None:
        return frame_table(frame, wanted, named=True)
    last = str(frame.columns[-1])
    whole = frame_table(frame, replace(wanted, target=last), named=True)
    return replace(whole, label=f"the last column, {last!r}")


def frame_of_attributes(text: str) -> Any:
    """Return the columns of ARFF: numbers, and categories with the levels that the file declares.

    Raises
    ------
    ValueError
        When the text has no attributes or no rows, or a row does not fit the attributes.
    """
    import pandas as pd

    head, *rest = _ROWS.split(text, maxsplit=1)
    declared = _COLUMN.findall(head)
    if not rest or not declared:
        raise ValueError("it has no @attribute or no @data")
    levels = {  # a few files declare a level twice
        j: [*dict.fromkeys(level.strip(" '") for level in kind.strip("{} ").split(","))]
        for j, (_, kind) in enumerate(declared)
        if kind[0] == "{"
    }
    types = {j: str if j in levels else float for j in range(len(declared))}
    frame = pd.read_csv(
        StringIO(rest[0]),
        header=None,
        skipinitialspace=True,
        keep_default_na=False,
        na_values=MISSING,
        dtype=types,
        comment=COMMENT if f"\n{COMMENT}" in text else None,
        **exact(),
    )
    if frame.shape[1] != len(declared):
        raise ValueError(f"{frame.shape[1]} columns instead of {len(declared)}")
    for j, known in levels.items():
        texts = frame[j].str.strip(" '")
        if strange := {*texts.dropna()}.difference(known):
            raise ValueError(f"{min(strange)!r} is no value of {declared[j][0]}")
        frame[j] = pd.Categorical(texts, known)
    frame.columns = pd.Index([name.strip("'") for name, _ in declared])
    return frame
