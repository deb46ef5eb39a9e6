"""Clusters of dask for tests: two workers with one thread each, on this host."""

import logging
from contextlib import contextmanager

from distributed import Client, LocalCluster


@contextmanager
def two_workers(*, processes=False, default=False):
    """A client of a cluster; without processes its workers are threads of this one."""
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=processes,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=default) as client,
    ):
        yield client
