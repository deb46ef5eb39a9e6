import json
from dataclasses import fields, replace

from aucbench.bench import answers
from aucbench.bench.answers import cell_id, shared_hash
from aucbench.bench.cell import Cell, Choice
from aucbench.bench.codec import dump, load
from aucbench.bench.plan.plan import Plan
from aucbench.datasets.reading import ReadOptions
from aucbench.registry.specs import Spec, parse_chain

PLUGINS = {"solver": "p" * 32, "features": "q" * 32}
CELL = next(Plan.of({"data": ("german",), "solvers": ["sht-auc[k=5]"]}).cells())


def identify(cell=CELL, data="d" * 32, plugins=PLUGINS, code="c" * 32):
    return cell_id(cell, shared_hash(cell, data=data, plugins=plugins, code=code))


def test_an_id_is_short_hexadecimal_and_the_same_in_every_version_of_python():
    assert identify() == "e8c53a3ebb7f719296ac81366fa183fe"


def test_every_field_of_a_cell_counts():
    tuned = replace(CELL, tune=True)
    other = {
        "solver": "sht-auc",
        "tune": (("k", (1, 5)),),
        "dataset": "german.svm",
        "features": "none",
        "objective": "logistic",
        "projector": "l2-ball",
        "reading": ReadOptions(positive="1", drop=(2,)),
        "splits": 4,
        "repeat": 1,
        "split": 1,
        "seed": 1,
        "passes": 49.0,
        "seconds": 1.0,
        "gap_tol": 0.0,
        "tune_evals": 19,
        "inner_splits": 2,
        "repeat_fits": 2,
        "holdout": 0.2,
        "tune_seconds": 9.0,
        "tune_work": 1e9,
        "pairs": "group",
        "monotone": "age=increasing",
    }
    for name in ("solver", "dataset", "objective", "projector", "pairs"):
        other[name] = Spec(other[name])
    other["features"] = parse_chain(other["features"])
    found = {identify(replace(tuned, **{name: value})) for name, value in other.items()}

    assert {*other} == {f.name for f in fields(Cell)}
    assert len({*found, identify(tuned), identify()}) == len(other) + 2


def test_what_is_about_tuning_does_not_matter_to_a_solver_that_is_not_tuned():
    assert identify(replace(CELL, tune_evals=3, inner_splits=9)) == identify()


def test_data_plugins_code_and_schema_count(monkeypatch):
    found = [
        identify(),
        identify(data="e" * 32),
        identify(code="e" * 32),
        identify(plugins={**PLUGINS, "solver": "e" * 32}),
        identify(plugins={**PLUGINS, "projector": "p" * 32}),
        identify(plugins={"solver": PLUGINS["features"], "features": PLUGINS["solver"]}),
    ]
    monkeypatch.setattr(answers, "SCHEMA", answers.SCHEMA + 1)

    assert len({*found, identify()}) == len(found) + 1


def test_the_order_of_plugins_and_parameters_does_not_matter():
    grids = ({"k": (1,), "m": (2,)}, {"m": (2,), "k": (1,)})
    cells = [
        next(Plan.of({"data": ("x",), "solvers": (Choice("a", grid),)}).cells()) for grid in grids
    ]

    assert identify(plugins=dict(reversed(PLUGINS.items()))) == identify()
    assert identify(cells[0]) == identify(cells[1])
    assert identify(load(json.loads(json.dumps(dump(cells[0]))), Cell)) == identify(cells[0])
