"""A plan of plugins that do everything wrong: each ends as its own row, the run goes on."""

import json
import re

import psutil
import torture_plugins as torture

from aucbench.bench.results.store import Store
from aucbench.processes.supervisor import LINUX


def test_torture(shell, kind):
    solvers = ",".join(torture.STATUS)

    ended = shell.run(
        *("compare", "--data", "breast-cancer", "--solvers", solvers, "--splits", "2"),
        *("--features", "maxabs", "--passes", "30", "--memory", "500"),
        *("--timeout", 2 if kind == LINUX else 5),  # what is not refused takes time to allocate
        *("--json", "rows.json", "--out", "kept"),
    )

    assert ended.returncode == 0, ended.stderr
    rows = json.loads((shell.folder / "rows.json").read_text())
    found = {row["solver"]: row["status"] for row in rows}
    assert found == torture.STATUS
    assert len(rows) == 2 * len(torture.STATUS)
    assert all(row["status"] == torture.STATUS[row["solver"]] for row in rows)
    assert all(row["reason"] for row in rows if row["status"] != "ok")
    healthy = {row["split"]: row["auc"] for row in rows if row["solver"] == "healthy"}
    for row in rows:
        if row["status"] == "ok":
            assert row["auc"] == healthy[row["split"]], row["solver"]
    assert "24 of 32" in ended.stdout + ended.stderr
    with Store(shell.folder / "kept") as store:
        logs = [record.process.log for record in store.records() if record.why.startswith("did")]
    assert len(logs) == 4
    assert all(re.search(r'misbehaves.py", line \d+ in misbehave\n', log) for log in logs)
    left = [p for p in psutil.process_iter(["cmdline"]) if _ours(p)]
    assert not left


def _ours(process):
    return any("aucbench-torture-orphan" in part for part in process.info["cmdline"] or ())
