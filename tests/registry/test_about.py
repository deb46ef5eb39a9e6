"""What a description of a plugin says, for people and for programs, and that it is so."""

import json
import re
from dataclasses import replace

import installed
import numpy as np
import pytest
from toys import HEAD, HOOK

from aucbench import get_dataset, get_solver, solve
from aucbench.about import bibtex
from aucbench.data import Data
from aucbench.registry import describe, get_features, list_solvers
from aucbench.registry.describing import document as described

pytestmark = pytest.mark.plain

WITHOUT_A_PAPER = {"constant"}
# How each solver that is said to give sparse weights is asked for them.
SPARSE = {
    "abess": {"k": 5},
    "celer": {"ratio": 0.3},
    "hsg-ht": {"k": 5},
    "interval-regression": {"penalty": "l1", "lam": 0.1},
    "sgd-logistic": {"penalty": "l1", "alpha": 0.05},
    "sht-auc": {"k": 5},
    "skglm": {"ratio": 0.3},
    "spam-l1": {"l1": 0.5, "average": False},
    "spam-net": {"l1": 0.5, "average": False},
    "sto-iht": {"k": 5},
}


def built_in():
    return [n for n in list_solvers() if describe("solvers", n).distribution == "aucbench"]


@pytest.fixture(scope="module")
def rows():
    data = get_dataset("breast-cancer")
    phi = get_features("standard").fit(data, np.random.default_rng(0))
    return replace(data, rows=phi(data.rows))


@pytest.mark.parametrize("name", built_in())
def test_every_solver_says_what_it_is_for_and_its_docstring_names_its_paper(name):
    found = describe("solvers", name)
    assert 10 < len(found.purpose) < 70
    cited = bibtex(found.cites)
    assert bool(cited) == (name not in WITHOUT_A_PAPER)
    for entry in list(cited.values())[:1]:
        author = re.search(r"author = \{(.*?),", entry)[1]
        spelt = author.replace(r"{\l}", "ł").replace("{", "").replace("}", "")
        year = re.search(r"year = \{(\d{4})\}", entry)[1]
        assert spelt in found.doc, entry
        assert year in found.doc, entry


def test_what_is_said_to_be_sparse_is(rows):
    assert {n for n in built_in() if describe("solvers", n).sparse} == {*SPARSE}
    for name in {*SPARSE} & {*installed.SOLVERS}:
        params = SPARSE[name]
        run = solve(get_solver(name, **params), rows, passes=10)
        assert np.count_nonzero(run.w) < rows.d, name


@pytest.mark.parametrize("name", [n for n in installed.SOLVERS if n != "estimator"])
def test_what_is_said_to_be_certified_is(name, rows):
    # The AUM has a gap where its weights are not chosen by validation rows.
    spec = installed.FEW_ROUNDS if name == "ebm" else name
    solver = get_solver(spec, **({"early_stopping": False} if name.startswith("aum") else {}))
    if name == "auc-opt":
        rows = Data.of(rows.rows.dense().matrix[:, :2], rows.y)
    run = solve(solver, rows, passes=1 if name == "roc-svm-kernel" else 300, seconds=20)
    gaps = [p.gap for p in run.points if p.gap is not None and np.isfinite(p.gap)]
    assert bool(gaps) == describe("solvers", name).certified


FIELDS = {  # of version 2 of the document
    **dict.fromkeys(["kind", "name", "plugin", "distribution", "version"], str),
    **dict.fromkeys(["licence", "family", "purpose", "doc"], str),
    **dict.fromkeys(("parameters", "space"), list),
    "needs": (dict, type(None)),
    **dict.fromkeys(("sparse", "certified", "streaming"), bool),
    "missing": (str, type(None)),
    **dict.fromkeys(("metric", "pairs"), (dict, type(None))),
    **{"cites": list, "bibtex": (list, type(None)), "problem": (str, type(None))},
}
OF_A_PARAMETER = {"name": str, "type": str, "required": bool, "default": object, "shown": str}


def test_the_document_for_programs_is_version_2():
    document = json.loads(json.dumps(described(), allow_nan=False))
    assert document["version"] == 2
    assert {*document} == {"version", "aucbench", "plugins", "broken"}
    assert document["broken"] == []
    for plugin in document["plugins"]:
        assert [*plugin] == [*FIELDS], plugin["name"]
        assert all(isinstance(plugin[name], kind) for name, kind in FIELDS.items()), plugin["name"]
        for parameter in plugin["parameters"]:
            assert [*parameter] == [*OF_A_PARAMETER]
            assert all(isinstance(parameter[n], kind) for n, kind in OF_A_PARAMETER.items())
        is_metric = plugin["kind"] == "metrics" and not plugin["problem"]
        assert (plugin["metric"] is not None) == is_metric
        axes = [axis for axes in plugin["space"] for axis in axes.values()]
        assert all({*axis} <= {"text", "values", "range", "distribution"} for axis in axes)


def test_a_third_party_is_described_with_what_is_wrong(site):
    named = "return {'foo': about('nothing', cites=('nobody1900',))(Dummy)}"
    site.add("foo", foo=f"{HEAD}\nfrom aucbench.about import about\n{HOOK}{named}")
    [plugin] = [p for p in described()["plugins"] if p["name"] == "foo"]
    assert plugin["bibtex"] is None
    assert "'nobody1900' is no reference of aucbench" in plugin["problem"]
    assert (plugin["licence"], plugin["family"]) == ("", "")
