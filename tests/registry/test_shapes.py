"""What a plugin registers has the shape of the contract, or one sentence says what is wrong."""

import pytest
from toys import HEAD, listed
from typer.testing import CliRunner

from aucbench.cli import app
from aucbench.errors import ParameterError, PluginError, UnknownNameError
from aucbench.registry import (
    describe,
    get_metric,
    get_solver,
)

pytestmark = pytest.mark.plain

BODY = {
    "space": "space: ClassVar = {}",
    "needs": "needs: ClassVar = Needs()",
    "problem": "def problem(self, data, rng, budget): return None",
    "iterates": "def iterates(self, problem, w0, rng, budget): return iter(())",
}


def written(head="@dataclass(frozen=True)", fields="k: int = 3", base="", **changed):
    """Source of a plugin with one solver, some lines of which are changed or left out (None)."""
    lines = [line for line in {**BODY, **changed}.values() if line is not None]
    body = "\n    ".join([fields, *lines])
    hook = "@hookimpl\ndef aucbench_solvers(): return {'mine': Mine}"
    return f"{HEAD}\n{head}\nclass Mine{base}:\n    {body}\n\n{hook}\n"


MALFORMED = {
    "no dataclass": (written(""), "it is no frozen dataclass; write @dataclass"),
    "not frozen": (written("@dataclass"), "it is no frozen dataclass; write @dataclass"),
    "any parameter": (
        written("@dataclass(frozen=True, init=False)", init="def __init__(self, **kwargs): 0"),
        "it takes any parameter",
    ),
    "no space": (written(space=None), "it lacks space; inherit from aucbench.contract.Solver"),
    "no needs": (written(needs=None), "it lacks needs; inherit from aucbench.contract.Solver"),
    "no problem": (written(problem=None), "it lacks problem; inherit from aucbench.contract.S"),
    "no iterates": (written(iterates=None), "it lacks iterates; inherit from aucbench.contract"),
    "only the protocol": (written(base="(Solver)", iterates=None), "it has no iterates of its own"),
    "other arguments": (
        written(problem="def problem(self, data, rng): return None"),
        "its problem takes (data, rng), wanted (data, rng, budget)",
    ),
    "no start": (
        written(iterates="def iterates(self, problem, rng, budget): return iter(())"),
        "its iterates takes (problem, rng, budget), wanted (problem, w0, rng, budget)",
    ),
    "needs is a mapping": (written(needs="needs: ClassVar = {}"), "its needs is {}, wanted an ins"),
    "needs is the class": (
        written(needs="needs: ClassVar = Needs"),
        "wanted an instance, as in needs",
    ),
    "needs has a word": (
        written(needs="needs: ClassVar = Needs(frozenset({'l1'}))"),
        "unknown capability 'l1'",
    ),
    "problem is no method": (
        written(problem="problem: ClassVar = 5"),
        "its problem is 5, wanted a method",
    ),
    "space is a set": (written(space="space: ClassVar = {'k'}"), "its space is {'k'}, wanted a m"),
    "space has a number": (written(space="space: ClassVar = {'k': 5}"), "its space has 5 for k"),
    "space has another name": (
        written(space="space: ClassVar = {'kk': (1, 2)}"),
        "its space has 'kk', which is none of its parameters",
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_solver_is_broken_in_one_sentence_everywhere(site, case):
    source, sentence = MALFORMED[case]
    site.add("third", mine=source)

    with pytest.raises(PluginError) as caught:
        get_solver("mine")
    assert sentence in str(caught.value)
    for name in ("mine", "third:mine"):
        shown = CliRunner().invoke(app, ["show", name])
        assert isinstance(shown.exception, PluginError | SystemExit)
        assert sentence in str(shown.exception) + shown.stderr


def test_what_a_function_makes_is_looked_at_when_it_is_made(site):
    source = written("@dataclass").replace("'mine': Mine", "'mine': lambda k=3: Mine(k)")
    site.add("third", mine=source)

    with pytest.raises(PluginError, match=r"third:mine 1.0 .*made .*it is no frozen"):
        get_solver("mine")


WORDS = "mode: Literal['blocks', 'rows'] = 'rows'\n    k: 'int | Literal[\"auto\"] | None' = None"


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("mine[mode=row]", "mode of mine must be 'blocks' or 'rows', got 'row'"),
        ("mine[k=many]", "k of mine must be 'auto' or None or a number, got 'many'"),
    ],
)
def test_words_that_are_no_literal_are_refused(site, spec, sentence):
    site.add("third", mine="from typing import Literal\n" + written(fields=WORDS))

    with pytest.raises(ParameterError, match=sentence):
        get_solver(spec)
    assert get_solver("mine[mode=blocks,k=auto]").mode == "blocks"
    assert get_solver("mine[k=5]").k == 5


@pytest.mark.parametrize(
    ("requires", "fine"),
    [
        (("aucbench>=99",), False),
        (("numpy", "AucBench (<0.0.1)"), False),
        (("aucbench>=99; python_version < '3'",), True),
        (("aucbench>=0.0.1", "aucbench-more>=99"), True),
        (("aucbench",), True),
    ],
)
def test_a_plugin_for_another_version_of_aucbench_is_told(site, requires, fine):
    site.module("third_mine", written())
    site.metadata("third", "1.0", {"mine": "third_mine"}, requires)

    if fine:
        assert get_solver("mine").k == 3
        return
    with pytest.raises(PluginError, match=r"third:mine is broken \(it requires aucbench.* and 0"):
        get_solver("mine")
    assert "it requires aucbench" in listed("mine").failure


def test_a_metric_says_its_direction_its_range_and_its_weights(site):
    source = """
from aucbench.about import metric

@metric(greater_is_better=False, low=0.0)
def f(y, scores, sample_weight=None, *, depth=0.1):
    "Loss of the first rows."
    return depth

@hookimpl
def aucbench_metrics(): return {"mine": f, "plain": lambda y, scores, depth=1: 0.5}
"""
    site.add("theirs", mine=HEAD + source)
    told = describe("metrics", "mine")
    assert told.metric == {"greater_is_better": False, "low": 0.0, "high": None, "weights": True}
    assert [p.name for p in told.parameters] == ["depth"]
    assert get_metric("theirs:mine[depth=0.5]")(None, None) == 0.5
    plain = describe("metrics", "plain")
    assert plain.metric == {"greater_is_better": True, "low": None, "high": None, "weights": False}
    assert [p.name for p in plain.parameters] == ["depth"]
    with pytest.raises(UnknownNameError, match="unknown parameter of mine 'deepth'"):
        get_metric("mine[deepth=1]")
