"""A mistake of the user is one sentence and exit code 2, before anything is run or written."""

import shlex
from pathlib import Path

import pytest
from command_line import call, refused

SMALL = "outbreak[n=200,d=20,k=5]"
PLAN = 'datasets = ["breast-cancer"]\n[[solvers]]\nspec = "means"\n'
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
    (f"{MEANS} --features append-one", "intercept"),
    (f"{MEANS} --features nystroem[rnk=5]", "did you mean 'rank'"),
    (f"{MEANS} --features unit+append-one", "adds an intercept"),
    (f"{MEANS} --features nystroem[", "']' is missing"),
    (f"{MEANS} --features nystroem+", "something is missing here"),
    (f"{MEANS} --features ''", "something is missing here"),
    (f"{MEANS} --passes 0", "passes must be"),
    (f"{MEANS} --seconds nan", "seconds must be"),
    (f"{MEANS} --splits 1", "splits must be"),
    (f"{MEANS} --repeats 0", "repeats must be"),
    (f"{MEANS} --seed -1", "seed must be"),
    (f"{MEANS} --seed {2**32}", "2**32"),
    (f"{MEANS} --positive 1", "positive"),
    (f"{MEANS} --drop a,,b", "--drop a,b"),
    (f"{SHT} --objective logit", "pairwise-square"),
    (f"{SHT} --projector top", "top-k"),
    (f"{SHT},means,nans --objective logistic", "tied to their own objective: means, nans;"),
    (f"{SHT},means,nans --projector l2-ball[R=1]", "tied to their own projector: means, nans;"),
    (f"{SHT}[k=5] --projector l2-ball[R=1]", "k of sht-auc[k=5] belongs to its own projector"),
    (f"{SHT}[k=auto] --projector l2-ball[R=1]", "which --projector replaces; leave k out"),
    (
        f"compare --data {SMALL} --solvers sto-iht[centre=False] --objective logistic",
        "centre of sto-iht[centre=False] belongs to",
    ),
    (
        f"{SHT} --objective univariate-exp --splits 2 --passes 1",
        "sht-auc needs an objective with curvature, which univariate-exp has not; take another "
        "objective, or give gamma",
    ),
    (f"{TWO} --reference logit", "unknown solver in this comparison 'logit'"),
    (f"{TWO} --metrics f1", "unknown measure 'f1'"),
    (f"{TWO} --metrics pauc[max_fpr=2]", "max_fpr"),
    (f"{TWO} --metrics ap,", "ap"),
    ("run absent.toml --out kept", "cannot read the plan absent.toml"),
    ("run plan.toml --out plan.toml", "plan.toml"),
    ("run plan.toml --out .", "not a results folder"),
    (f"{RUN} --retry eror", "did you mean 'error'"),
    (f"{RUN} --retry ,", "--retry a,b"),
    (f"{RUN} --engine locale", "did you mean 'local'"),
    (f"{RUN} --engine local=tcp://x", "only 'dask' takes one"),
    (f"{RUN} --jobs 0", "jobs must be at least 1"),
    (f"{RUN} --timing --jobs 2", "leave one of them out"),
    (f"{RUN} --timeout -1", "timeout must be at least 0"),
    (f"{RUN} --memory -1", "memory must be greater than 0"),
    ("status absent", "there is no results folder"),
    ("export absent x.csv", "there is no results folder"),
    ("cite none", "none"),
    ("show sht-ac", "did you mean 'sht-auc'"),
    ("show sht-ac", "breast-cancer"),
    ("show means --bibtex", "means names no reference"),
    ("check sht-ac", "did you mean 'sht-auc'"),
    ("check aucbench.testing:Nothing", "unknown name in aucbench.testing 'Nothing'"),
    ("check l2-ball --law nearst", "did you mean 'nearest'"),
    ("check l2-ball --law nearst", "no-memory"),
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
    ('"means"', '"means"\ntune = {scal = [1]}', "solvers[0].spec", "known are: names, scale"),
    ('"breast-cancer"', '"breast-cancer",\n"nonsense"', "datasets", "breast-cancer"),
    ("[[", "splits = 1\n[[", "splits", "splits must be at least 2"),
    ("[[", "[budget]\npases = 2\n[[", "budget.pases", "did you mean 'passes'"),
    ("[[", 'features = ["none",\n"minmax"]\n[[', "features", "unit-centred"),
    ("[[", 'features = ["nystrom"]\n[[', "features", "did you mean 'nystroem'"),
    ("[[", 'projector = "top"\n[[', "projector", "top-k"),
]


@pytest.mark.parametrize(("old", "new", "place", "sentence"), IN_A_PLAN)
def test_one_in_a_plan_has_its_place(here, old, new, place, sentence):
    Path("plan.toml").write_text(PLAN.replace(old, new, 1))
    error = refused(*shlex.split(RUN))
    assert error.startswith(f"error: plan.toml, {place}: ")
    assert sentence in error


def test_a_parameter_of_the_replaced_part_is_not_tuned_over(here):
    text = PLAN.replace("[[", 'projector = "l2-ball[R=1]"\n[[')
    Path("plan.toml").write_text(text.replace('"means"', '"hsg-ht"\ntune = {k = [5, 10]}'))
    error = refused(*shlex.split(RUN))
    assert "k of hsg-ht (tuned k=5|10) belongs to its own projector" in error


def test_an_objective_without_curvature_is_taken_where_the_step_is_given():
    asked = ("--solvers", "sht-auc[gamma=0.001]", "--objective", "univariate-exp", "--splits", 2)
    assert call("compare", "--data", SMALL, "--passes", 1, *asked).exit_code == 0
