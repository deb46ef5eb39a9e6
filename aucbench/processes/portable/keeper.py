"""The process that waits for the end of the client, and then ends what is left of its jobs.

Design
  a. The client holds the other end of its stdin. The system closes it when the client ends, in
     whatever way; but a fork of the client may have it too, so the client is also looked for.
  b. It imports nothing of what jobs need, so that it is small and starts soon.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psutil

from aucbench.processes import scratch
from aucbench.processes.portable.family import GONE, end_marked, is_alive
from aucbench.processes.supervisor import MARK

LOOK = 0.5  # seconds between two looks for the client
PATIENCE = 2.0  # seconds for the processes to end


def main(setup: Mapping[str, Any]) -> None:
    """Wait for the end of the client, end all processes of its jobs, and remove its folder."""
    since = psutil.Process().create_time()  # the client starts it before all others
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    closed = Event()
    Thread(target=_wait_for_the_end, args=(closed,), daemon=True).start()
    while not closed.wait(LOOK) and _is_there(setup["client"]):
        continue
    end_marked(MARK, setup["token"], since, PATIENCE)
    scratch.remove(Path(setup["folder"]))


def _wait_for_the_end(closed: Event) -> None:
    while sys.stdin.buffer.read(1):
        continue
    closed.set()


def _is_there(client: int) -> bool:
    try:
        return is_alive(psutil.Process(client))
    except GONE:
        return False
