import re
import tomllib
from math import pi

import pytest

from aucbench.bench.cell import Choice
from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import example, parse_plan, read_plan, write_plan
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import DataError
from aucbench.registry.specs import Spec, parse_spec

PLANS = [
    Plan.of({"data": ("german",)}),
    Plan.of(
        {
            "data": ("a.csv", 'out"break[n=5,m=\\x]', "µ\t\x7f😀"),
            "solvers": (
                Choice("sht-auc", True),
                Choice("x[k=1]", {"gamma": (0.5, 1e-12, 3), "name": ("a b", True)}),
                Choice("logistic[C=10.0]"),
            ),
            "features": ("maxabs", "none"),
            "objective": "logistic",
            "projector": "top-k[k=5]",
            "reading": ReadOptions(
                positive=("1", 2, 2.5), negative="rest", target=3, drop=("duration", 3)
            ),
            "splits": 3,
            "repeats": 2,
            "seed": (0, 5),
            "passes": 1e22,
            "seconds": pi,
            "gap_tol": 0.0,
            "tune_evals": 7,
            "inner_splits": 2,
            "repeat_fits": 3,
            "timeout": 600,
            "memory": 0.25,
        }
    ),
    Plan.of(
        {
            "data": ("x",),
            "solvers": ["a"],
            "reading": ReadOptions(positive="yes"),
            "objective": "logistic",
        }
    ),
    Plan.of({"data": ("x",), "solvers": ["a"], "timeout": 0}),
    Plan.of({"data": ("x", "y[n=5]", "z"), "solvers": ["a"], "families": {"f g": ("x", "y[n=5]")}}),
]


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_that_was_written_is_read_again(plan, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(write_plan(plan), encoding="utf-8")
    read = read_plan(path)

    assert read == plan
    assert [*map(repr, read.cells())] == [*map(repr, plan.cells())]


def test_the_example_holds_every_table_and_is_what_it_says():
    plan = parse_plan(example())

    assert plan == Plan.of(
        {
            "data": ("german", "outbreak[n=1000,d=1000]"),
            "solvers": (Choice("sht-auc", True), Choice("logistic[C=10.0]")),
            "features": ("auto", "standard+nystroem"),
            "splits": 5,
            "passes": 50,
            "timeout": 600,
            "memory": 4000,
        }
    )
    commented = example().replace("# [suite] ", "[suite] ").replace("# families", "families")
    commented = commented.replace('"german", "outbreak', '"german", "australian", "outbreak')
    assert parse_plan(commented).families == {"credit": (Spec("german"), Spec("australian"))}
    for line in ("seconds = 10", 'objective = "logistic"'):
        key, value = next(iter(tomllib.loads(line).items()))
        uncommented = parse_plan(example().replace(f"# {line}", line))
        wanted = parse_spec(value) if isinstance(value, str) else value
        assert getattr(uncommented, key) == wanted


HEAD = 'data = ["x"]\n'
IN_A_PLAN = [
    ("splitz = 3", "splitz", "unknown key 'splitz': did you mean 'splits'"),
    ("\n[budget]\n# one\npases = 3", "budget.pases", "did you mean 'passes'.*gap_tol, passes"),
    ("passes = 3\n[budget]\npasses = 3", "", "passes belongs into the table \\[budget\\]"),
    ("[limits]\nmemory = '4 GB'", "limits.memory", "memory must be a number, got '4 GB'"),
    ("[tuning]\nevals = 0", "tuning.evals", "tune_evals must be at least 1"),
    ("[tuning]\ninner = 2", "tuning.inner", "evals, inner_splits"),
    ("[solver]\nspec='a'", "solver", "did you mean 'solvers'"),
    ("budget = 3", "budget", "budget must be a table"),
    ("solvers = 3", "solvers", "\\[\\[solvers\\]\\]"),
    ("[solvers]\nspec = 'a'", "solvers", "\\[\\[solvers\\]\\]"),
    ("solvers = [\n'a',\n3]", "solvers[1].spec", "holds 3, wanted a name"),
    ("solvers = [\n'a',\n'b[k',\n]", "solvers[1].spec", "cannot read 'b\\[k'"),
    ("solvers = [\n'a', # 'b'\n'b',\n'b']", "solvers", "b is named twice"),
    ("solvers = [\n'a',\n'[',\n'b']", "solvers[1].spec", "cannot read '\\['"),
    ("solvers = [\n'a',\n'b[k = 1]',\n'b[k=1]']", "solvers", "b\\[k=1\\] is named twice"),
    (
        "[[solvers]]\nspec='a'\n[[solvers]]\nspec='b'\ntuned=1",
        "solvers[1].tuned",
        "did you mean 'tune'",
    ),
    ("[[solvers]]\nspec='a'\n\n[[solvers]]\ntune=true", "solvers[1]", "a solver needs spec"),
    ("[[solvers]]\nspec='a'\n[[solvers]]\nspec=3", "solvers[1].spec", "holds 3, wanted a name"),
    (
        "[[solvers]]\nspec='a'\n[solvers.tune]\nk=[1]\nm=[]",
        "solvers[0].tune.m",
        "m in the grid of a",
    ),
    ("[[solvers]]\nspec='a'\ntune='k'", "solvers[0].tune", "true, false or a grid"),
    ("seed = [\n0,\n1]\nrepeats = 2", "seed", "0 and 1 with 2"),
    ("objective = 1979-05-27", "objective", "the date 1979-05-27; put it in quotes"),
    ('objective = """\na[\n"""\nsplits = 1', "splits", "splits must be at least 2"),
    ("projector = 'a['", "projector", "cannot read"),
    ("[suite]\nfamilies = ['x']", "suite.families", "must be a table of names"),
    ("[suite]\nfamily = {f = ['x']}", "suite.family", "did you mean 'families'"),
    ("[suite.families]\nf = 'x'", "suite.families.f", "a list of data sets, got 'x'"),
    ("[suite.families]\nf = []", "suite.families.f", "a list of data sets"),
    ("[suite.families]\nf = [3]", "suite.families", "holds 3, wanted a name"),
    ("[suite.families]\nf = ['y']", "suite.families.f", "the family f: unknown data set 'y'.* x"),
    ("[suite.families]\nf = ['x']\ng = ['x']", "suite.families.g", "family g and in f"),
    ("[suite.families]\nf = ['x', 'x']", "suite.families.f", "x is named twice"),
    ("[suite.families]\nf = ['suite:no']", "suite.families.f", "unknown suite"),
    ("[suite.families]\nf = ['suite:small']", "suite.families.f", "no data set of the plan"),
    ("families = {f = ['x']}", "", r"families belongs into the table \[suite\]"),
]
WHOLE = [
    ("data = [\n  'a',  # ]\n  \"[\",\n]", "data", "cannot read '\\['"),
    ("data = 3", "data", "data must be a list"),
    ('datasets = "x"', "datasets", "datasets is called data everywhere"),
    ("splits = 3", "data", "no data set was named"),
]


@pytest.mark.parametrize(
    ("text", "place", "sentence"), [*((HEAD + text, *rest) for text, *rest in IN_A_PLAN), *WHOLE]
)
def test_errors_name_the_place_and_what_is_possible(text, place, sentence):
    tomllib.loads(text)
    where = re.escape(f"my plan, {place}: " if place else "my plan: ")
    with pytest.raises(PlanError, match=f"^{where}.*{sentence}"):
        parse_plan(text, "my plan")


def test_a_file_that_is_no_plan_is_told_in_one_sentence(tmp_path):
    path = tmp_path / "plan.toml"
    with pytest.raises(DataError, match=r"cannot read the plan .*plan\.toml"):
        read_plan(path)
    path.write_bytes(b"\xff")
    with pytest.raises(DataError, match="no UTF-8 text"):
        read_plan(path)
    path.write_text("data = [")
    with pytest.raises(PlanError, match=r"plan\.toml is no TOML: .*at"):
        read_plan(path)
