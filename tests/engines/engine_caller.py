"""A process of its own that runs an engine on cells that wait, for tests that end it."""

import json
import sys
from pathlib import Path

from engine_start import start_quickly

from aucbench.bench.engines import make_engine
from aucbench.processes import Job, Limits


def main(options, folder):
    """Run until somebody ends it; what comes back is an error."""
    start_quickly()
    engine = make_engine(**options, folder=Path(folder))
    jobs = (
        (str(n), Job("engine_jobs:wait", {"n": n, "folder": folder}, Limits(60.0)))
        for n in range(9)
    )
    for ended in engine.run(jobs):
        raise AssertionError(ended)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2])
