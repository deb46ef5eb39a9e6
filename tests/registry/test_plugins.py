"""Plugins are found without an import, one claimant a name; a broken one costs itself only."""

import sys

import pytest
from refusals import assert_refused
from toys import HEAD, HOOK, listed, solver

from aucbench.errors import ParameterError, PluginError, UnknownNameError
from aucbench.registry import get_projector, get_solver, list_solvers
from aucbench.registry.discovery import KINDS, entries
from aucbench.registry.lookup import find, names

pytestmark = pytest.mark.plain


def test_listing_never_imports(site):
    site.add("foo", foo=f"open({str(site.path / 'imported')!r}, 'w').close()")
    row = listed("foo")
    entry = row.entry
    assert (entry.distribution, entry.version, entry.value) == ("foo", "1.0", "foo_foo")
    assert (entry.builtin, row.enabled, row.failure) == (False, True, None)
    assert not (site.path / "imported").exists()
    with pytest.raises(PluginError):
        get_solver("foo")
    assert (site.path / "imported").exists()


def test_only_the_plugin_of_that_name_is_imported(site):
    site.add("foo", foo=solver("foo"))
    site.add("bar", bundle=solver("one", "two"))
    assert get_solver("foo").k == 3
    get_solver("logistic")
    assert "foo_foo" in sys.modules
    assert "bar_bundle" not in sys.modules
    assert get_solver("two[k=7]").k == 7
    assert {"one", "two"} <= {*list_solvers()}
    assert "bundle" not in list_solvers()


NAMED = {
    "Dummy": "",
    "made": "def made(k: int, further: int = 2) -> Dummy: return Dummy(k)\n",
    "rows": "def rows(n: int) -> Data: return outbreak(n)\n",
    "gain": "def gain(y, scores, depth) -> float: return 0.5\n",
    "unclear": "def unclear(n): return 3\n",
    "number": "number = 5\n",
}


def test_an_entry_point_names_a_class_or_a_function(site):
    given = "from aucbench.data import Data\nfrom aucbench.datasets.simulated import outbreak\n"
    site.module("foo", HEAD + given + "".join(NAMED.values()))
    site.metadata("foo", "1.0", {f"the-{name.lower()}": f"foo:{name}" for name in NAMED})
    assert get_solver("the-dummy[k=7]").k == 7
    assert get_solver("foo:the-made[9]").k == 9
    assert {"the-dummy", "the-made"} <= {*list_solvers()}
    assert "the-rows" in names("datasets")
    assert "the-gain" in names("metrics")
    for name in ("unclear", "number"):
        with pytest.raises(PluginError, match="kind"):
            get_solver(f"the-{name}")


def test_a_name_without_an_entry_point_is_told_with_the_line_that_is_missing(site):
    site.module("foo_bundle", solver("one", "two"))
    site.metadata("foo", "1.0", {"one": "foo_bundle", "bundle": "foo_bundle"})
    for name in ("one", "bundle", "foo:one"):
        assert_refused(lambda named=name: get_solver(named), PluginError, 'two = "foo_bundle"')
    assert not {"one", "two"} & {*list_solvers()}


def test_names_that_could_play_tricks_on_a_terminal_are_refused(site):
    site.metadata("foo", "1.0", {"[red]x\x1b[2J": "foo_foo", "good": "foo good"})
    rows = [p for p in entries() if p.distribution == "foo"]
    assert [p.name for p in rows] == ["?red?x??2J", "good"]
    assert all(row.fault for row in rows)
    with pytest.raises(PluginError, match="module:object"):
        get_solver("good")


def test_unreadable_metadata_are_a_failure_of_their_own(site):
    site.add("foo", foo=solver("foo"))
    site.metadata("bar", "1.0", {})
    (site.path / "bar-1.0.dist-info" / "entry_points.txt").write_bytes(b"[aucbench]\n\xff\xfe=x")
    assert "cannot be read" in listed("unreadable").failure
    assert get_solver("foo").k == 3


ASKS = "import aucbench\naucbench.get_solver({!r})\n"
BROKEN = {  # a word of the reason, and the source
    "ModuleNotFoundError": "import no_such_module",
    "SyntaxError": "def f(:",
    "SystemExit: 3": "raise SystemExit(3)",
    "Panic: boom": "class Panic(BaseException): pass\nraise Panic('boom')",
    "cannot be shown": "class Rude(Exception):\n    def __str__(self): 1 / 0\nraise Rude",
    "did you mean aucbench_solvers": (
        f"{HEAD}{HOOK}return {{}}\n@hookimpl\ndef aucbench_solver():\n    return {{}}"
    ),
    "has 5 under 'broken'": HEAD + HOOK + "return {'broken': 5}",
    "no function marked": HEAD,
    "wanted a function with @hookimpl": f"{HEAD}\ndef aucbench_solvers(): return {{'broken': 0}}",
    "while it is imported itself": ASKS.format("broken") + solver("broken"),
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_plugin_is_recorded_and_leaves_the_others_alone(site, reason):
    site.add("bad", "0.7", broken=BROKEN[reason])
    site.add("foo", healthy=solver("healthy"))
    assert listed("broken").failure is None
    for name in ("broken", "bad:broken"):
        said = assert_refused(lambda named=name: get_solver(named), PluginError, reason)
        assert "aucbench plugins" in said
    row = listed("broken")
    assert row.failure in said
    assert row.failure.isprintable()
    assert (row.entry.distribution, row.entry.version) == ("bad", "0.7")
    assert get_solver("healthy").k == 3


def test_an_interrupt_by_the_user_is_not_a_failure_of_the_plugin(site):
    here = "import os\nif 'AUCBENCH_SUPERVISED' not in os.environ:\n    raise KeyboardInterrupt\n"
    site.add("foo", foo=here + solver("foo"))
    with pytest.raises(KeyboardInterrupt):
        get_solver("foo")
    assert listed("foo").failure is None


OTHERS = """
from dataclasses import dataclass
from aucbench.hookspecs import hookimpl

@dataclass(frozen=True)
class Ball:
    radius: float = 1.0
    def __call__(self, v, step=1.0): return v
    def contains(self, w): return True
    def value(self, w): return 0.0

def gain(y, scores): return 0.5

@hookimpl
def aucbench_{kind}():
    return {answer}
"""
RETURNED = {  # what a hook returns, and a word on it
    **{"[Ball]": "mapping", "None": "mapping", "('a', Ball)": "mapping", "'Ball'": "mapping"},
    **{"{'mine': None}": "None under 'mine'", "{'mine': (Ball, 3)}": "3) under 'mine'"},
    **{"{'a b': Ball}": "'a b'", "1 / 0": "ZeroDivisionError", "exit(3)": "SystemExit"},
}
MISPLACED = [  # what is registered as another kind than it is
    ("solvers", "Ball", "aucbench_projectors"),
    ("solvers", "gain", "a metric"),
    ("projectors", "Ball()", "instance"),
    ("metrics", "Ball", "aucbench_projectors"),
]
CASES = [*((kind, *case) for case in RETURNED.items() for kind in KINDS), *MISPLACED]


@pytest.mark.parametrize(("kind", "answer", "word"), CASES)
def test_a_hook_that_returns_something_else_is_told_with_its_line(site, kind, answer, word):
    answer = answer if answer in RETURNED else f"{{'mine': {answer}}}"
    site.add("theirs", mine=OTHERS.format(kind=kind, answer=answer))
    if "a b" in answer:  # it has no entry point of its own
        [name] = [e.name for e in entries() if e.distribution == "theirs"]
    else:
        name = "mine"
    said = assert_refused(lambda: find(kind, f"theirs:{name}"), PluginError, word)
    if answer != "{'mine': Ball()}":
        assert f"({site.path / 'theirs_mine.py'}, line " in said


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


MALFORMED = [  # a word on what is wrong, and how the source is written
    ("no frozen dataclass", {"head": ""}),
    (
        "any parameter",
        {"head": "@dataclass(frozen=True, init=False)", "init": "def __init__(self, **kwargs): 0"},
    ),
    *((f"it lacks {name}", {name: None}) for name in BODY),
    ("no iterates of its own", {"base": "(Solver)", "iterates": None}),
    ("(data, rng, budget)", {"problem": "def problem(self, data, rng): return None"}),
    ("w0", {"iterates": "def iterates(self, problem, rng, budget): return iter(())"}),
    ("needs is {}", {"needs": "needs: ClassVar = {}"}),
    ("'l1'", {"needs": "needs: ClassVar = Needs(frozenset({'l1'}))"}),
    ("a method", {"problem": "problem: ClassVar = 5"}),
    ("space is {'k'}", {"space": "space: ClassVar = {'k'}"}),
    ("'kk'", {"space": "space: ClassVar = {'kk': (1, 2)}"}),
]


@pytest.mark.parametrize(("word", "changed"), MALFORMED)
def test_a_malformed_solver_is_broken_in_one_sentence(site, word, changed):
    site.add("third", mine=written(**changed))
    assert_refused(lambda: get_solver("mine"), PluginError, word)


WORDS = "mode: Literal['blocks', 'rows'] = 'rows'\n    k: 'int | Literal[\"auto\"] | None' = None"


def test_words_that_are_no_literal_are_refused(site):
    site.add("third", mine="from typing import Literal\n" + written(fields=WORDS))
    assert_refused(lambda: get_solver("mine[mode=row]"), ParameterError, "'blocks' or 'rows'")
    assert_refused(lambda: get_solver("mine[k=many]"), ParameterError, "'auto' or None")
    assert get_solver("mine[mode=blocks,k=auto]").mode == "blocks"
    assert get_solver("mine[k=5]").k == 5


@pytest.mark.parametrize(
    ("requires", "fine"),
    [
        (("aucbench>=99",), False),
        (("numpy", "AucBench (<0.0.1)"), False),
        (("aucbench>=99; python_version < '3'", "aucbench>=0.0.1", "aucbench-more>=99"), True),
    ],
)
def test_a_plugin_for_another_version_of_aucbench_is_told(site, requires, fine):
    site.module("third_mine", written())
    site.metadata("third", "1.0", {"mine": "third_mine"}, requires)
    if fine:
        assert get_solver("mine").k == 3
    else:
        assert_refused(lambda: get_solver("mine"), PluginError, "requires aucbench")


def test_two_third_parties_with_one_name(site):
    site.add("first", same=solver("same", "mine"))
    site.add("second", same="raise ImportError('gone')")
    assert_refused(lambda: get_solver("same"), PluginError, "first:same or second:same")
    assert not {"first_same", "second_same"} & {*sys.modules}  # no import settles it
    assert get_solver("mine").k == get_solver("first:same").k == 3
    assert get_solver("first:same").__class__.__module__ == "first_same"
    assert_refused(lambda: get_solver("second:same"), PluginError, "gone")
    assert "first:same" in list_solvers()
    assert "same" not in list_solvers()


def test_a_name_that_one_distribution_has_twice_is_refused(site):
    site.add("foo", one=solver("x", "y"))
    points = site.path / "foo-1.0.dist-info" / "entry_points.txt"
    points.write_text("[aucbench]\nx = foo_one\nx = foo_two\ny = foo_one\n", encoding="utf-8")
    assert_refused(lambda: get_solver("x"), PluginError, "foo:x has the plugin 'x' 2 times")
    assert get_solver("y").k == 3


def test_a_mistyped_name_imports_no_plugin(site):
    site.add("first", slow_one="import time\ntime.sleep(600)")
    for name, near in (("slow-on", "'slow-one'"), ("sht-acu", "'sht-auc'")):
        assert_refused(lambda named=name: get_solver(named), UnknownNameError, near)
    assert_refused(lambda: get_projector("topk"), UnknownNameError, "'top-k'")


def test_built_ins_cannot_be_shadowed(site):
    hook = "\n@hookimpl\ndef aucbench_projectors():\n    return {'top-k': Identity}\n"
    site.add("evil", all=solver("logistic") + hook)
    assert get_solver("logistic").__class__.__module__ == "aucbench_plugins.baselines.logistic"
    assert get_projector("top-k").__class__.__module__.startswith("aucbench.")
    assert get_solver("evil:logistic").__class__.__module__ == "evil_all"
    assert {"logistic", "evil:logistic"} <= {*list_solvers()}


@pytest.mark.parametrize("allowed", ["", "one, second:three"])
def test_an_allow_list_leaves_the_built_ins_and_the_named_plugins(site, monkeypatch, allowed):
    site.add("first", one=solver("one"), two=solver("two"))
    site.add("second", three=solver("three"))
    monkeypatch.setenv("AUCBENCH_PLUGINS", allowed)
    left = {"one", "three"} if allowed else set()
    assert {*list_solvers()} & {"one", "two", "three", "logistic"} == {*left, "logistic"}
    assert {name for name in ("one", "two", "three") if listed(name).enabled} == left
    for name in ("two", "first:two"):
        assert_refused(lambda named=name: get_solver(named), PluginError, "AUCBENCH_PLUGINS")
    assert "first_two" not in sys.modules
