"""Hooks that return what they must not: the sentence names file, line and hook, and what came."""

import pytest
from toys import Site

from aucbench.errors import PluginError
from aucbench.registry.discovery import KINDS, entries, load
from aucbench.registry.lookup import find

SOURCE = """
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
RETURNED = {
    "[Ball]": "returned [<class '{module}.Ball'>], wanted a mapping of name to {wanted}",
    "None": "returned None, wanted a mapping of name to {wanted}",
    "('a', Ball)": "returned ('a', <class '{module}.Ball'>), wanted a mapping of name to {wanted}",
    "'Ball'": "returned 'Ball', wanted a mapping of name to {wanted}",
    "{'mine': None}": "has None under 'mine', wanted a {wanted}",
    "{'mine': (Ball, 3)}": "has (<class '{module}.Ball'>, 3) under 'mine', wanted a {wanted}",
    "{'a b': Ball}": "names 'a b'; use letters, digits and . _ -",
    "1 / 0": "raised ZeroDivisionError: division by zero",
    "exit(3)": "raised SystemExit: 3",
}
CASES = [(kind, answer) for kind in KINDS for answer in RETURNED]
FUNCTIONS = ("datasets", "metrics")
NOT_VALID = {  # what is registered as another kind than it is
    ("solvers", "Ball"): "it lacks space, needs, problem, iterates; inherit from "
    "aucbench.contract.Solver; it is a projector, which aucbench_projectors registers",
    ("solvers", "gain"): "it takes y and scores, as a metric does",
    ("objectives", "Ball"): "it lacks over_pairs, grad, curvature, cut, rounding; inherit from "
    "aucbench.contract.Objective; it is a projector, which aucbench_projectors registers",
    ("projectors", "gain"): "it takes y and scores, as a metric does",
    ("projectors", "Ball()"): "it is an instance; register its class, or a function that makes one",
    ("metrics", "Ball"): "it is a class; register a function; it is a projector, which "
    "aucbench_projectors registers",
}


@pytest.fixture(scope="module")
def acme(tmp_path_factory):
    """A distribution for each case."""
    site = Site(tmp_path_factory.mktemp("site"))
    for number, (kind, answer) in enumerate(CASES):
        site.add(f"d{number}", mine=SOURCE.format(kind=kind, answer=answer))
    for number, (kind, thing) in enumerate(NOT_VALID):
        answer = f"{{'mine': {thing}}}"
        site.add(f"other{number}", mine=SOURCE.format(kind=kind, answer=answer))
    site.add("plain", mine="aucbench_solvers = {'mine': 3}\n")
    site.add("unmarked", mine=SOURCE.format(kind="solvers", answer="{}").replace("@hookimpl", ""))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site.path)
        yield site


def failure(distribution):
    [entry] = [e for e in entries() if e.distribution == distribution]
    return load(entry).failure


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda n: "-".join(CASES[n]))
def test_what_a_hook_returns(acme, number):
    kind, answer = CASES[number]
    file, wanted = acme.path / f"d{number}_mine.py", "function" if kind in FUNCTIONS else "class"
    told = RETURNED[answer].format_map({"module": f"d{number}_mine", "wanted": wanted})
    assert failure(f"d{number}") == f"PluginError: aucbench_{kind} ({file}, line 14) {told}"


@pytest.mark.parametrize(
    "number", range(len(NOT_VALID)), ids=lambda n: "-".join([*NOT_VALID][n]).strip("()")
)
def test_what_is_registered_as_another_kind(acme, number):
    kind, thing = [*NOT_VALID][number]
    name = f"other{number}:mine"
    with pytest.raises(PluginError) as caught:
        find(kind, name)
    told = str(caught.value)
    place = "" if thing == "Ball()" else f" ({acme.path / f'other{number}_mine.py'}, line "
    assert told.startswith(f"{name} 1.0{place}")
    assert told.endswith(NOT_VALID[kind, thing])


def test_a_name_of_a_hook_that_is_none(acme):
    assert failure("plain") == (
        "PluginError: plain_mine has aucbench_solvers, which is {'mine': 3}; wanted a function "
        "with @hookimpl above it"
    )
    unmarked = failure("unmarked")
    assert unmarked.startswith("PluginError: unmarked_mine has aucbench_solvers, which is <funct")
    assert f"({acme.path / 'unmarked_mine.py'}, line 15); wanted a function" in unmarked
