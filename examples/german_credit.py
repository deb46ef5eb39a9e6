"""Write german_credit.csv: 1000 loans of a German bank, of which 300 went bad.

    python examples/german_credit.py

The table is "Statlog (German Credit Data)" of H. Hofmann in the UCI Machine Learning Repository
(https://doi.org/10.24432/C5NC77), under the licence CC BY 4.0. Its codes, such as A11, are words
here, and its columns have short names; nothing else was changed.
"""

from __future__ import annotations

import gzip
from pathlib import Path

PACKED = Path(__file__).parents[1] / "docs" / "data" / "german_credit.csv.gz"


def main() -> None:
    """Write the table into the current folder."""
    Path("german_credit.csv").write_bytes(gzip.decompress(PACKED.read_bytes()))


if __name__ == "__main__":
    main()
