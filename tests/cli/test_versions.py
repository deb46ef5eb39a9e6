"""`compare --before PATH --after PATH`: two versions of one distribution in two environments."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import call
from plugin_site import Site

from aucbench.bench import versions
from aucbench.bench.plan.fields import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.bench.versions import both, labelled, version_at
from aucbench.errors import ParameterError
from aucbench.registry.specs import parse_spec
from aucbench.report.evidence import Evidence, FoldKey, Group
from aucbench.report.fits import Fit
from aucbench.report.speed import speed_lines

ROOT = Path(__file__).resolve().parents[2]
MINE = "heavy-ball"


@pytest.fixture(scope="module")
def sides(tmp_path_factory):
    """Two folders with one distribution: version 1.0 takes no momentum, and 2.0 much."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    source = re.search(r"start:plugin\] -->\n```python\n(.*?)```", text, re.DOTALL)[1]
    folder = tmp_path_factory.mktemp("sides")
    for name, version, beta in (("old", "1.0", "0.0"), ("new", "2.0", "0.9")):
        (folder / name).mkdir()
        changed = source.replace("beta: float = 0.9", f"beta: float = {beta}")
        Site(folder / name).add("ball", version, heavy_ball=changed)
    return folder


@pytest.fixture(scope="module")
def compared(sides):
    """The command, once; before runs in an environment, and after in a folder."""
    python = sides / "environment" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nPYTHONPATH={sides}/old exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return run(sides, sides / "environment", sides / "new", "--json", sides / "rows.json")


def run(sides, before, after, *more):
    arguments = ["compare", "--solvers", MINE, "--data", "breast-cancer", "--splits", "3"]
    arguments += ["--passes", "20", "--before", before, "--after", after, "--out", sides / "out"]
    return call(*arguments, *more)


def test_a_table_has_both_sides_and_the_answer_names_one(compared):
    assert compared.exit_code == 0, compared.output
    rows = re.findall(r"^\*? +(heavy-ball @\w+) +(0\.\d{4})", compared.stdout, re.MULTILINE)
    assert [name for name, _ in rows] == ["heavy-ball @before", "heavy-ball @after"]
    assert rows[0][1] != rows[1][1]
    assert re.search(r"On breast-cancer, heavy-ball @\w+ has the highest AUC", compared.stdout)
    assert re.search(r"  breast-cancer: x\d+\.\d\d, 95 % interval", compared.stdout)


def test_each_side_says_where_it_comes_from(compared, sides):
    before, after = compared.stdout.strip().splitlines()[-2:]
    assert re.fullmatch(rf"before: {sides}/environment, aucbench \S+, ball 1.0", before)
    assert re.fullmatch(rf"after: {sides}/new, aucbench \S+, ball 2.0", after)


def test_both_sides_have_the_same_splits_and_seeds_and_other_ids(compared, sides):
    rows = json.loads((sides / "rows.json").read_text())
    by_side = [[r for r in rows if r["solver"].endswith(side)] for side in ("before", "after")]
    same = [[(r["seed"], r["split"], r["n_train"], r["data"]) for r in some] for some in by_side]
    assert same[0] == same[1]
    assert len({r["id"] for r in rows}) == 6
    assert {r["parameters"]["beta"] for r in by_side[0]} == {0.0}
    assert {r["parameters"]["beta"] for r in by_side[1]} == {0.9}


def test_a_second_run_computes_nothing_and_conditions_are_judged(compared, sides):
    again = run(
        sides, sides / "environment", sides / "new", "--quiet", "--fail-if",
        "heavy-ball @after worse than heavy-ball @before by 0.2",
    )  # fmt: skip
    assert again.exit_code == 0, again.output
    assert again.stdout.startswith(compared.stdout.partition("\n\n")[0])  # the clock included
    assert "passed: heavy-ball @after" in again.stdout
    assert again.stderr == ""


def test_the_same_code_on_both_sides_is_refused(compared, sides):
    copy = sides / "copy"
    copy.mkdir()
    for path in (sides / "new").rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            (copy / path.relative_to(sides / "new")).parent.mkdir(exist_ok=True)
            (copy / path.relative_to(sides / "new")).write_bytes(path.read_bytes())
    ended = run(sides, copy, sides / "new")
    assert ended.exit_code == 2
    assert "heavy-ball is the same code with the same libraries in" in ended.stderr


def test_a_mistake_of_a_side_is_its_sentence(sides):
    ended = run(sides, sides / "new", sides / "new", "--solvers", "heavi-ball")
    assert ended.exit_code == 2
    assert "before: unknown solver 'heavi-ball'" in ended.stderr.splitlines()[-1]


def test_an_environment_without_aucbench_is_refused(tmp_path):
    (tmp_path / "aucbench.py").write_text("raise ImportError('of another time')")
    with pytest.raises(ParameterError, match=r"cannot import aucbench \(.*; install it there"):
        version_at("before", tmp_path)
    with pytest.raises(ParameterError, match=r"--after .* does not start"):
        version_at("after", executable(tmp_path))


def executable(folder):
    path = folder / "python"
    path.write_bytes(b"\x00 no program")
    path.chmod(0o755)
    return path


def test_records_of_another_format_are_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(versions, "SCHEMA", versions.SCHEMA + 1)
    with pytest.raises(ParameterError, match=r"whose records have format .* the same aucbench"):
        version_at("before", tmp_path)


def test_a_checkout_is_put_first_with_its_folder_src(tmp_path):
    assert version_at("after", tmp_path).folder == str(tmp_path)
    (tmp_path / "src").mkdir()
    assert version_at("after", tmp_path).folder == str(tmp_path / "src")
    assert version_at("after", Path(sys.executable)).folder == ""


def test_labels_of_tuned_solvers_and_of_solvers_in_files():
    place = Path.cwd() / "x" / "mine.py"
    named = labelled(parse_spec(f"{place}:Ball[beta=0.5]"), "after")
    assert str(named) == "x/mine.py:Ball[beta=0.5] @after"
    plan = both(Plan(("german",), (Choice("a", {"k": (1, 5)}), Choice("b"))))
    assert [c.label for c in plan.solvers] == [
        "a @before (tuned k=1|5)",
        "a @after (tuned k=1|5)",
        "b @before",
        "b @after",
    ]


def evidence(ratio, noise, datasets=8, splits=5):
    """Fits that take `ratio` times as long after as before."""
    rng = np.random.default_rng(0)

    def group(base):
        seconds = base * np.exp(noise * rng.normal(size=splits))
        return Group({FoldKey(0, j): fit(s) for j, s in enumerate(seconds)})

    names = tuple(f"d{i}" for i in range(datasets))
    groups = {
        (i, j): group(0.01 * (i + 1) * (1, ratio)[j]) for i in range(datasets) for j in (0, 1)
    }
    return Evidence(names, ("a @before", "a @after"), groups)


def fit(seconds):
    plain = {"id": "", "data": "", "status": "ok", "why": "", "log": "", "auc": 0.9, "spread": 0.0}
    sizes = {"nnz": 1.0, "passes": 1.0, "n_train": 80.0, "n_test": 20.0, "d": 1.0}
    return Fit(**plain, **sizes, seconds=seconds, curve=np.zeros((0, 6)))


@pytest.mark.parametrize(
    ("ratio", "noise", "word"),
    [(0.5, 0.02, "faster"), (2.0, 0.02, "slower"), (1.0, 0.005, "practically the same")],
)
def test_ratios_of_seconds_have_a_word(ratio, noise, word):
    first, *lines, last = speed_lines(evidence(ratio, noise))
    assert first == "seconds of a fit, a @after / a @before:"
    assert len(lines) == 8
    assert all(line.partition(" (")[0].endswith(word) for line in lines)
    found = re.fullmatch(r"  over 8 data sets: x(\S+), 95 % interval (\S+) to (\S+), (.*)", last)
    assert found[4] == word
    assert float(found[2]) <= ratio * 1.01
    assert float(found[3]) >= ratio * 0.99
    assert float(found[1]) == pytest.approx(ratio, rel=0.03)


def test_a_ratio_without_an_interval_says_why():
    *_, last = speed_lines(evidence(0.5, 0.02, datasets=2))
    assert last.startswith("  over 2 data sets: x0.50. An interval of level 0.95 takes at least 6")
    [_, only] = speed_lines(evidence(0.5, 0.0, datasets=1, splits=1))
    assert only.startswith("  d0: x0.50. ")
