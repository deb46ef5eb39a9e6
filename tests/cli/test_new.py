"""`aucbench new`: what it writes is built, tested, checked and compared as its author would."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import metadata
from pathlib import Path

import pytest
import yaml
from command_line import done, flat, said
from page_session import FENCE, Session, commands, same
from plugin_site import Site

import aucbench
from aucbench.scaffold.kinds import KINDS
from aucbench.scaffold.package import _allowed
from aucbench.testing import benchmarks

NAMES = {kind: f"my-{kind}" for kind in KINDS}
ROOT = Path(__file__).resolve().parents[2]
PAGE, WORKFLOWS = ROOT / "docs" / "new.md", ROOT / ".github" / "workflows"
ALLOWED = _allowed(aucbench.__version__)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with a package of each kind."""
    folder = tmp_path_factory.mktemp("packages")
    for kind, name in NAMES.items():
        done("new", kind, name, "--into", folder)
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
    """Put those into a folder that need no compiler, as an installation would."""
    names = [name for kind, name in NAMES.items() if kind != "kernel"]
    for name in names:
        package, module = packages / f"aucbench-{name}", f"aucbench_{name.replace('-', '_')}"
        about = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        Site(site).metadata(module, about["version"], about["entry-points"]["aucbench"])
        shutil.copytree(package / module, site / module)
    return names


@pytest.fixture(scope="module", params=[placed, pytest.param(built, marks=pytest.mark.nightly)])
def installed(request, written, tmp_path_factory):
    """The packages in a folder like site-packages; and how to run commands there."""
    site = tmp_path_factory.mktemp("site")
    names = request.param(written, site)

    def run(*command):
        return subprocess.run(
            [sys.executable, *map(str, command)],
            check=False,
            capture_output=True,
            text=True,
            cwd=written,
            env={**os.environ, "PYTHONPATH": str(site)},
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
    assert len(re.findall(r"^\d+ hold", ended.stdout, re.MULTILINE)) == len(targets)
    assert "broken" not in ended.stdout


@pytest.mark.slow
def test_the_plugins_are_compared(installed):
    options = ("--objective", "my-objective", "--projector", "my-projector")
    options += ("--features", "my-features", "--splits", "2", "--passes", "10")
    data = ("--data", "breast-cancer,my-dataset")
    ended = installed(*aucbench_command("compare", *data, "--solvers", "my-solver", *options))
    assert ended.returncode == 0, ended.stderr
    aucs = [float(x) for x in re.findall(r"my-solver +(\d\.\d+)", ended.stdout)]
    assert len(aucs) == 2
    assert min(aucs) > 0.7
    solver = "my-kernel" if "my-kernel" in installed.names else "my-solver"
    measured = ("--data", "breast-cancer", "--solvers", solver, "--splits", "2")
    measured += ("--metrics", "auc,my-metric")
    ended = installed(*aucbench_command("compare", *measured))
    assert re.search(rf"{solver} +0\.9\d+ +\S+ +[12]\.", ended.stdout), ended.stdout + ended.stderr


@pytest.mark.slow
def test_a_wrong_change_of_a_package_is_found_by_its_tests(installed, written, tmp_path):
    name = Path("aucbench_my_solver", "my_solver.py")
    wrong = tmp_path / name
    wrong.parent.mkdir()
    text = (written / "aucbench-my-solver" / name).read_text(encoding="utf-8")
    assert text.count("w - gamma * g") == 1
    wrong.write_text(text.replace("w - gamma * g", "w + gamma * g"), encoding="utf-8")
    ended = installed(*aucbench_command("check", wrong))
    assert ended.returncode == 1
    assert re.search(r"ranks +BROKEN", ended.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_the_metadata_fit_to_the_package(written, kind):
    name, folder = NAMES[kind], written / f"aucbench-{NAMES[kind]}"
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    about = project["project"]
    assert about["name"] == folder.name
    assert about["dependencies"] == [ALLOWED]
    assert "aucbench-plugin" in about["keywords"]
    [(registered, module)] = about["entry-points"]["aucbench"].items()
    assert registered == name
    assert (folder / f"{module.replace('.', '/')}.py").is_file()
    needed = {re.match(r"\w+", need)[0] for need in project["build-system"]["requires"]}
    assert needed == ({"aucbench", "Cython", "setuptools"} if kind == "kernel" else {"setuptools"})
    assert (folder / "LICENSE").read_text(encoding="utf-8").startswith(about["license"][:3])
    conf = (folder / "asv.conf.json").read_text(encoding="utf-8")
    assert json.loads(re.sub(r"^ *//.*", "", conf, flags=re.MULTILINE))["project"] == folder.name
    if kind == "kernel":
        assert ALLOWED in project["build-system"]["requires"]


def test_the_upper_bound_is_the_next_minor_release():
    assert _allowed("0.2.0") == "aucbench>=0.2.0,<0.3"
    assert _allowed("1.9.3.dev4") == "aucbench>=1.9.3.dev4,<1.10"


@pytest.mark.parametrize("kind", KINDS)
def test_the_workflow_tests_the_wheel_with_each_python_and_the_oldest_aucbench(written, kind):
    folder = written / f"aucbench-{NAMES[kind]}"
    text = (folder / ".github/workflows/test.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    matrix = jobs["test"]["strategy"]["matrix"]
    stated = metadata("aucbench").get_all("Classifier")
    assert [f"Programming Language :: Python :: {python}" for python in matrix["python"]] == [
        line for line in stated if re.fullmatch(r".* :: Python :: 3\.\d+", line)
    ]
    oldest = f"aucbench=={aucbench.__version__}"
    assert matrix["include"] == [{"python": matrix["python"][0], "aucbench": oldest}]
    build, _, tests = [step for step in jobs["test"]["steps"] if "run" in step]
    assert build["run"] == "python -m pip wheel --no-deps --wheel-dir dist ."  # in isolation
    assert tests["working-directory"] == "${{ runner.temp }}"  # away from the sources
    assert tests["run"].splitlines()[-1] == f"aucbench check {folder.name}:{NAMES[kind]}"
    assert yaml.safe_load((folder / ".github/dependabot.yml").read_text(encoding="utf-8"))


def test_the_workflow_may_do_little_and_pins_what_it_uses(written):
    text = (written / "aucbench-my-kernel/.github/workflows/test.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"] == {"contents": "read"}
        assert 0 < job["timeout-minutes"] <= 60
        assert not any("${{" in step.get("run", "") for step in job["steps"])  # not into a shell
    used = {*re.findall(r"uses: (\S+@[0-9a-f]{40} # v[\d.]+)$", text, re.MULTILINE)}
    assert len(used) == 2
    ours = "".join(p.read_text(encoding="utf-8") for p in WORKFLOWS.glob("*.yml"))
    assert all(f"uses: {action}\n" in ours for action in used)


@pytest.mark.parametrize(
    ("line", "code"),
    [("3 passed, 1 skipped", 0), ("2 skipped", 1), ("10 passed", 0), ("0 passed", 1)],
)
def test_a_run_in_which_no_test_has_passed_is_a_failure(written, tmp_path, line, code):
    folder = written / "aucbench-my-solver"
    text = (folder / ".github/workflows/test.yml").read_text(encoding="utf-8")
    steps = yaml.safe_load(text)["jobs"]["test"]["steps"]
    for name, script in {"python": f"echo '=== {line} in 0.1s ==='", "aucbench": "true"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    shell = ["bash", "-eo", "pipefail", "-c", steps[-1]["run"]]
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "GITHUB_WORKSPACE": str(folder)}
    ended = subprocess.run(shell, cwd=tmp_path, env=env, check=False, capture_output=True)
    assert ended.returncode == code, ended.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_no_word_of_a_template_is_left(written, kind):
    for path in (written / f"aucbench-{NAMES[kind]}").rglob("*"):
        if "__pycache__" in path.parts:  # of a test that has imported the module
            continue
        assert not re.search(r"PACKAGE|MODULE|dot_|\.in\.in$", path.name)
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"\$[a-z]|\$\{(?!\{)", text), path


@pytest.mark.parametrize("kind", KINDS)
def test_the_benchmarks_measure_the_plugin(written, kind, monkeypatch):
    monkeypatch.syspath_prepend(written / f"aucbench-{NAMES[kind]}")
    module = f"bench_{NAMES[kind].replace('-', '_')}"
    try:
        found = vars(import_module(f"benchmarks.{module}"))
    finally:
        for name in ("benchmarks", f"benchmarks.{module}"):
            sys.modules.pop(name, None)
    [suite] = [c for c in found.values() if inspect.isclass(c) and not inspect.isabstract(c)]
    assert issubclass(suite, getattr(benchmarks, KINDS[kind].suite))
    assert getattr(suite, KINDS[kind].attribute) == NAMES[kind]
    suite()


def test_ruff_has_nothing_to_say(written):
    pytest.importorskip("ruff")
    for folder in written.glob("aucbench-*"):
        command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--quiet", "."]
        checked = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        assert checked.returncode == 0, checked.stdout


def test_it_ends_with_what_to_do_next(tmp_path):
    ended = done("new", "kernel", "heavy-ball", "--into", tmp_path)
    shown = ended.stdout.partition("Next:\n")[2].splitlines()
    assert shown == [
        f"  cd {tmp_path}/aucbench-heavy-ball",
        "  python -m pip install 'Cython>=3.1' 'setuptools>=77'",
        "  python -m pip install --no-build-isolation --editable '.[test]'",
        "  python -m pytest",
        "  aucbench check aucbench-heavy-ball:heavy-ball",
        "  aucbench compare --data breast-cancer,digits-8 --solvers heavy-ball,sht-auc",
        "",
        "Then edit aucbench_heavy_ball/heavy_ball.py. README.md says more.",
    ]
    listed = ended.stdout.partition("\n\n")[0].splitlines()[1:]
    folder = tmp_path / "aucbench-heavy-ball"
    files = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert {line.strip() for line in listed} == files


@pytest.mark.parametrize(
    ("kind", "name", "sentence"),
    [
        ("sovler", "x", "unknown kind 'sovler': did you mean 'solver'?"),
        ("solver", "Heavy-Ball", "words of lower-case letters and digits"),
        ("solver", "heavy_ball", "joined by hyphens"),
        ("solver", "3d", "beginning with a letter"),
        ("solver", "-x", "No such option"),
        ("solver", "x/../y", "got 'x/../y'"),
        ("solver", "x\n", "got 'x"),
        ("solver", "", "got ''"),
        ("solver", "aucbench-x", "would be called aucbench-aucbench-x"),
        ("solver", "lambda", "lambda has a meaning in Python"),
        ("dataset", "print", "print has a meaning in Python"),
        ("solver", "warning", "Warning has a meaning in Python"),
        ("solver", "sht-auc", "aucbench itself has 'sht-auc'"),
        ("solver", "l1-ball", "aucbench itself has 'l1-ball'"),
        ("dataset", "digits-8", "aucbench itself has 'digits-8'"),
        ("solver", "data", "Data would have two meanings in aucbench_data/data.py"),
        ("metric", "metric", "metric would have two meanings"),
        ("dataset", "np", "np would have two meanings"),
    ],
)
def test_a_name_is_refused_before_anything_is_written(tmp_path, kind, name, sentence):
    assert sentence in flat(said("new", kind, name, "--into", tmp_path, code=2))
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
    told = flat(said("new", "solver", "x", "--into", tmp_path, code=2))
    assert "is there already, and nothing is overwritten" in told
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    told = said("new", "solver", "x", "--into", tmp_path / "no", code=2)
    assert "is no folder; make it" in flat(told)


def test_it_imports_no_plugin_of_another_package(tmp_path):
    (tmp_path / "stranger.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    info = tmp_path / "stranger-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: stranger\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[aucbench]\nx = stranger\n", encoding="utf-8")
    program = (
        "import sys; from aucbench.scaffold.package import new_package; from pathlib import Path; "
        "new_package('solver', 'y', Path(sys.argv[1])); print('stranger' in sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, tmp_path],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert ended.stdout == "False\n"


class Author(Session):
    """Someone who types what the page says. An editable installation is a line of metadata."""

    def run(self, command):
        if command.startswith("cd "):
            self.folder /= command.removeprefix("cd ")
            return 0, ""
        if command.startswith("python -m pip install --editable"):
            project = tomllib.loads((self.folder / "pyproject.toml").read_text(encoding="utf-8"))
            about = project["project"]
            points = about["entry-points"]["aucbench"]
            Site(self.folder).metadata(about["name"], about["version"], points)
            return 0, ""
        return super().run(command)

    def apply(self, diff):
        subprocess.run(
            ["git", "apply", "--unidiff-zero", "-"],
            check=True,
            capture_output=True,
            input=diff,
            text=True,
            cwd=self.folder,
        )


def timeless(output):
    """Without the seconds of a law, whose heading the page leaves out."""
    return re.sub(r"(?<=  )\d+\.\d\d(?=  )", "0.00", output)


@pytest.mark.nightly
def test_the_page_is_a_session_in_an_empty_folder(tmp_path):
    """Up to the wheel, which .ci/wheel builds in isolation."""
    author = Author(tmp_path)
    text = PAGE.read_text(encoding="utf-8").partition("## Build a wheel")[0]
    played = []
    for language, block in FENCE.findall(text):
        if language == "diff":
            author.apply(block)
        for command, shown in commands(block) if language == "console" else ():
            if command.startswith("aucbench compare"):
                solver = author.folder / "aucbench_heavy_ball" / "heavy_ball.py"
                code = solver.read_text(encoding="utf-8").replace(
                    "beta: float = 0.9", "beta: float = 0.5"
                )
                solver.write_text(code, encoding="utf-8")
                assert author.run("aucbench check aucbench-heavy-ball:heavy-ball")[0] == 0
            _, came = author.run(command)
            if shown:
                assert same(*map(timeless, (shown, came))), f"{command}\n{came}"
            played.append(command.split()[:2])
    assert played.count(["aucbench", "check"]) == 2
    assert {"new", "check", "compare"} == {
        second for first, second in played if first == "aucbench"
    }


def test_the_page_tells_of_each_kind_and_of_the_benchmarks(written):
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == [*KINDS]
    [code] = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    bench = (written / "aucbench-my-solver/benchmarks/bench_my_solver.py").read_text("utf-8")
    assert bench.replace("my-solver", "heavy-ball").replace("MySolver", "HeavyBall").endswith(code)
