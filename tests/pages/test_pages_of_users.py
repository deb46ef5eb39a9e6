"""The pages that lead through aucbench: their commands run, and they name all that exists."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from command_line import done
from nights import first
from shown_pages import DOCS, assert_in_order, blocks, blocks_in, commands, section, table, text_of

from aucbench.bench import Store

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("page", first(["faq.md", "ten_minutes.md", "curved.md"]))
def test_the_commands_of_a_page_print_what_it_shows(page, in_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    count = 0
    for language, block in blocks(page):
        if language == "python":
            exec(block, {})
        for command, shown in commands(block) if language == "console" else ():
            program, *words = shlex.split(command)
            if program == "aucbench":
                assert_in_order(shown, done(*words).output)
                count += 1
    assert count


@pytest.mark.nightly
def test_the_commands_on_groups_print_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(ROOT / "examples")
    import travel_modes

    for language, block in blocks_in(section("pairs.md", "## Ranking within groups")):
        for command, shown in commands(block) if language == "console" else ():
            program, *words = shlex.split(command)
            if program == "python":
                travel_modes.main()
            else:
                assert_in_order(shown, done(*words).output)


@pytest.mark.nightly
def test_the_commands_on_scorecards_print_what_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(ROOT / "examples")
    import german_credit

    for language, block in blocks("scorecard.md"):
        for command, shown in commands(block) if language == "console" else ():
            program, *words = shlex.split(command)
            if program == "python":
                german_credit.main()
            elif program == "head":
                assert_in_order(shown, (tmp_path / words[-1]).read_text(encoding="utf-8"))
            else:
                assert_in_order(shown, done(*words).output)
        if language == "python":
            exec(block, {})
            printed = capsys.readouterr().out
        if language == "text":
            assert_in_order(block, printed)


@pytest.mark.nightly
def test_the_readme_shows_what_becomes_of_a_table_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = section("../README.md", "## My own data")
    [console, fitted, predicted] = [block for _, block in blocks_in(text)]
    outputs = []
    for command, _ in commands(console):
        program, *words = shlex.split(command)
        if program == "python":
            subprocess.run([sys.executable, ROOT / words[0], *words[1:]], check=True)
        else:
            outputs.append(done(*words).output)
    assert_in_order(fitted, outputs[0])
    for shown, printed in zip(table(fitted), table(outputs[0]), strict=True):
        assert shown[0] == printed[0]
        assert shown[2] == pytest.approx(printed[2], abs=0.004)  # libraries round differently
    scores = pd.read_csv("scores.csv")
    assert [*scores.columns] == predicted.splitlines()[0].split(",")
    flagged = int(re.search(r"`predict` flagged (\d+) of", text)[1])
    assert (scores.decision == "yes").sum() == pytest.approx(flagged, rel=0.2)


def test_the_table_of_loans_is_that_of_its_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(ROOT / "examples")
    import german_credit

    german_credit.main()
    table = pd.read_csv("german_credit.csv")
    assert table.shape == (1000, 21)
    assert (table.risk == "bad").sum() == 300
    assert not table.isna().any(axis=None)


def test_travellers_are_shifted_as_a_whole(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    import travel_modes

    rows = travel_modes.travel_modes()
    other = travel_modes.shifted(rows)
    apart = (other["ttme"] - rows["ttme"]).groupby(rows["individual"])
    assert other.drop(columns="ttme").equals(rows.drop(columns="ttme"))
    assert apart.std().max() < 1e-9
    assert apart.first().std() > 5 * rows["ttme"].std()


def test_lines_that_are_not_printed_are_noticed():
    assert_in_order("a 1\n...\nc 0.25", "a 2\nb\n*  c 3")
    for wrong in ("a 1\nd", "c\na 2", "a 1 2"):
        with pytest.raises(AssertionError, match="is not, or not there"):
            assert_in_order(wrong, "a 2\nb\nc 3")


def test_the_blocks_on_plans_print_what_is_shown(in_process, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names, shown = {}, None
    found = blocks_in(section("run.md", "## Plans in Python"))
    assert [language for language, _ in found] == ["python", "text"] * (len(found) // 2)
    for (_, code), (_, shown) in zip(found[::2], found[1::2], strict=True):
        exec(code, names)
        assert capsys.readouterr().out == shown


@pytest.mark.nightly
def test_the_tasks_of_the_job_array_make_one_folder(tmp_path):
    found = blocks_in(section("run.md", "## On a cluster"))
    [plan] = [block for language, block in found if language == "toml"]
    [script] = [block for language, block in found if language == "bash"]
    [merge] = [block for language, block in found if language == "sh"]
    [line] = re.findall(r"^data = .*$", plan, re.MULTILINE)
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    for number, dataset in enumerate(tomllib.loads(line)["data"], 1):
        part = plan.replace(line, f'data = ["{dataset}"]')
        (tmp_path / f"plan-{number}.toml").write_text(part, encoding="utf-8")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def ended(text, **variables):
        command = ["bash", "-ec", text]
        env = {**os.environ, "PATH": path, **variables}
        found = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert found.returncode == 0, found.stderr
        return found

    for task in ("1", "2"):
        assert "2/2" in ended(script, SLURM_ARRAY_TASK_ID=task).stdout
    whole = ended(merge)
    with Store(tmp_path / "results") as store:
        assert len([*store.records()]) == 8
    assert "digits-8: 1797 rows" in whole.stdout
    assert not re.search(r"^\d+/\d+: ", whole.stderr, re.MULTILINE)  # no cell was computed again


def test_the_page_names_every_variable_that_the_code_reads():
    named = set(re.findall(r"^\| `(AUCBENCH_[A-Z_]+)` \|", text_of("environment.md"), re.MULTILINE))
    folders = ("aucbench", "plugins", "tests", "examples", "benchmarks")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    read = set()
    for path in [*files, ROOT / "setup.py"]:
        read |= set(re.findall(r"[\"'](AUCBENCH_[A-Z_]+)[\"']", path.read_text(encoding="utf-8")))
    for path in (ROOT / ".ci").iterdir():
        read |= set(re.findall(r"\b(AUCBENCH_[A-Z_]+)[=:}]", path.read_text(encoding="utf-8")))
    assert named == read


def test_the_variables_of_threads_are_those_that_a_run_sets():
    from aucbench.processes.starting import POOLS

    row = next(line for line in text_of("environment.md").splitlines() if "OMP_NUM" in line)
    assert re.findall(r"`(\w+)_NUM_THREADS`", row) == [*POOLS]


def test_the_statuses_of_the_questions_are_those_of_a_record():
    from aucbench.records import CellStatus

    rows = re.findall(r"^\| `(\w+)` \| ", text_of("faq.md"), re.MULTILINE)
    assert {*rows} >= {str(status) for status in CellStatus} - {"ok"}


METHODS = sorted(path.name for path in (DOCS / "methods").glob("*.md"))


@pytest.mark.parametrize("page", ["index.md", "aum.md"])
def test_the_identities_of_a_page_hold(page, capsys):
    text = text_of(f"methods/{page}").partition("\n## Use the ")[0]  # not how it is used
    found = blocks_in(text)
    code = "".join(block for language, block in found if language == "python")
    shown = "".join(block for language, block in found if language == "text")
    exec(code, {})
    assert capsys.readouterr().out == shown


def test_every_solver_has_its_mathematics_and_its_papers():
    """Its name is on the page of its family, and that page prints its papers."""
    from aucbench.registry import describe, names

    for name in names("solvers"):
        known = describe("solvers", name)
        if known.distribution != "aucbench":
            continue
        of_family = "index" if known.family == "baselines" else known.family
        page = text_of(f"methods/{of_family}.md")
        assert f"`{name}`" in page or f"`{name}[...]`" in page, name
        printed = set()
        for listed in re.findall(r"<!-- papers: (.+) -->", page):
            for other in listed.split():
                printed |= {*describe("solvers", other).cites}
        assert name == "estimator" or printed >= {*known.cites}, name


@pytest.mark.parametrize("page", METHODS)
def test_the_formulas_of_a_page_are_mathml(page, monkeypatch):
    pytest.importorskip("latex2mathml", reason="latex2mathml is not installed: aucbench[docs]")
    monkeypatch.syspath_prepend(DOCS)
    from page_formulas import with_formulas

    text = text_of(f"methods/{page}")
    made = with_formulas(text)
    assert made.count("<math ") >= 5
    assert "```math" not in made
    assert not re.search(r"\\[a-z]+", re.sub(r"`[^`]*`", "", made))


def test_a_command_that_is_no_mathml_is_refused(monkeypatch):
    pytest.importorskip("latex2mathml", reason="latex2mathml is not installed: aucbench[docs]")
    monkeypatch.syspath_prepend(DOCS)
    from page_formulas import with_formulas

    with pytest.raises(ValueError, match=r"has \\nosuch, which is no MathML"):
        with_formulas(r"the text $\nosuch x$")
    assert with_formulas("`$HOME` costs 3 $\n") == "`$HOME` costs 3 $\n"
