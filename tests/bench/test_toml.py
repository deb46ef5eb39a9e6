import json
import tomllib
from math import pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.fields import Choice, choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import PLAN_EXAMPLE, line_error, parse_plan, read_plan, write_plan
from aucbench.bench.plan.toml_lines import line_of
from aucbench.datasets.reading import Reading
from aucbench.errors import DataError

PLANS = [
    Plan(("german",)),
    Plan(
        ("a.csv", 'out"break[n=5,m=\\x]', "µ\t\x7f😀"),
        (
            Choice("sht-auc", True),
            Choice("x[k=1]", {"gamma": (0.5, 1e-12, 3), "name": ("a b", True)}),
            Choice("logistic[C=10.0]"),
        ),
        ("maxabs", "none"),
        "logistic",
        "top-k[k=5]",
        Reading(positive=("1", 2, 2.5), negative="rest", target=3, drop=("duration", 3)),
        splits=3,
        repeats=2,
        seeds=(0, 5),
        passes=1e22,
        seconds=pi,
        gap_tol=0.0,
        tune_evals=7,
        inner_splits=2,
        repeat_fits=3,
        timeout=600,
        memory=0.25,
    ),
    Plan(("x",), choices(["a"]), reading=Reading(positive="yes"), objective="logistic"),
    Plan(("x",), choices(["a"]), timeout=0),
]


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_that_was_written_is_read_again(plan, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(write_plan(plan), encoding="utf-8")
    read = read_plan(path)

    assert read == plan
    assert [*map(repr, read.cells())] == [*map(repr, plan.cells())]


def test_the_example_holds_every_table_and_is_what_it_says():
    plan = parse_plan(PLAN_EXAMPLE)

    assert plan == Plan(
        ("german", "outbreak[n=1000,d=1000]"),
        (Choice("sht-auc", True), Choice("logistic[C=10.0]")),
        ("auto", "standard+nystroem"),
        splits=5,
        passes=50,
        timeout=600,
        memory=4000,
    )
    for line in ("seconds = 10", 'objective = "logistic"'):
        key, value = next(iter(tomllib.loads(line).items()))
        uncommented = parse_plan(PLAN_EXAMPLE.replace(f"# {line}", line))
        assert getattr(uncommented, key) == (tuple(value) if isinstance(value, list) else value)


def test_solvers_may_be_a_short_list():
    short = 'datasets = ["x"]\nsolvers = ["a", {spec = "b", tune = true}]'

    assert parse_plan(short).solvers == (Choice("a"), Choice("b", True))


HEAD = 'datasets = ["x"]\n'


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (HEAD + "splitz = 3", 2, "unknown key 'splitz': did you mean 'splits'"),
        (HEAD + "\n[budget]\n# one\npases = 3", 5, "did you mean 'passes'.*gap_tol, passes"),
        (HEAD + "passes = 3\n[budget]\npasses = 3", 2, r"passes belongs into the table \[budget\]"),
        (HEAD + "[limits]\nmemory = '4 GB'", 3, "memory must be a number, got '4 GB'"),
        (HEAD + "[tuning]\nevals = 0", 3, "tune_evals must be at least 1"),
        (HEAD + "[tuning]\ninner = 2", 3, "evals, inner_splits"),
        (HEAD + "[solver]\nspec='a'", 2, "did you mean 'solvers'"),
        (HEAD + "budget = 3", 2, "budget must be a table"),
        (HEAD + "solvers = 3", 2, r"\[\[solvers\]\]"),
        (HEAD + "[solvers]\nspec = 'a'", 2, r"\[\[solvers\]\]"),
        (HEAD + "solvers = [\n'a',\n3]", 2, "solvers must be a table"),
        (HEAD + "solvers = [\n'a',\n'b[k',\n]", 4, "cannot read 'b\\[k'"),
        (HEAD + "solvers = [\n'a', # 'b'\n'b',\n'b']", 4, "b is named twice"),
        (HEAD + "solvers = [\n'a',\n'[',\n'b']", 4, "cannot read '\\['"),
        (HEAD + "solvers = [\n'a',\n'b[k = 1]',\n'b[k=1]']", 4, r"b\[k=1\] is named twice"),
        (HEAD + "[[solvers]]\nspec='a'\n[[solvers]]\nspec='b'\ntuned=1", 6, "did you mean 'tune'"),
        (HEAD + "[[solvers]]\nspec='a'\n\n[[solvers]]\ntune=true", 5, "a solver needs spec"),
        (HEAD + "[[solvers]]\nspec='a'\n[[solvers]]\nspec=3", 5, "holds 3, wanted a name"),
        (HEAD + "[[solvers]]\nspec='a'\n[solvers.tune]\nk=[1]\nm=[]", 6, "m in the grid of a"),
        (HEAD + "[[solvers]]\nspec='a'\ntune='k'", 4, "true, false or a grid"),
        (HEAD + "seeds = [\n0,\n1]\nrepeats = 2", 2, "0 and 1 with 2"),
        (HEAD + "objective = 1979-05-27", 2, "the date 1979-05-27; put it in quotes"),
        (HEAD + 'objective = """\na[\n"""\nsplits = 1', 5, "splits must be at least 2"),
        (HEAD + "projector = 'a['", 2, "cannot read"),
        ("datasets = [\n  'a',  # ]\n  \"[\",\n]", 3, "cannot read '\\['"),
        ('datasets = "x"', 1, "datasets must be a list"),
        ("splits = 3", 0, "no data set was named"),
    ],
)
def test_errors_name_the_line_and_what_is_possible(text, line, sentence):
    tomllib.loads(text)
    where = f"my plan, line {line}: " if line else "my plan: "
    with pytest.raises(PlanError, match=f"^{where}.*{sentence}"):
        parse_plan(text, "my plan")


def test_a_file_that_is_no_plan_is_told_in_one_sentence(tmp_path):
    path = tmp_path / "plan.toml"
    with pytest.raises(DataError, match=r"cannot read the plan .*plan\.toml"):
        read_plan(path)
    path.write_bytes(b"\xff")
    with pytest.raises(DataError, match="no UTF-8 text"):
        read_plan(path)
    path.write_text("datasets = [")
    with pytest.raises(PlanError, match=r"plan\.toml is no TOML: .*at"):
        read_plan(path)


def test_an_error_of_a_run_is_located_by_the_specification():
    text = HEAD + "[[solvers]]\nspec = 'a'\n\n[[solvers]]\nspec = \"sht-ac[k=3]\"\n"
    error = PlanError("unknown solver 'sht-ac'", "solvers", value="sht-ac[k=3]")

    assert str(line_error(error, text, "p")) == "p, line 6: unknown solver 'sht-ac'"
    assert str(line_error(PlanError("of all"), text, "p")) == "p: of all"


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    st.one_of(words, st.integers(-9, 9), st.booleans()),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.tuples(values, st.integers(0, 2), st.booleans()), min_size=1, max_size=8))
def test_the_line_of_every_key_is_found_whatever_stands_between(entries):
    lines = []
    wanted = []
    for number, (value, blank, comment) in enumerate(entries):
        lines += [""] * blank + ["# [x] = '''"] * comment
        lines.append(f"key{number} = {_spread(value)}")
        wanted.append(sum(line.count("\n") + 1 for line in lines[:-1]) + 1)
    text = "\n".join(lines)
    tomllib.loads(text)

    assert [line_of(text, (f"key{n}",)) for n in range(len(entries))] == wanted


def _spread(value):
    """TOML of a value, arrays over several lines."""
    if isinstance(value, list):
        return "[\n" + "".join(f"  {_spread(v)}, # ] [\n" for v in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower()
