"""Linear models and trees of others on a dask cluster, on the rows of benchmarks/dask_parts.py.

    PEERS/bin/python benchmarks/dask_peers.py rows.parquet --train 2000000

It imports nothing of ours: run it by a Python that has dask-ml and xgboost. The first `--train`
rows are learnt from, and the last fifth of the file is not read. Rows stay on the workers before
the clock starts. AUC is that of the 100 000 rows after the training rows.
"""

from __future__ import annotations

import argparse
import logging
import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow.parquet as pq

WORKERS = 2
TEST = 100_000


def rows_of(path: str, n: int) -> tuple[Any, Any]:
    """Return the first n rows and labels in {0, 1}, float32."""
    file, parts, count = pq.ParquetFile(path), [], 0
    for i in range(file.num_row_groups):
        if count >= n:
            break
        parts.append(file.read_row_group(i).to_pandas())
        count += len(parts[-1])
    import pandas as pd

    table = pd.concat(parts).iloc[:n]
    y = (table.pop("label").to_numpy() > 0).astype(np.int64)
    return table.to_numpy(np.float32), y


def main() -> None:
    """Print a line for each method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--train", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    import dask.array as da
    from distributed import Client, LocalCluster, wait
    from sklearn.metrics import roc_auc_score

    X, y = rows_of(asked.file, asked.train + TEST)
    with (
        LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        n, chunk = asked.train, asked.train // 8
        dX = da.from_array(X[:n], chunks=(chunk, X.shape[1])).persist()
        dy = da.from_array(y[:n], chunks=chunk).persist()
        wait([dX, dy])
        methods: dict[str, Callable[[], Callable[[Any], Any]]] = {
            "dask-ml LogisticRegression(lbfgs, 15)": lambda: _logistic(dX, dy),
            "xgboost.dask, 20 trees": lambda: _trees(client, dX, dy),
        }
        for _ in range(asked.rounds):
            for name, fit in methods.items():
                start = perf_counter()
                score = fit()
                seconds = perf_counter() - start
                auc = roc_auc_score(y[n:], score(X[n:]))
                print(f"{name}: {seconds:.2f} s, AUC {auc:.5f}", flush=True)


def _logistic(X: Any, y: Any) -> Callable[[Any], Any]:
    from dask_ml.linear_model import LogisticRegression

    model = LogisticRegression(solver="lbfgs", max_iter=15).fit(X, y)
    return lambda rows: rows @ model.coef_.ravel()


def _trees(client: Any, X: Any, y: Any) -> Callable[[Any], Any]:
    import xgboost
    from xgboost import dask as on_dask

    data = on_dask.DaskDMatrix(client, X, y)
    params = {"objective": "binary:logistic", "tree_method": "hist"}
    booster = on_dask.train(client, params, data, num_boost_round=20)["booster"]
    return lambda rows: booster.predict(xgboost.DMatrix(rows))


if __name__ == "__main__":
    main()
