"""A mistake of the user is one sentence and exit code 2, before anything is run or written."""

import shlex
from pathlib import Path

import pytest
from command_line import refused

SMALL = "outbreak[n=200,d=20,k=5]"
PLAN = 'data = ["breast-cancer"]\n[[solvers]]\nspec = "means"\n'
MEANS = f"compare --data {SMALL} --solvers means"
SHT = f"compare --data {SMALL} --solvers sht-auc"
TWO = "compare --solvers logistic,constant --data digits-8 --out kept"
RUN = "run plan.toml --out kept"
MISTAKES = [
    (f"compare --data {SMALL} --solvers sht-ac", "did you mean 'sht-auc'"),
    (f"compare --data {SMALL} --solvers means[scal=1]", "known are: names, scale, width"),
    (f"compare --data {SMALL} --solvers means[scale=1", "cannot read"),
    (f"compare --data {SMALL} --solvers means,means", "named twice"),
    ("compare --data nonsense --solvers means", "breast-cancer"),
    ("compare --solvers means", "breast-cancer"),
    ("compare --data nowhere/x.csv --solvers means", "nowhere/x.csv"),
    (f"{MEANS} --features minmax", "unit-centred"),
    (f"{MEANS} --features unit+append-one", "adds an intercept"),
    (f"{MEANS} --passes 0", "passes must be"),
    (f"{MEANS} --splits 1", "splits must be"),
    (f"{MEANS} --seed {2**32}", "2**32"),
    (f"{MEANS} --positive 1", "positive"),
    (f"{SHT},means,nans --objective logistic", "tied to their own objective: means, nans;"),
    (f"{SHT},means,nans --projector l2-ball[R=1]", "tied to their own projector: means, nans;"),
    (f"{SHT}[k=5] --projector l2-ball[R=1]", "k of sht-auc[k=5] belongs to its own projector"),
    (
        f"compare --data {SMALL} --solvers sto-iht[centre=False] --objective logistic",
        "centre of sto-iht[centre=False] belongs to",
    ),
    (f"{TWO} --reference logit", "unknown solver in this comparison 'logit'"),
    (f"{TWO} --metrics pauc[max_fpr=2]", "max_fpr"),
    ("run absent.toml --out kept", "cannot read the plan absent.toml"),
    ("run plan.toml --out plan.toml", "plan.toml"),
    (f"{RUN} --retry eror", "did you mean 'error'"),
    (f"{RUN} --engine local=tcp://x", "only 'dask' takes one"),
    (f"{RUN} --timing --jobs 2", "leave one of them out"),
    (f"{RUN} --timeout -1", "timeout must be at least 0"),
    ("status absent", "there is no results folder"),
    ("show sht-ac", "did you mean 'sht-auc'"),
    ("check sht-ac", "did you mean 'sht-auc'"),
    ("check aucbench.testing:Nothing", "unknown name in aucbench.testing 'Nothing'"),
    ("check l2-ball --law nearst", "did you mean 'nearest'"),
    *((f"{word} minst", "did you mean 'mnist'?") for word in ("show", "data fetch")),
]


@pytest.fixture
def here(tmp_path, toys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(PLAN)


@pytest.mark.parametrize(("words", "sentence"), MISTAKES)
def test_a_mistake_is_one_sentence_and_exit_code_2(here, words, sentence):
    assert sentence in refused(*shlex.split(words))
    assert [path.name for path in Path().iterdir()] == ["plan.toml"]


IN_A_PLAN = [
    ('"means"', '"raise"', "solvers[0].spec", "did you mean 'raises'"),
    ('"means"', '"means[scal=1]"', "solvers[0].spec", "known are: names, scale, width"),
    ('"breast-cancer"', '"breast-cancer",\n"nonsense"', "data", "breast-cancer"),
    ("[[", "splits = 1\n[[", "splits", "splits must be at least 2"),
    ("[[", 'features = ["none",\n"minmax"]\n[[', "features", "unit-centred"),
]


@pytest.mark.parametrize(("old", "new", "place", "sentence"), IN_A_PLAN)
def test_one_in_a_plan_has_its_place(here, old, new, place, sentence):
    Path("plan.toml").write_text(PLAN.replace(old, new, 1))
    error = refused(*shlex.split(RUN))
    assert error.startswith(f"error: plan.toml, {place}: ")
    assert sentence in error
