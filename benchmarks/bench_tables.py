"""Codes and features of a table, beside pandas and scikit-learn: read the ratios.

The table has 10⁵ rows: 10 columns of numbers (half with missing cells), 6 of categories, 2 of
truth values and 2 of dates as text.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from aucbench import data
from aucbench.datasets import tables

N, LEVELS = 100_000, (3, 8, 20, 50, 200, 1000)


@cache
def mixed() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    made: dict[str, Any] = {f"x{j}": rng.standard_normal(N) for j in range(10)}
    for j in range(5):
        made[f"x{j}"][rng.random(N) < 0.05] = np.nan
    for j, count in enumerate(LEVELS):
        levels = np.array([f"level {k}" for k in range(count)], dtype=object)
        made[f"c{j}"] = levels[np.minimum(rng.exponential(count / 5, N), count - 1).astype(int)]
    for j in range(2):
        made[f"b{j}"] = np.array(["no", "yes"], dtype=object)[rng.integers(0, 2, N)]
        days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 2000, N), unit="D")
        made[f"d{j}"] = days.strftime("%d.%m.%Y").to_numpy()
    return pd.DataFrame(made)


def column_transformer() -> Any:
    """Numbers and categories as an `Encoding` treats them; dates stay out."""
    numbers = SimpleImputer(strategy="median", add_indicator=True)
    levels = OneHotEncoder(min_frequency=10, handle_unknown="ignore")
    return make_column_transformer(
        (numbers, make_column_selector("^x")), (levels, make_column_selector("^[cb]"))
    )


class Tables:
    """Each step from a data frame to features, and the same by others."""

    version = "1"

    def setup(self) -> None:
        self.frame = mixed()
        self.rest = self.frame.drop(columns=["d0", "d1"])
        self.schema = tables.Schema.of(self.frame)
        self.codes = data.arrays.rows(self.schema.codes(self.frame))
        self.encoding = tables.Encoding.learn(self.schema, self.codes)
        self.fitted = make_pipeline(column_transformer()).fit(self.rest)

    def time_schema(self) -> None:
        tables.Schema.of(self.frame)

    def time_codes(self) -> None:
        self.schema.codes(self.frame)

    def time_learn(self) -> None:
        tables.Encoding.learn(self.schema, self.codes)

    def time_encode(self) -> None:
        self.encoding(self.codes)

    def time_all(self) -> None:
        tables.Encoding.learn(
            schema := tables.Schema.of(self.frame), data.arrays.rows(schema.codes(self.frame))
        ).of_frame(self.frame)

    def peakmem_encode(self) -> None:
        self.encoding(self.codes)

    def time_get_dummies(self) -> None:
        pd.get_dummies(self.rest)

    def time_column_transformer_fit(self) -> None:
        column_transformer().fit_transform(self.rest)

    def time_column_transformer(self) -> None:
        self.fitted.transform(self.rest)
