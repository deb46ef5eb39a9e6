import json
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from aucbench.bench.cell import Cell, Choice
from aucbench.bench.codec import dump, load
from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.values import read_choice
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import ParameterError
from aucbench.registry.specs import parse_spec


def test_cells_are_the_grid_in_an_order_that_keeps_a_split_together():
    plan = Plan.of(
        {
            "data": ("x", "y"),
            "solvers": ["a", "b"],
            "features": ("maxabs", "none"),
            "splits": 3,
            "repeats": 2,
            "seed": [5, 9],
        }
    )
    cells = [*plan.cells()]

    assert len(cells) == len({*cells}) == len(plan) == 2 * 2 * 2 * 3 * 2 * 2
    assert [str(c.solver) for c in cells[:4]] == ["a", "b", "a", "b"]
    order = [(c.dataset, c.features, c.seed, c.split) for c in cells]
    assert order[::2] == order[1::2]
    assert [*dict.fromkeys(c.split for c in cells)] == [0, 1, 2]
    assert [*dict.fromkeys((c.repeat, c.seed) for c in cells)] == [(0, 5), (1, 6), (0, 9), (1, 10)]
    pairs = [(dataset, features) for dataset in "xy" for features in ("maxabs", "none")]
    assert [*dict.fromkeys((str(c.dataset), str(c.features)) for c in cells)] == pairs


def test_what_is_said_in_two_ways_gives_the_same_cells():
    lists, tuples = (
        ReadOptions(positive=kind(["1", "2"]), drop=kind(["a"])) for kind in (list, tuple)
    )
    ints = Plan.of({"data": ("x",), "passes": 50, "seconds": 2, "gap_tol": 1, "reading": lists})
    floats = Plan.of(
        {"data": ("x",), "passes": 50.0, "seconds": 2.0, "gap_tol": 1.0, "reading": tuples}
    )
    grids = [
        read_choice(0, Choice("a", grid)) for grid in ({"k": (1,), "m": [2]}, {"m": (2,), "k": [1]})
    ]

    assert [*map(repr, ints.cells())] == [*map(repr, floats.cells())]
    assert grids[0].tune == grids[1].tune == (("k", (1,)), ("m", (2,)))


def test_a_cell_survives_json():
    plan = Plan.of(
        {
            "data": ("x",),
            "solvers": (Choice("a", {"k": (1, 2.5, "t")}),),
            "reading": ReadOptions(positive=(np.int64(1), "b"), drop=("c", 3)),
        }
    )
    cell = next(plan.cells())

    assert load(json.loads(json.dumps(dump(cell), allow_nan=False)), Cell) == cell
    assert cell.reading.positive == (1, "b")
    assert hash(cell)


def test_solvers_are_parsed_once_and_travel_as_objects():
    spec = parse_spec("sht-auc[k = 5, gamma=1e-3]")
    plan = Plan.of(
        {
            "data": ("x",),
            "solvers": (Choice("sht-auc[k=5,gamma=0.001]"), Choice(spec, True)),
            "splits": 2,
        }
    )

    assert [choice.spec for choice in plan.solvers] == [spec, spec]
    assert all(cell.solver is plan.solvers[0].spec for cell in [*plan.cells()][::2])
    assert str(plan.solvers[1]) == "sht-auc[k=5,gamma=0.001] (tuned)"
    assert dump(next(plan.cells()))["solver"] == {
        "name": "sht-auc",
        "params": {"k": 5, "gamma": 0.001},
    }
    assert replace(plan.solvers[0], tune=True) == plan.solvers[1]


@pytest.mark.parametrize(
    ("specs", "place", "sentence"),
    [
        (["a", "b[k"], ("solvers", 1, "spec"), "cannot read 'b\\[k'"),
        ([3], ("solvers", 0, "spec"), "holds 3, wanted a name"),
        (["\udcff"], ("solvers", 0, "spec"), "no Unicode text"),
    ],
)
def test_a_malformed_solver_is_an_error_with_its_place(specs, place, sentence):
    with pytest.raises(PlanError, match=sentence) as caught:
        Plan.of({"data": "x", "solvers": specs})

    assert caught.value.place == place


@pytest.mark.parametrize(
    ("changed", "place", "sentence"),
    [
        ({"data": ()}, ("data",), "no data set was named; .*radial"),
        ({"data": 3}, ("data",), "must be a list"),
        ({"datasets": "x"}, ("datasets",), "datasets is called data everywhere"),
        ({"passses": 3}, ("passses",), "did you mean 'passes'"),
        ({"data": ("x", "x")}, ("data",), "the data set x is named twice"),
        ({"data": ("x", 3)}, ("data",), "holds 3, wanted a name"),
        ({"data": ("x[a", "y")}, ("data",), "cannot read 'x\\[a'"),
        ({"data": ("\udcff",)}, ("data",), "no Unicode text"),
        ({"solvers": ()}, ("solvers",), "no solver was named; known are: .*sht-auc"),
        ({"solvers": ["a", "a"]}, ("solvers",), "the solver a is named twice"),
        ({"solvers": (Choice("a", {}),)}, ("solvers", 0, "tune"), "true, false or a grid"),
        ({"solvers": (Choice("a", "k"),)}, ("solvers", 0, "tune"), "true, false or a grid"),
        ({"solvers": (Choice("a", {"k": ()}),)}, ("solvers", 0, "tune", "k"), "a list"),
        ({"solvers": (Choice("a", {"k": "12"}),)}, ("solvers", 0, "tune", "k"), "a list"),
        ({"solvers": (Choice("a", {"k!": (1,)}),)}, ("solvers", 0, "tune"), "no parameter"),
        ({"solvers": (Choice("a[k=1]", {"k": (1,)}),)}, ("solvers", 0, "tune", "k"), "brackets"),
        ({"solvers": (Choice("a", {"k": (1, 1)}),)}, ("solvers", 0, "tune", "k"), "twice"),
        ({"solvers": (Choice("a", {"k": (inf,)}),)}, ("solvers", 0, "tune", "k"), "value inf"),
        ({"features": ()}, ("features",), "write none for none"),
        ({"features": ("none", "none")}, ("features",), "named twice"),
        ({"objective": 3}, ("objective",), "wanted a name"),
        ({"projector": "a,b"}, ("projector",), "one name is wanted"),
        ({"splits": 1}, ("splits",), "splits must be at least 2, got 1"),
        ({"splits": 2.5}, ("splits",), "splits must be a whole number"),
        ({"holdout": 1.0}, ("holdout",), "a share of the rows below 1"),
        ({"holdout": 0.2, "splits": 3}, ("splits",), "two ways to divide rows"),
        (
            {"reading": ReadOptions(test="t.csv"), "splits": 3},
            ("splits",),
            "t.csv holds the test rows",
        ),
        (
            {"reading": ReadOptions(test="t.csv"), "holdout": 0.2},
            ("holdout",),
            "t.csv holds the test",
        ),
        ({"reading": ReadOptions(test="t.csv"), "repeats": 2}, ("repeats",), "ask for one repeat"),
        (
            {"reading": ReadOptions(time="t"), "seed": (0, 1)},
            ("seed",),
            "time t decides which rows",
        ),
        ({"repeats": 0}, ("repeats",), "repeats must be"),
        ({"seed": "s"}, ("seed",), "seed must be a whole number"),
        ({"seed": ()}, ("seed",), "a whole number or a list"),
        ({"seed": (-1,)}, ("seed",), "seed must be"),
        ({"seed": (2**32 - 1,), "repeats": 2}, ("seed",), r"below 2\*\*32"),
        ({"seed": (4, 0, 1), "repeats": 2}, ("seed",), "0 and 1 with 2 repeat"),
        ({"passes": 0}, ("passes",), "passes must be greater than 0"),
        ({"passes": "many"}, ("passes",), "passes must be a number"),
        ({"seconds": float("nan")}, ("seconds",), "seconds must be"),
        ({"gap_tol": -1}, ("gap_tol",), "gap_tol must be at least 0"),
        ({"gap_tol": None}, ("gap_tol",), "gap_tol must be a number"),
        ({"tune_evals": 0}, ("tune_evals",), "tune_evals must be"),
        ({"inner_splits": 1}, ("inner_splits",), "inner_splits must be"),
        ({"repeat_fits": 0}, ("repeat_fits",), "repeat_fits must be"),
        ({"timeout": -1}, ("timeout",), "timeout must be at least 0"),
        ({"timeout": None}, ("timeout",), "timeout must be a number"),
        ({"memory": inf}, ("memory",), "memory must be"),
    ],
)
def test_a_field_that_makes_no_sense_is_named(changed, place, sentence):
    with pytest.raises(PlanError, match=sentence) as caught:
        Plan.of({"data": ("x",), **changed})

    assert isinstance(caught.value, ParameterError)
    assert caught.value.place == place
