"""Plans: their cells, their file, and what makes no sense in them."""

import tomllib
from math import inf, nan, pi

import pytest

from aucbench.bench.cell import Choice
from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import example, parse_plan, read_plan, write_plan
from aucbench.datasets.catalogue import expanded
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import DataError, ParameterError
from aucbench.ranges import Range
from aucbench.registry.specs import Spec


def of(data=("x",), solvers=("a",), **given):
    return Plan.of({"data": data, "solvers": solvers, **given})


def test_cells_are_the_grid_in_an_order_that_keeps_a_split_together():
    many = {"features": ("maxabs", "none"), "splits": 3, "repeats": 2, "seed": [5, 9]}
    plan = of(("x", "y"), ["a", "b"], **many)
    cells = [*plan.cells()]
    assert len(cells) == len({*cells}) == len(plan) == 2 * 2 * 2 * 3 * 2 * 2
    assert [str(c.solver) for c in cells[:4]] == ["a", "b", "a", "b"]
    order = [(c.dataset, c.features, c.seed, c.split) for c in cells]
    assert order[::2] == order[1::2]
    assert [*dict.fromkeys(c.split for c in cells)] == [0, 1, 2]
    assert [*dict.fromkeys((c.repeat, c.seed) for c in cells)] == [(0, 5), (1, 6), (0, 9), (1, 10)]
    pairs = [(dataset, features) for dataset in "xy" for features in ("maxabs", "none")]
    assert [*dict.fromkeys((str(c.dataset), str(c.features)) for c in cells)] == pairs


def test_families_group_data_sets_and_say_nothing_of_cells():
    plain, grouped = (of(("x", "y"), families=f) for f in ({}, {"f": ["x", "y"]}))
    assert [*plain.cells()] == [*grouped.cells()]
    assert plain.without_places() == grouped.without_places()
    assert write_plan(plain) != write_plan(grouped)
    assert hash(plain) == hash(grouped)
    some = expanded(["suite:small"])[:2]  # a suite stands for its members that the plan has
    assert of(some, families={"f": ("suite:small",)}).families == {"f": tuple(map(Spec, some))}


PLANS = [
    Plan.of({"data": ("german",)}),
    of(
        ("a.csv", 'out"break[n=5,m=\\x]', "µ\t\x7f😀"),
        (
            Choice("sht-auc", True),
            Choice("x[k=1]", {"gamma": (0.5, 1e-12, 3), "name": ("a b", True)}),
            Choice("ls-svm", {"lam": Range(1e-6, 1.0, log=True), "k": Range(1, 9, integer=True)}),
        ),
        **{"features": ("maxabs", "none"), "objective": "logistic", "projector": "top-k[k=5]"},
        reading=ReadOptions(positive=("1", 2, 2.5), negative="rest", target=3, drop=("age", 3)),
        **{"splits": 3, "repeats": 2, "seed": (0, 5), "passes": 1e22, "seconds": pi},
        **{"gap_tol": 0.0, "tune_evals": 7, "inner_splits": 2, "repeat_fits": 3, "timeout": 600},
        **{"memory": 0.25, "pairs": "group[column=user]", "monotone": "age=+1"},
    ),
    of(reading=ReadOptions(positive="yes"), objective="logistic"),
    of(timeout=0),
    of(("x", "y[n=5]", "z"), families={"f g": ("x", "y[n=5]")}),
]


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_that_was_written_is_read_again(plan, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(write_plan(plan), encoding="utf-8")
    read = read_plan(path)
    assert read == plan
    assert [*map(repr, read.cells())] == [*map(repr, plan.cells())]


def test_the_example_holds_every_table_and_is_what_it_says():
    limits = {"splits": 5, "passes": 50, "timeout": 600, "memory": 4000}
    solvers = (Choice("sht-auc", True), Choice("logistic[C=10.0]"))
    features = ("auto", "standard+nystroem")
    data = ("german", "outbreak[n=1000,d=1000]")
    assert parse_plan(example()) == of(data, solvers, features=features, **limits)
    commented = example().replace("# [suite] ", "[suite] ").replace("# families", "families")
    commented = commented.replace('"german", "outbreak', '"german", "australian", "outbreak')
    assert parse_plan(commented).families == {"credit": (Spec("german"), Spec("australian"))}
    assert parse_plan(example().replace("# seconds = 10", "seconds = 10")).seconds == 10


TIMED, TEST = {"reading": ReadOptions(time="t")}, {"reading": ReadOptions(test="t.csv")}
FIELDS = [  # of a plan: a value that makes no sense, and the place and a word of its sentence
    *[({"data": value}, "data", word) for value, word in [
        ((), "no data set"), (3, "a list"), (("x", "x"), "twice"), (("x", 3), "wanted a name"),
        (("x[a", "y"), "cannot read"), (("\udcff",), "Unicode"),
    ]],
    *[({"solvers": value}, place, word) for value, place, word in [
        ((), "solvers", "sht-auc"), (["a", "a"], "solvers", "twice"),
        ([3], "solvers[0].spec", "wanted a name"), (["\udcff"], "solvers[0].spec", "Unicode"),
        (["a", "b[k"], "solvers[1].spec", "cannot read"),
        ((Choice("a", {}),), "solvers[0].tune", "grid"),
        ((Choice("a", {"k": ()}),), "solvers[0].tune.k", "a list"),
        ((Choice("a", {"k!": (1,)}),), "solvers[0].tune", "no parameter"),
        ((Choice("a[k=1]", {"k": (1,)}),), "solvers[0].tune.k", "brackets"),
        ((Choice("a", {"k": (1, 1)}),), "solvers[0].tune.k", "twice"),
        ((Choice("a", {"k": (inf,)}),), "solvers[0].tune.k", "inf"),
    ]],
    *[({"monotone": value}, "monotone", word) for value, word in [
        ("", "no column"), ("income", "no shape"), ("income=up", "unknown"),
        ("income=+1,income=-1", "twice"), (3, "wanted text"),
    ]],
    ({"datasets": "x"}, "datasets", "data"),
    ({"passses": 3}, "passses", "'passes'"),
    ({"features": ()}, "features", "none"),
    ({"objective": 3}, "objective", "wanted a name"),
    ({"projector": "a,b"}, "projector", "one name"),
    ({"splits": 1}, "splits", "at least 2"),
    ({"holdout": 1.0}, "holdout", "below 1"),
    ({"holdout": 0.2, "splits": 3}, "splits", "two ways"),
    ({**TEST, "splits": 3}, "splits", "t.csv"),
    ({**TEST, "holdout": 0.2}, "holdout", "t.csv"),
    ({**TEST, "repeats": 2}, "repeats", "one repeat"),
    ({**TIMED, "seed": (0, 1)}, "seed", "time t"),
    ({"repeats": 0}, "repeats", "at least 1"),
    ({"seed": (-1,)}, "seed", "at least 0"),
    ({"seed": (2**32 - 1,), "repeats": 2}, "seed", "2**32"),
    ({"seed": (4, 0, 1), "repeats": 2}, "seed", "0 and 1"),
    ({"passes": 0}, "passes", "greater than 0"),
    ({"seconds": nan}, "seconds", "nan"),
    ({"gap_tol": -1}, "gap_tol", "at least 0"),
    ({"tune_evals": 0}, "tune_evals", "at least 1"),
    ({"inner_splits": 1}, "inner_splits", "at least 2"),
    ({"repeat_fits": 0}, "repeat_fits", "at least 1"),
    ({"timeout": -1}, "timeout", "at least 0"),
]  # fmt: skip


@pytest.mark.parametrize(("changed", "place", "word"), FIELDS)
def test_a_field_that_makes_no_sense_is_named(changed, place, word):
    with pytest.raises(PlanError) as caught:
        Plan.of({"data": ("x",), **changed})
    assert isinstance(caught.value, ParameterError)
    assert word in str(caught.value)
    assert "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in caught.value.place) == (
        f".{place}"
    )


HEAD = 'data = ["x"]\n'
A, TUNED = "[[solvers]]\nspec='a'\n", "[[solvers]]\nspec='a'\n[solvers.tune]\n"
LINES = [  # of a file: what only a file may have wrong, and a field at its place in the text
    ("splitz = 3", "splitz", "'splits'"),
    ("\n[budget]\n# one\npases = 3", "budget.pases", "'passes'"),
    ("passes = 3\n[budget]\npasses = 3", "", "[budget]"),
    ("[tuning]\ninner = 2", "tuning.inner", "inner_splits"),
    ("[solver]\nspec='a'", "solver", "'solvers'"),
    ("budget = 3", "budget", "a table"),
    ("solvers = 3", "solvers", "[[solvers]]"),
    ("solvers = [\n'a', # 'b'\n'b',\n'b']", "solvers", "b is named twice"),
    (f"{A}{A}tuned=1", "solvers[1].tuned", "'tune'"),
    (f"{A}\n[[solvers]]\ntune=true", "solvers[1]", "spec"),
    (f"{TUNED}k=[1]\nm=[]", "solvers[0].tune.m", "m in the grid of a"),
    (f"{TUNED}k={{low=1, high=0}}", "solvers[0].tune.k", "less than"),
    (f"{TUNED}k={{low=1, hi=2}}", "solvers[0].tune.k", "'hi'"),
    ('objective = """\na[\n"""\nsplits = 1', "splits", "at least 2"),
    ("[suite]\nfamily = {f = ['x']}", "suite.family", "'families'"),
    ("[suite.families]\nf = 'x'", "suite.families.f", "a list"),
    ("[suite.families]\nf = ['y']", "suite.families.f", "'y'"),
    ("[suite.families]\nf = ['x']\ng = ['x']", "suite.families.g", "in f"),
    ("[suite.families]\nf = ['suite:small']", "suite.families.f", "no data set"),
]


@pytest.mark.parametrize(("text", "place", "word"), LINES)
def test_an_error_in_a_file_names_its_place(text, place, word):
    tomllib.loads(HEAD + text)
    with pytest.raises(PlanError) as caught:
        parse_plan(HEAD + text, "my plan")
    assert str(caught.value).startswith(f"my plan, {place}: " if place else "my plan: ")
    assert word in str(caught.value)


@pytest.mark.parametrize(
    ("content", "error", "word"),
    [(None, DataError, "plan.toml"), (b"\xff", DataError, "UTF-8"), (b"a = [", PlanError, "TOML")],
)
def test_a_file_that_is_no_plan_is_told_in_one_sentence(tmp_path, content, error, word):
    path = tmp_path / "plan.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=word):
        read_plan(path)
