"""The guide alone is enough: its code runs, its names and its tables are those of the code."""

import re
import shlex
import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from string import Template

import numpy as np
import pytest
from command_line import done, said
from shown_pages import blocks_in, commands

from aucbench.about import about_of, bibtex
from aucbench.contract import CAPABILITIES, Budget, Problem
from aucbench.registry import (
    get_dataset,
    get_metric,
    get_objective,
    get_projector,
    get_solver,
)
from aucbench.testing import LAWS, Verdict, check

GUIDE = (files("aucbench") / "guide.md").read_text(encoding="utf-8")
ROOT = Path(__file__).resolve().parents[2]
PATH = re.compile(r"# ([\w./]+\.py)\n")
FILES = {path[1]: code[path.end() :] for _, code in blocks_in(GUIDE) if (path := PATH.match(code))}
COMMANDS = [
    command
    for language, block in blocks_in(GUIDE)
    for command, _ in (commands(block) if language == "console" else ())
]


def package():
    """The part of `pyproject.toml` that the guide shows."""
    [text] = [code for language, code in blocks_in(GUIDE) if language == "toml"]
    return tomllib.loads(text)["project"]


@pytest.fixture
def folder(tmp_path):
    """The files of the guide."""
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "__init__.py").touch()
    for path, code in FILES.items():
        (tmp_path / path).write_text(code, encoding="utf-8")
    return tmp_path


@pytest.fixture
def installed(site, folder):
    """The package, whose entry points are one line for each plugin, as in the guide."""
    [(name, value)] = package()["entry-points"]["aucbench"].items()
    others = {
        "exponential": "my_package.exponential:Exponential",
        "half-space": "my_package.half_space:HalfSpace",
        "clouds": "my_package.clouds:clouds",
        "youden": "my_package.youden:youden",
    }
    site.metadata(package()["name"], package()["version"], {name: value, **others})
    return name


def test_its_solver_is_the_one_that_new_writes():
    template = files("aucbench.testing") / "templates/solver/PACKAGE/MODULE.py.in"
    written = Template(template.read_text(encoding="utf-8")).substitute(title="AdagradNorm")
    assert FILES["my_package/adagrad_norm.py"] == written


@pytest.mark.parametrize("path", FILES)
def test_its_plugins_obey_the_laws(path, folder, monkeypatch):
    monkeypatch.syspath_prepend(folder)
    before = {*sys.modules}
    try:
        findings = check(str(folder / path))
    finally:
        for name in {*sys.modules} - before:
            if name.partition(".")[0] in ("my_package", Path(path).stem):
                del sys.modules[name]
    assert findings
    assert [f for f in findings if f.verdict is Verdict.BROKEN] == []


@pytest.mark.nightly
@pytest.mark.usefixtures("installed")
def test_its_commands_run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for command in COMMANDS:
        program, *words = shlex.split(command, comments=True)
        if program == "aucbench":
            done(*words)


def test_one_line_registers_its_plugins(installed):
    solver, f = get_solver(f"{installed}[0.5]"), get_objective("exponential", get_dataset("clouds"))
    assert solver.eta == 0.5
    assert [*bibtex(about_of(type(solver)).cites)] == ["ward2020"]
    assert get_dataset("clouds[n=40]").n == 40
    assert get_metric("youden")(np.array([0, 1]), np.array([0.0, 1.0])) == 1.0

    problem = Problem(f, get_projector("half-space[low=3]"))
    w0, rng = np.zeros(2), np.random.default_rng(0)
    states = solver.iterates(problem, w0, rng, Budget())
    w = [next(states).w.copy() for _ in range(300)][-1]
    value = {shift: f.value(w + np.array([shift, -shift])) for shift in (-0.1, 0.0, 0.1)}
    assert problem.project.contains(w)
    assert min(value, key=value.get) == 0.0


def test_its_tables_are_those_of_the_code():
    table = re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", GUIDE, re.MULTILINE)
    assert {name: text for name, text in table if name in CAPABILITIES} == CAPABILITIES
    laws = {law.name for law in LAWS["solvers"]}
    rows = GUIDE.partition("| fault | laws |")[2].partition("\n\n")[0]
    assert {*re.findall(r"`([a-z0-9-]+)`", rows)} <= laws


def test_the_command_prints_it_without_marks():
    printed = said("guide")
    assert printed.startswith("# How to write a plugin of aucbench\n")
    assert "--8<--" not in printed
    assert all(code in printed for code in FILES.values())


def test_it_is_in_the_wheel():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "guide.md" in project["tool"]["setuptools"]["package-data"]["aucbench"]
