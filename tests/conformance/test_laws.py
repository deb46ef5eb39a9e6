"""Laws that every registered plugin obeys; a new one is held to them without a line here."""

import pytest

from aucbench import metrics
from aucbench.registry import list_solvers, names
from aucbench.testing import (
    parametrize_dataset_checks,
    parametrize_feature_checks,
    parametrize_metric_checks,
    parametrize_objective_checks,
    parametrize_projector_checks,
    parametrize_solver_checks,
)

# What cannot be built by its name alone, as it is written here.
WRITTEN = {
    "estimator": "estimator[sklearn.tree:DecisionTreeClassifier,max_depth=3]",
    "top-k": "top-k[k=3]",
    "box": "box[lo=-1,hi=0.5]",
    "whole": "whole[data=breast-cancer]",
    "sample": "sample[data=breast-cancer,n=100]",
}


def written(kind):
    return [WRITTEN.get(name, name) for name in names(kind)]


@parametrize_solver_checks([WRITTEN.get(name, name) for name in list_solvers()])
def test_solvers(solver, law):
    law(solver)


@parametrize_objective_checks(written("objectives"))
def test_objectives(objective, law):
    law(objective)


@parametrize_projector_checks(written("projectors"))
def test_projectors(projector, law):
    law(projector)


@parametrize_projector_checks(["box[lo=0]", "l1-ball[R=40]", "elastic-net[l1=0.5,l2=2]"])
def test_projectors_with_other_parameters(projector, law):
    law(projector)


@parametrize_feature_checks(written("features"))
def test_feature_maps(features, law):
    law(features)


@parametrize_dataset_checks(written("datasets"))
def test_data_sets(dataset, law):
    law(dataset)


@parametrize_metric_checks([metrics.auc, *names("metrics")])
def test_metrics(metric, law):
    law(metric)


@pytest.mark.parametrize(
    "kind", ["solvers", "objectives", "projectors", "features", "datasets", "metrics"]
)
def test_there_is_something_of_each_kind(kind):
    assert names(kind)
