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
ALLOWED = _allowed(aucbench.__version__)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with both packages."""
    folder = tmp_path_factory.mktemp("packages")
    for options, name in NAMES.items():
        done("new", name, *options, "--into", folder)
    return folder


def built(packages, site):
    """Install all packages as wheels into a folder."""
    copies = shutil.copytree(packages, site / "copies")  # a build leaves files beside the source
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    # In isolation each build would fetch its tools; .ci/wheel builds one package so.
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", site / "dist"]
    quickly = {**os.environ, "CFLAGS": "-O0"}
    found = sorted(copies.glob("aucbench-*"))
    subprocess.run([*build, *found], check=True, capture_output=True, env=quickly)
    place = [*pip, "install", "--no-deps", "--no-index", "--target", site]
    place += sorted(site.glob("dist/*.whl"))
    subprocess.run(place, check=True, capture_output=True)
    modules = [path for path in site.glob("aucbench_*/*") if ".dist-info" not in str(path)]
    assert {path.suffix for path in modules} == {".py", ".so", ""}  # "" is the cache of Python
    return [*NAMES.values()]


def placed(packages, site):
    """Put the one into a folder that needs no compiler, as an installation would."""
    package, module = packages / "aucbench-my-solver", "aucbench_my_solver"
    about = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    Site(site).metadata(module, about["version"], about["entry-points"]["aucbench"])
    shutil.copytree(package / module, site / module)
    return ["my-solver"]


@pytest.fixture(scope="module", params=[placed, pytest.param(built, marks=pytest.mark.nightly)])
def installed(request, written, tmp_path_factory):
    """The packages in a folder like site-packages; and how to run commands there."""
    site = tmp_path_factory.mktemp("site")
    names = request.param(written, site)

    def run(*command, home=None):
        return subprocess.run(
            [sys.executable, *map(str, command)],
            check=False,
            capture_output=True,
            text=True,
            cwd=written,
            env={
                **os.environ,
                **dict.fromkeys(("PYTHONPATH", "ASV_PYTHONPATH"), str(site)),
                "HOME": str(home or Path.home()),
            },
        )

    run.names = names
    return run


def aucbench_command(*arguments):
    return ("-c", "from aucbench.cli import main; main()", *arguments)


@pytest.mark.nightly
def test_the_tests_of_every_package_pass(installed, written):
    tests = [written / f"aucbench-{name}" / "tests" for name in installed.names]
    options = ("-q", "-p", "no:cacheprovider", "-W", "error", "--import-mode=importlib")
    ended = installed("-m", "pytest", *options, *tests)
    assert ended.returncode == 0, ended.stdout
    assert int(re.search(r"(\d+) passed", ended.stdout)[1]) > 16 * len(tests)


@pytest.mark.slow
def test_every_package_obeys_the_laws(installed):
    targets = [f"aucbench-{name}:{name}" for name in installed.names]
    ended = installed(*aucbench_command("check", *targets))
    assert ended.returncode == 0, ended.stdout
    assert len(re.findall(r" \d+ hold, ", ended.stdout)) == len(targets)
    assert "broken" not in ended.stdout


@pytest.mark.nightly
def test_its_benchmarks_run_before_a_release(installed, written, tmp_path):
    pytest.importorskip("asv")
    for name in installed.names:
        package = shutil.copytree(written / f"aucbench-{name}", tmp_path / name)
        command = ["-m", "asv", "--config", package / "asv.conf.json"]
        assert installed(*command, "machine", "--yes", home=tmp_path).returncode == 0
        ended = installed(*command, "run", "--quick", "--python=same", home=tmp_path)
        assert ended.returncode == 0, ended.stdout
        assert len(re.findall(r"\bok$", ended.stdout, re.MULTILINE)) == 2


def test_its_texts_name_no_parameter_of_the_example_and_name_the_guide(written):
    for name in NAMES.values():
        folder, module = written / f"aucbench-{name}", name.replace("-", "_")
        solver = (folder / f"aucbench_{module}" / f"{module}.py").read_text(encoding="utf-8")
        [space] = re.findall(r"^    space = \{\"(\w+)\"", solver, re.MULTILINE)
        tests = (folder / "tests" / f"test_{module}.py").read_text(encoding="utf-8")
        assert not re.search(rf"\b{space}\s*=", tests)
        assert "`aucbench guide`" in (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES.values())
def test_the_metadata_fit_to_the_package(written, name):
    folder, compiled = written / f"aucbench-{name}", name == "my-kernel"
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    about = project["project"]
    assert about["name"] == folder.name
    assert about["dependencies"] == [ALLOWED]
    assert "aucbench-plugin" in about["keywords"]
    [(registered, value)] = about["entry-points"]["aucbench"].items()
    module, _, title = value.partition(":")
    assert (registered, title) == (name, name.title().replace("-", ""))
    assert (folder / f"{module.replace('.', '/')}.py").is_file()
    needed = {re.match(r"\w+", need)[0] for need in project["build-system"]["requires"]}
    assert needed == ({"aucbench", "Cython", "setuptools"} if compiled else {"setuptools"})
    assert (folder / "LICENSE").read_text(encoding="utf-8").startswith(about["license"][:3])
    if compiled:
        assert ALLOWED in project["build-system"]["requires"]


def test_ruff_has_nothing_to_say(written):
    pytest.importorskip("ruff")
    for folder in written.glob("aucbench-*"):
        command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--quiet", "."]
        checked = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Heavy-Ball", "words of lower-case letters and digits"),
        ("heavy_ball", "joined by hyphens"),
        ("3d", "beginning with a letter"),
        ("-x", "No such option"),
        ("x/../y", "got 'x/../y'"),
        ("x\n", "got 'x"),
        ("", "got ''"),
        ("aucbench-x", "would be called aucbench-aucbench-x"),
        ("lambda", "lambda has a meaning in Python"),
        ("print", "print has a meaning in Python"),
        ("warning", "Warning has a meaning in Python"),
        ("sht-auc", "aucbench itself has 'sht-auc'"),
        ("l1-ball", "aucbench itself has 'l1-ball'"),
        ("digits-8", "aucbench itself has 'digits-8'"),
        ("data", "Data would have two meanings in aucbench_data/data.py"),
    ],
)
def test_a_name_is_refused_before_anything_is_written(tmp_path, name, sentence):
    assert sentence in flat(said("new", name, "--into", tmp_path, code=2))
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("what", ["folder", "empty folder", "file", "dangling link"])
def test_nothing_is_overwritten(tmp_path, what):
    there = tmp_path / "aucbench-x"
    if what == "file":
        there.write_text("mine", encoding="utf-8")
    elif what == "dangling link":
        there.symlink_to(tmp_path / "nowhere")
    else:
        there.mkdir()
    if what == "folder":
        (there / "mine").touch()
    before = sorted(tmp_path.rglob("*"))
    told = flat(said("new", "x", "--into", tmp_path, code=2))
    assert "is there already, and nothing is overwritten" in told
    assert sorted(tmp_path.rglob("*")) == before
