"""A process that runs an engine on cells that wait, until somebody ends it."""

import json
import sys
from pathlib import Path

from supervise.asking import HERE

from aucbench.bench.engines import local, make_engine
from aucbench.processes import Job, Limits

if __name__ == "__main__":
    folder = sys.argv[2]
    local.PRELOAD = ()
    engine = make_engine(**json.loads(sys.argv[1]), folder=Path(folder))
    requests = ({"n": n, "folder": folder} for n in range(9))
    jobs = ((str(r["n"]), Job(f"{HERE}:wait", r, Limits(60.0))) for r in requests)
    for ended in engine.run(jobs):
        raise AssertionError(ended)
