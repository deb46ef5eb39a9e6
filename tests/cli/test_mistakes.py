"""A mistake of the user is one sentence and exit code 2, before anything is run or written."""

import shlex
from pathlib import Path

import numpy as np
import pytest
from command_line import refused
from refusals import assert_refused

from aucbench.bench import Store
from aucbench.bench.cell import Choice
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.plan import Plan
from aucbench.bench.resolver import resolve_names
from aucbench.models import Model, ScoreFunction
from aucbench.processes.records import Ending, Outcome
from aucbench.registry.specs import parse_spec

SMALL = "outbreak[n=200,d=20,k=5]"
PLAN = 'data = ["breast-cancer"]\n[[solvers]]\nspec = "means"\n'
SHT = f"compare --data {SMALL} --solvers sht-auc"
RUN = "run plan.toml --out kept"
REPORT = "report results"
MISTAKES = [
    (f"compare --data {SMALL} --solvers sht-ac", "'sht-auc'"),
    ("compare --solvers means", "breast-cancer"),
    ("compare --data nowhere/x.csv --solvers means", "nowhere/x.csv"),
    (f"{SHT},means,nans --objective logistic", "means, nans;"),
    (f"compare --data {SMALL} --solvers sto-iht[centre=False] --objective logistic", "centre"),
    ("compare --data t.csv --tune 4", "leave 4 out"),
    (f"{SHT} --html page.html", "which is one of: explain, study, judge, report"),
    ("run absent.toml --out kept", "absent.toml"),
    (f"{RUN} --retry eror", "'error'"),
    (f"{RUN} --timing --jobs 2", "one of them"),
    ("status absent", "no results folder"),
    (f"{REPORT} --metrics model", "'model'"),  # also the name of an argument of predict
    (f"{REPORT} --html results/no/x.html", "cannot write"),
    (f"{REPORT} --reference logit", "'logit'"),
    (f"{REPORT} --figure pie=x.pdf", "'pie'"),
    ("show sht-ac", "'sht-auc'"),
    ("check aucbench.testing:Nothing", "'Nothing'"),
    ("check l2-ball --law 'nearest on 5'", "'5'"),
    *((f"{word} minst", "'mnist'") for word in ("show", "data fetch")),
]


@pytest.fixture
def here(tmp_path, toys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(PLAN)
    Store(Path("results"), create=True).keep_plan(PLAN)


@pytest.mark.parametrize(("words", "word"), MISTAKES)
def test_a_mistake_is_one_sentence_and_exit_code_2(here, words, word):
    assert word in refused(*shlex.split(words))
    assert sorted(path.name for path in Path().iterdir()) == ["plan.toml", "results"]


IN_A_PLAN = [
    ('"means"', '"means[scal=1]"', "solvers[0].spec", "names, scale, width"),
    ('"breast-cancer"', '"breast-cancer",\n"nonsense"', "data", "breast-cancer"),
    ("[[", 'features = ["none",\n"minmax"]\n[[', "features", "unit-centred"),
]


@pytest.mark.parametrize(("old", "new", "place", "word"), IN_A_PLAN)
def test_one_in_a_plan_has_its_place(here, old, new, place, word):
    Path("plan.toml").write_text(PLAN.replace(old, new, 1))
    error = refused(*shlex.split(RUN))
    assert error.startswith(f"error: plan.toml, {place}: ")
    assert word in error


NOISE = bytes(range(256)) * 3
FILES = ["t.parquet", "t.feather", "t.xlsx", "t.npz", "t.csv", "t.csv.xz", "t.svm.gz", "t.zip"]
FIT = "fit --data t.parquet --solver svm-or --out f --quiet"


@pytest.mark.parametrize("file", FILES)
def test_a_file_that_cannot_be_read_is_named_in_each_format_and_command(here, file):
    score = ScoreFunction(weights=np.ones(2), trees=None, maps=())
    Model(functions=(score,), labels=((0,), (1,)), width=2, columns=("a", "b")).save("m")
    Path(file).write_bytes(NOISE)
    Path("plan.toml").write_text(PLAN.replace("breast-cancer", file))
    commands = [f"compare --data {file} --solvers constant --quiet", f"predict m {file}"]
    for words in [*commands, f"explain {file}", *([FIT, RUN] if file == "t.parquet" else [])]:
        assert file in refused(*words.split())


def test_columns_that_no_fit_can_take_are_refused_before_it_begins(here):
    Path("w.svm").write_text("".join(f"{i % 2} {i + 1}:1 2147483646:1\n" for i in range(12)))
    assert "w.svm" in refused("compare", "--data", "w.svm", "--solvers", "constant", "--quiet")


class Ends(LocalEngine):
    """An engine whose jobs about data sets end by a crash."""

    def run(self, jobs):
        jobs = [*jobs]
        reads = {key: job.call.endswith(":read") for key, job in jobs}
        for key, outcome in super().run(iter(jobs)):
            yield key, Outcome(Ending.CRASH, "killed by SIGSEGV") if reads[key] else outcome


def test_a_process_that_ends_while_it_reads_a_file_is_a_file_that_cannot_be_read(here):
    Path("t.svm").write_text("1 1:2\n-1 2:3\n")
    plan = Plan.of({"data": ("t.svm",), "solvers": (Choice(parse_spec("constant")),)})
    assert_refused(lambda: resolve_names(plan, Ends()), PlanError, "t.svm cannot be read: killed")
