"""`aucbench` in a process of its own, with the torture plugins installed for it."""

import os
import subprocess
import sys
from pathlib import Path
from time import sleep

import psutil
from supervise.asking import until
from toys import BROKEN, DEADLY, TORTURE, Site

from aucbench.bench.results.store import Store

COMMAND = [sys.executable, "-c", "from aucbench.cli import main; main()"]
PATIENCE = 120.0  # seconds for processes to end, also on a machine that has much else to do


class Shell:
    """Runs the command line in a new folder, with a site of the torture plugins on its path."""

    def __init__(self, home: Path):
        self.home, self.folder, self.temporary = home, home / "work", home / "tmp"
        self.site = Site(home / "site")
        for folder in (self.folder, self.temporary, self.site.path):
            folder.mkdir()
        misbehaving = {"broken": BROKEN, "deadly": DEADLY}
        self.site.add("torture", misbehaves=TORTURE, **misbehaving)
        path = os.pathsep.join(filter(None, [str(self.site.path), os.environ.get("PYTHONPATH")]))
        self.env = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"}
        self.env["TMPDIR"] = str(self.temporary)
        self.started = []

    def start(self, *arguments):
        command = [*COMMAND, *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self.started.append(subprocess.Popen(command, cwd=self.folder, env=self.env, **pipes))
        return self.started[-1]

    def close(self):
        """End what a test that has failed has left."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def run(self, *arguments, timeout=600):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def compare(self, data, solvers, out, *more, splits=2, features="none"):
        """The records of a comparison, by solver and split; two cells run at once."""
        ended = self.run(
            *("compare", "--data", data, "--solvers", solvers, "--splits", splits, "--jobs", 2),
            *("--features", features, "--out", out, "--quiet", *more),
        )
        assert ended.returncode == 0, ended.stderr + ended.stdout
        return self.records(out)

    def records(self, out):
        """The records of a results folder, by solver and split."""
        with Store(self.folder / out) as store:
            return {(str(r.cell.solver), r.cell.split): r for r in store.records()}

    def finished(self, out):
        """Number of cells that are finished."""
        return len([*(self.folder / out).glob("cells/*/*.json")])

    def line(self, process):
        """The next line of a command about its work, not about an import that takes long."""
        lines = iter(process.stderr.readline, "")
        return next((line for line in lines if not line.startswith("waiting for")), "")

    def until(self, process, done):
        """Wait for a condition, while a process runs."""
        while not done():
            assert process.poll() is None, process.communicate()
            sleep(0.002)

    def processes(self):
        """Those of commands that run."""
        found, own = psutil.process_iter(["environ"]), str(self.temporary)
        return [p for p in found if (p.info["environ"] or {}).get("TMPDIR", "").startswith(own)]

    def require_nothing_left(self):
        """No process of a command runs on, and no temporary file stays."""
        until(lambda: not self.processes() and not any(self.temporary.iterdir()), PATIENCE)
