"""What a user waits for before anything is computed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("aucbench")


class Import:
    """A fresh interpreter for each measurement."""

    version = "1"

    def timeraw_import_aucbench(self) -> str:
        return "import aucbench"

    def timeraw_import_numpy(self) -> str:
        return "import numpy"


class CommandLine:
    """Wall time of the command, the start of Python included."""

    version = "1"

    def time_help(self) -> None:
        subprocess.run([COMMAND, "--help"], check=True, capture_output=True)

    def time_list_solvers(self) -> None:
        subprocess.run([COMMAND, "list", "solvers"], check=True, capture_output=True)
