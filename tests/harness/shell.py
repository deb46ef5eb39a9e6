"""`aucbench` in a process of its own, with the torture plugins installed for it."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import torture_plugins as torture
from plugin_site import Site

from aucbench.bench.results.store import Store

COMMAND = [sys.executable, "-c", "from aucbench.cli import main; main()"]


class Shell:
    """Runs the command line in a folder, with a plugin site on its path."""

    def __init__(self, folder: Path, site: Path):
        self.folder = folder
        path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
        self.env = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"}

    def start(self, *arguments, **options):
        given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        command = [*COMMAND, *map(str, arguments)]
        return subprocess.Popen(command, cwd=self.folder, env=self.env, **given)

    def run(self, *arguments, timeout=600):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def compare(self, data, solvers, out, *more, splits=2, features="none", returncode=0):
        """The records of a comparison, by solver and split; two cells run at once."""
        ended = self.run(
            *("compare", "--data", data, "--solvers", solvers, "--splits", splits, "--jobs", 2),
            *("--features", features, "--out", out, "--quiet", *more),
        )
        assert ended.returncode == returncode, ended.stderr + ended.stdout
        with Store(self.folder / out) as store:
            return {(str(r.cell.solver), r.cell.split): r for r in store.records()}


def assert_same_measures(one, other):
    """Equal but for the times."""
    names = ("fit_seconds", "cpu_seconds", "fit_seconds_each", "predict_seconds")
    times = {name: getattr(other.measures, name) for name in names}
    assert replace(one.measures, **times) == other.measures


def installed(folder: Path) -> Shell:
    """A shell in a new folder, whose commands find the torture plugins."""
    site = folder / "site"
    site.mkdir()
    (folder / "work").mkdir()
    Site(site).add(
        "torture", misbehaves=torture.SOLVERS, broken=torture.BROKEN, deadly=torture.DEADLY
    )
    return Shell(folder / "work", site)
