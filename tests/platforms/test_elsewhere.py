"""The library and the commands on Windows and on macOS, as `elsewhere/` has them."""

import json
import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from nights import NIGHTLY, first

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it emulates others on Linux")
ROOT = Path(__file__).parents[2]
ELSEWHERE = Path(__file__).parent / "elsewhere"
SYSTEMS = ["win32", "darwin"]
# What our code tries, and what Windows says.
TRIED = """
import os, sys
def refused(action):
    try:
        action()
    except Exception as error:
        return type(error).__name__
held = open("held", "w")
print([sys.platform, hasattr(os, "fork"), hasattr(os, "getpid"), *map(refused, (
    lambda: __import__("fcntl", globals()),
    lambda: open("/proc/self/stat"),
    lambda: os.replace("held", "other"),
    lambda: os.remove("held"),
    lambda: os.symlink("held", "link"),
    lambda: os.open(".", os.O_RDONLY),
    lambda: open("a:b", "w"),
    held.close,
    lambda: os.replace("held", "other"),
))])
"""
REFUSED = ["ModuleNotFoundError", "FileNotFoundError", *["PermissionError"] * 4, "OSError"]


def ran(system, folder, *words):
    """What a process on that system prints."""
    own = {"AUCBENCH_TEST_SYSTEM": system, "PYTHONPATH": str(ELSEWHERE)}
    environment = {**os.environ, **own, "AUCBENCH_CACHE": str(folder / "cache")}
    ended = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def tour():
    spec = spec_from_file_location("tour", ELSEWHERE / "tour.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def our_modules():
    """The names of all modules that other systems import."""
    for folder, package in (("aucbench", "aucbench"), ("plugins", "aucbench_plugins")):
        for path in (ROOT / folder).rglob("*.py"):
            *names, last = path.relative_to(ROOT / folder).with_suffix("").parts
            yield ".".join([package, *names, *[last] * (last != "__init__")])


def test_what_another_system_refuses_is_refused(tmp_path):
    code = f"exec(compile({TRIED!r}, 'aucbench', 'exec'), {{'__name__': 'aucbench.tried'}})"
    found = ["win32", False, True, *REFUSED, None, None]
    assert ran("win32", tmp_path, "-c", code) == f"{found}\n"


@pytest.mark.slow
@pytest.mark.parametrize("system", first(SYSTEMS))
def test_the_library_does_the_same_on_other_systems(system, tmp_path, monkeypatch):
    seen = json.loads(ran(system, tmp_path, ELSEWHERE / "tour.py"))

    assert {*our_modules()} <= {*seen.pop("modules")}
    assert seen.pop("scratch") == [True, False, False]
    assert seen.pop("stores") == [3, True, []]
    assert {*map(tuple, seen.pop("files").values())} == {(240, 6), (240, 5)}
    monkeypatch.chdir(tmp_path)
    assert seen == {"models": tour().models()}


@pytest.mark.parametrize("system", SYSTEMS)
@NIGHTLY
def test_commands_work_on_other_systems(system, tmp_path):
    def command(*words):
        code = "from aucbench.cli import main; main()"
        return ran(system, tmp_path, "-c", code, *words)

    tour().rows().to_csv(tmp_path / "rows.csv", index=False)
    solvers = ("--solvers", "sht-auc,logistic", "--splits", "2", "--out", "out")
    assert " has the highest AUC" in command("compare", "--data", "rows.csv", *solvers)
    command("report", "out", "--html", "page.html")
    assert "sht-auc" in (tmp_path / "page.html").read_text(encoding="utf-8")

    fit = ("fit", "--data", "rows.csv", "--solver", "sht-auc", "--out", "model")
    assert "saved as model" in command(*fit)
    assert "sht-auc" in command("explain", "model")
    command("predict", "model", "rows.csv", "--out", "scores.csv")
    assert len((tmp_path / "scores.csv").read_text(encoding="utf-8").splitlines()) == 241
