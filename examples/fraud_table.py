"""Write a table such as a payment company has: 50 000 rows, 1 % fraud, text, dates and gaps.

python examples/fraud_table.py train.csv --seed 0
python examples/fraud_table.py new.csv --seed 1 --rows 10000 --no-label
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd

COUNTRIES = ("DE", "FR", "PL", "NL", "ES", "IT", "SE", "AT", "PT", "RO", "MT", "CY")
CHANNELS = ("web", "app", "phone", "shop")


def fraud_table(rows: int, seed: int) -> pd.DataFrame:
    """Return the payments; `fraud` is yes for about 1 % of them."""
    rng = np.random.default_rng(seed)
    amount = rng.lognormal(3.5, 1.1, rows)
    age = rng.integers(18, 90, rows).astype(float)
    minutes = rng.integers(0, 366 * 24 * 60, rows)
    country = rng.choice(COUNTRIES, rows, p=np.arange(12, 0, -1) / 78)
    channel = rng.choice(CHANNELS, rows, p=(0.4, 0.4, 0.05, 0.15))
    devices = rng.poisson(1.5, rows)
    night = (minutes // 60) % 24 < 5
    known = rng.random(rows) < 0.7
    logit = 0.9 * np.log(amount) + 0.5 * devices + 1.6 * night - 1.4 * known - 0.01 * age
    logit += np.isin(country, ("MT", "CY")) * 1.5 + (channel == "phone") * 1.2
    fraud = rng.random(rows) < 1 / (1 + np.exp(8.75 - logit))
    return pd.DataFrame(
        {
            "payment": [f"P{seed}{number:07d}" for number in range(rows)],
            "time": pd.Timestamp("2024-01-01") + pd.to_timedelta(minutes, unit="min"),
            "amount": amount.round(2),
            "age": np.where(rng.random(rows) < 0.08, np.nan, age),
            "country": np.where(rng.random(rows) < 0.02, "", country),
            "channel": channel,
            "devices": devices,
            "known": np.where(known, "true", "false"),
            "fraud": np.where(fraud, "yes", "no"),
        }
    )


def main() -> None:
    """Write the file."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file")
    options.add_argument("--rows", type=int, default=50_000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--no-label", action="store_true")
    given = options.parse_args()
    table = fraud_table(given.rows, given.seed)
    table.drop(columns="fraud" if given.no_label else []).to_csv(given.file, index=False)


if __name__ == "__main__":
    main()
