"""Groups of related data sets in plans, and what several plans of a folder say of them."""

from aucbench.bench.cell import Cell
from aucbench.bench.plan.families import family_of
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import write_plan
from aucbench.datasets.catalogue import expanded
from aucbench.registry.specs import Spec

SOLVERS = ["a"]


def test_families_say_nothing_of_cells_and_of_which_plan_it_is():
    plain, grouped = (
        Plan.of({"data": ("x", "y"), "solvers": SOLVERS, "families": f})
        for f in ({}, {"f": ["x", "y"]})
    )

    assert [*plain.cells()] == [*grouped.cells()]
    assert not hasattr(Cell, "families")
    assert plain.without_places() == grouped.without_places()
    assert write_plan(plain) != write_plan(grouped)
    assert hash(plain) == hash(grouped)


def test_a_suite_stands_for_those_of_its_members_that_the_plan_has():
    members = expanded(["suite:small"])
    some = members[:2]

    assert Plan.of(
        {"data": some, "solvers": SOLVERS, "families": {"f": ("suite:small",)}}
    ).families == {"f": tuple(map(Spec, some))}


def test_families_of_several_plans_are_merged():
    first = Plan.of({"data": ("x", "y", "z"), "solvers": SOLVERS, "families": {"f": ("x", "y")}})
    second = Plan.of(
        {"data": ("y", "z", "w"), "solvers": SOLVERS, "families": {"f": ("y",), "g": ("w",)}}
    )

    assert family_of([first, second]) == {Spec("x"): "f", Spec("y"): "f", Spec("w"): "g"}
    assert family_of([Plan.of({"data": ("x",), "solvers": SOLVERS})]) == {}
