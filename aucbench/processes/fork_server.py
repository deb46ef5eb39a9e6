"""Make this process a fork server, by being imported; see `multiprocessing.forkserver`.

Design
  a. It has a session of its own: a signal to the group of the client does not reach it.
  b. It adopts what the processes of jobs leave behind, so that the supervisor finds it.
  c. It ends when the client does, in whatever way. Then it ends all that is below it, and removes
     the folder of the supervisor.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
import traceback
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from aucbench.processes import host
from aucbench.processes.family import end_below
from aucbench.processes.records import MARK
from aucbench.processes.scratch import remove
from aucbench.processes.starting import SETUP


def end_all(sockets: Path) -> None:
    """End all processes below this one, and remove the folders of the supervisor."""
    end_below()
    for folder in (Path(os.environ[MARK]), sockets):
        remove(folder)


def become(setup: Mapping[str, Any]) -> None:
    """Import what the processes of jobs find imported, and be ready to fork them."""
    sys.path[:] = setup["path"]
    host.set_variables(setup["variables"])
    try:
        for module in setup["preload"]:
            import_module(module)
    except BaseException:  # `multiprocessing` would go on without it
        traceback.print_exc()
        os._exit(1)
    if sys.platform != "win32":
        os.setsid()
    host.adopt_orphans()
    # Processes that it has adopted end, too.
    warnings.filterwarnings("ignore", "forkserver: waitpid returned")
    atexit.register(end_all, Path(setup["sockets"]))
    gc.collect()
    gc.freeze()  # what is never visited is never copied by a fork


if SETUP in os.environ:
    become(json.loads(os.environ.pop(SETUP)))
