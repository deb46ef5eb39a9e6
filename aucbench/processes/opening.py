"""The supervisor of this host."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from aucbench.errors import UnsupportedError
from aucbench.processes.supervisor import Supervisor


def open_supervisor(
    *, threads: int = 1, preload: Sequence[str] = (), hidden: Sequence[str] = ()
) -> Supervisor:
    """Open the supervisor of this host.

    It owns all processes below it. When this process ends, in any way, the others end within about
    two seconds.

    Parameters
    ----------
    threads : int
        Threads of aucbench, OpenMP, OpenBLAS and MKL in each job.
    preload : sequence of str
        Modules that each job finds imported. They must not start threads, and must not be
        third-party plugins: if one crashes, no job can run.
    hidden : sequence of str
        Variables that a fence may hide.

    Raises
    ------
    UnsupportedError
        On another system than Linux.
    """
    if sys.platform != "linux":
        raise UnsupportedError(
            f"jobs cannot be supervised on {sys.platform}: it takes Linux; use a container"
        )
    from aucbench.processes.linux.client import LinuxSupervisor

    return LinuxSupervisor(threads=threads, preload=preload, hidden=hidden)
