import inspect
import re
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest
from command_line import said
from plugin_site import returned

import aucbench
from aucbench import hookspecs, protocols
from aucbench.about import about_of, bibtex
from aucbench.registry import get_dataset, get_objective, get_projector, get_solver
from aucbench.registry.discovery import KINDS
from aucbench.testing import LAWS, Verdict, check

GUIDE = (files("aucbench") / "guide.md").read_text(encoding="utf-8")
ROOT = Path(__file__).resolve().parents[2]


def part(name, language="python"):
    """The code of a part of the guide."""
    text = GUIDE.split(f"[start:{name}] -->")[1].split(f"[end:{name}] -->")[0]
    [code] = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return code


def test_the_tests_of_the_guide_pass_on_its_solver(tmp_path):
    (tmp_path / "normalised_gradient.py").write_text(part("solver"), encoding="utf-8")
    (tmp_path / "test_normalised_gradient.py").write_text(part("test"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^\d{2} passed, \d+ skipped", done.stdout, re.MULTILINE)


@pytest.mark.nightly
def test_the_tests_of_the_guide_find_a_wrong_solver(tmp_path):
    wrong = part("solver").replace("w - gamma / norm * g", "w + gamma / norm * g")
    assert wrong != part("solver")
    (tmp_path / "normalised_gradient.py").write_text(wrong, encoding="utf-8")
    (tmp_path / "test_normalised_gradient.py").write_text(part("test"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    failed = "FAILED test_normalised_gradient.py::test_solver[NormalisedGradient-objective-falls]"
    assert failed in done.stdout


@pytest.fixture
def installed(site):
    """The package of the guide, as its metadata install it, and its other kinds."""
    project = tomllib.loads(part("package", "toml"))
    [(name, value)] = project["project"]["entry-points"]["aucbench"].items()
    module = value.rpartition(".")[2]
    folder = site.path / value.partition(".")[0]
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / f"{module}.py").write_text(part("solver"), encoding="utf-8")
    (folder / "others.py").write_text(part("others"), encoding="utf-8")
    points = {name: value, **dict.fromkeys(returned(part("others")), f"{folder.name}.others")}
    site.metadata(project["project"]["name"], project["project"]["version"], points)
    assert project["tool"]["setuptools"]["packages"] == [folder.name]
    return name


def test_the_package_registers_its_solver(installed):
    solver = get_solver(f"{installed}[0.5]")
    assert solver.gamma == 0.5
    data = aucbench.get_dataset("breast-cancer")
    run = aucbench.solve(solver, data, passes=3)
    assert [p.step for p in run.points][-1] == 3
    assert [*bibtex(about_of(type(solver)).cites)] == ["shor1985"]


def test_the_solver_minimises_what_it_is_given(installed):
    data = get_dataset("clouds", n=100)
    solver = get_solver(installed)
    problem = protocols.Problem(
        get_objective("exponential", data), get_projector("half-space", low=3.0)
    )
    rng = np.random.default_rng(0)
    for state in solver.iterates(problem, rng):
        assert problem.project.contains(state.w)
        if state.step == 200:
            break
    best = problem.value(state.w)
    assert all(
        problem.value(state.w + np.array([e, -e])) > best - 1e-3 for e in (-0.5, -0.1, 0.1, 0.5)
    )
    assert best < problem.value(np.array([3.0, 0.0]))


def test_the_objective_of_the_guide_has_the_gradient_of_its_value(installed):
    f = get_objective("exponential", get_dataset("clouds", n=40, seed=1))
    w = np.array([0.3, -0.7])
    for j, h in enumerate(np.eye(2) * 1e-6):
        assert f.grad(w)[j] == pytest.approx((f.value(w + h) - f.value(w - h)) / 2e-6, rel=1e-6)
    blocks = [slice(0, 20), slice(20, 40)]
    np.testing.assert_allclose(np.mean([f.grad(w, b) for b in blocks], axis=0), f.grad(w))


def test_the_projector_of_the_guide_finds_the_nearest_point(installed):
    project = get_projector("half-space[low=2]")
    rng = np.random.default_rng(0)
    for v in rng.normal(size=(20, 3)):
        nearest = project(v.copy())
        assert project.contains(nearest)
        np.testing.assert_allclose(project(nearest.copy()), nearest)
        others = nearest + rng.normal(size=(50, 3))
        inside = [u for u in others if project.contains(u)]
        assert all(np.linalg.norm(u - v) >= np.linalg.norm(nearest - v) for u in inside)


def test_the_plugins_of_the_guide_obey_the_laws(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "of_each_kind.py").write_text(part("others"), encoding="utf-8")
    try:
        findings = check(str(tmp_path / "of_each_kind.py"))
    finally:
        sys.modules.pop("of_each_kind", None)
    assert {f.kind for f in findings} == {*LAWS}
    assert not [f for f in findings if f.verdict is Verdict.BROKEN]


def test_the_guide_names_the_hooks_and_members_that_there_are():
    table = GUIDE.split("[start:contract] -->")[1]
    hooks = {*re.findall(r"`(aucbench_\w+)`", table)}
    assert all(hasattr(hookspecs, hook) for hook in hooks)
    assert hooks == {f"aucbench_{kind}" for kind in KINDS}
    kinds = {"solver": "Solver", "objective": "Objective", "projector": "Projector"}
    for kind, protocol in {**kinds, "feature map": "FeatureMap"}.items():
        [row] = re.findall(rf"^\| {kind} \|.*$", table, re.MULTILINE)
        told = {*re.findall(r"`(\w+)", row.split(" | ")[3])} - {"curvature"}
        followed = getattr(protocols, protocol)
        members = {*vars(followed), *followed.__annotations__} - {*vars(Protocol)}
        assert told == {m for m in members if m[0] != "_" or m == "__call__"}


def test_the_parameters_of_the_guide_are_documented_for_programs():
    names = {"__name__": "others"}
    exec(part("others"), names)
    doc = inspect.getdoc(names["HalfSpace"])
    assert "low : float\n    Least sum, in units of w." in doc


def test_the_command_prints_the_guide_without_marks():
    printed = said("guide")
    assert printed.startswith("# How to write a plugin of aucbench\n")
    assert "--8<--" not in printed
    assert part("solver") in printed
    assert part("package", "toml") in printed


@pytest.mark.parametrize("line", re.findall(r"^\$ (aucbench .*)$", GUIDE, re.MULTILINE))
def test_the_commands_of_the_guide_exist(line):
    command, *options = line.split()[1:]
    shown = said(command, "--help")
    assert all(option in shown for option in options if option.startswith("--"))


def test_the_guide_is_in_the_wheel():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = project["tool"]["setuptools"]["package-data"]["aucbench"]
    assert {"guide.md", "references.bib"} <= {*shipped}


def test_the_page_shows_how_a_paper_is_cited():
    page = (ROOT / "docs" / "plugin.md").read_text(encoding="utf-8")
    [code] = [c for c in re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S) if "cites=(" in c]
    names = {}
    exec(code, names)
    assert [*bibtex(about_of(names["HeavyBall"]).cites)] == ["polyak1964"]
