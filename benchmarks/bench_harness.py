"""What supervision costs: the command `compare` with fits that take almost no time."""

from __future__ import annotations

import subprocess
import sys

COMMAND = [sys.executable, "-c", "from aucbench.cli import main; main()"]
DATA = "outbreak[n=1000,d=20,k=5]"


class Compare:
    """2 or 42 cells of one pass over 1000 x 20 rows; the difference is the time of 40 cells."""

    version = "1"
    params = (2, 42)
    param_names = ("cells",)
    timeout = 120

    def time_compare(self, cells: int) -> None:
        shape = ["--splits", "2", "--repeats", str(cells // 2), "--passes", "1", "--jobs", "2"]
        arguments = ["compare", "--data", DATA, "--solvers", "sht-auc", "--quiet", *shape]
        subprocess.run([*COMMAND, *arguments], check=True, capture_output=True)
