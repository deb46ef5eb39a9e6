"""The supervisor of this host: the one of Linux where it can run, else the portable one."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from aucbench.errors import AucbenchError, ParameterError
from aucbench.processes.supervisor import KINDS, LINUX, PORTABLE, Supervisor

CHOICE = "AUCBENCH_SUPERVISOR"  # variable that names one of KINDS


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
    ParameterError
        When `AUCBENCH_SUPERVISOR` names none, or one that cannot run here.
    AucbenchError
        When no process can be started.
    """
    if kind() == LINUX:
        from aucbench.processes.linux.client import LinuxSupervisor

        return LinuxSupervisor(threads=threads, preload=preload, hidden=hidden)
    if find_spec("psutil") is None:
        raise AucbenchError("the portable supervisor takes psutil: pip install psutil")
    from aucbench.processes.portable.client import PortableSupervisor

    return PortableSupervisor(threads=threads, preload=preload, hidden=hidden)


def kind() -> str:
    """Return which supervisor this host has; `ParameterError`: the variable asks for no such one.

    The variable AUCBENCH_SUPERVISOR chooses; without it, it is that of Linux where it can run.
    """
    asked = os.environ.get(CHOICE) or (LINUX if can_be_linux() else PORTABLE)
    if asked not in KINDS:
        raise ParameterError(f"{CHOICE} is {asked!r}; set it to {' or '.join(KINDS)}, or unset it")
    if asked == LINUX and not can_be_linux():
        raise ParameterError(
            f"{CHOICE} is {asked!r}, but that supervisor cannot run on this system "
            f"({sys.platform}); unset it, or set it to {PORTABLE}"
        )
    return asked


def can_be_linux() -> bool:
    """Whether the kernel has what the supervisor of Linux takes; some sandboxes have not all."""
    if sys.platform != "linux":
        return False
    from aucbench.processes.linux.fixed import can_seal
    from aucbench.processes.linux.proc import can_follow

    return can_seal() and can_follow()
