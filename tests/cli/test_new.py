"""`aucbench new`: what it writes is built, tested, checked and compared as its author would."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from command_line import done, flat, said
from toys import Site

import aucbench
from aucbench.testing.scaffold import _allowed

NAMES = {(): "my-solver", ("--kernel",): "my-kernel"}  # by the options


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with both packages."""
    folder = tmp_path_factory.mktemp("packages")
    for options, name in NAMES.items():
        done("new", name, *options, "--into", folder)
    return folder


@pytest.fixture(scope="module")
def installed(written, tmp_path_factory):
    """The package that needs no compiler in a folder like site-packages; and how to run there."""
    site = tmp_path_factory.mktemp("site")
    package, module = written / "aucbench-my-solver", "aucbench_my_solver"
    about = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    Site(site).metadata(module, about["version"], about["entry-points"]["aucbench"])
    shutil.copytree(package / module, site / module)

    def run(*command, home=None):
        paths = dict.fromkeys(("PYTHONPATH", "ASV_PYTHONPATH"), str(site))
        environment = {**os.environ, **paths, "HOME": str(home or Path.home())}
        command = [sys.executable, *map(str, command)]
        how = {"check": False, "capture_output": True, "text": True, "cwd": written}
        return subprocess.run(command, **how, env=environment)

    return run


@pytest.mark.nightly
def test_the_tests_of_a_package_pass_and_its_benchmarks_run(installed, written, tmp_path):
    package = shutil.copytree(written / "aucbench-my-solver", tmp_path / "package")
    options = ("-q", "-p", "no:cacheprovider", "-W", "error", "--import-mode=importlib")
    ended = installed("-m", "pytest", *options, package / "tests")
    assert ended.returncode == 0, ended.stdout
    assert int(re.search(r"(\d+) passed", ended.stdout)[1]) > 16

    pytest.importorskip("asv")
    command = ["-m", "asv", "--config", package / "asv.conf.json"]
    assert installed(*command, "machine", "--yes", home=tmp_path).returncode == 0
    ended = installed(*command, "run", "--quick", "--python=same", home=tmp_path)
    assert ended.returncode == 0, ended.stdout
    assert len(re.findall(r"\bok$", ended.stdout, re.MULTILINE)) == 2


@pytest.mark.slow
def test_a_package_obeys_the_laws(installed):
    command = ("-c", "from aucbench.cli import main; main()", "check")
    ended = installed(*command, "aucbench-my-solver:my-solver")
    assert ended.returncode == 0, ended.stdout
    assert len(re.findall(r" \d+ hold, ", ended.stdout)) == 1
    assert "broken" not in ended.stdout


@pytest.mark.parametrize("name", NAMES.values())
def test_the_metadata_fit_to_the_package_and_ruff_has_nothing_to_say(written, name):
    folder = written / f"aucbench-{name}"
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    about, needed = project["project"], {*project["build-system"]["requires"]}
    assert about["name"] == folder.name
    assert about["dependencies"] == [_allowed(aucbench.__version__)]
    assert needed.issuperset(about["dependencies"]) == (name == "my-kernel")
    [(registered, value)] = about["entry-points"]["aucbench"].items()
    assert (registered, value.partition(":")[2]) == (name, name.title().replace("-", ""))
    assert "`aucbench guide`" in (folder / "README.md").read_text(encoding="utf-8")
    pytest.importorskip("ruff")
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--quiet", "."]
    checked = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert checked.returncode == 0, checked.stdout


REFUSED = {
    **{"Heavy-Ball": "lower-case", "heavy_ball": "hyphens", "3d": "letter", "-x": "No such option"},
    **{"x/../y": "'x/../y'", "x\n": "'x", "": "''", "aucbench-x": "aucbench-aucbench-x"},
    **{"lambda": "meaning", "print": "meaning", "warning": "Warning", "data": "two meanings"},
    **{"sht-auc": "'sht-auc'", "l1-ball": "'l1-ball'", "digits-8": "'digits-8'"},
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_is_refused_before_anything_is_written(tmp_path, name):
    assert REFUSED[name] in flat(said("new", name, "--into", tmp_path, code=2))
    assert not [*tmp_path.iterdir()]


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "aucbench-x").symlink_to(tmp_path / "nowhere")
    assert "nothing is overwritten" in flat(said("new", "x", "--into", tmp_path, code=2))
    assert [path.name for path in tmp_path.iterdir()] == ["aucbench-x"]
