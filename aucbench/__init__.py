"""Solvers that maximise the area under the ROC curve, as plugins, and a benchmark that holds.

Every public name is imported when it is first used, so that `import aucbench` and
`aucbench --help` answer at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lazy_loader

if TYPE_CHECKING:
    from aucbench.contract import Objective, Problem, Projector, Solver, State
    from aucbench.data import Data
    from aucbench.datasets.chunked import open_parts
    from aucbench.hookspecs import hookimpl
    from aucbench.kernels.headers import get_include, require_kernel_api
    from aucbench.kernels.parallel import threads
    from aucbench.metrics import auc, auc_of_file, intercept_at
    from aucbench.models import (
        AUCClassifier,
        GradeRanker,
        Model,
        SurvivalRanker,
        fit,
    )
    from aucbench.optim.classifiers import from_estimator
    from aucbench.records import Run
    from aucbench.registry import (
        get_dataset,
        get_objective,
        get_projector,
        get_solver,
        list_solvers,
    )
    from aucbench.report.comparison import compare
    from aucbench.report.judged import judge
    from aucbench.solving.loop import solve

    __version__: str

__all__ = [
    "AUCClassifier",
    "Data",
    "GradeRanker",
    "Model",
    "Objective",
    "Problem",
    "Projector",
    "Run",
    "Solver",
    "State",
    "SurvivalRanker",
    "auc",
    "auc_of_file",
    "compare",
    "fit",
    "from_estimator",
    "get_dataset",
    "get_include",
    "get_objective",
    "get_projector",
    "get_solver",
    "hookimpl",
    "intercept_at",
    "judge",
    "list_solvers",
    "open_parts",
    "require_kernel_api",
    "solve",
    "threads",
]

_MODULES = {
    "data": ("Data",),
    "datasets.chunked": ("open_parts",),
    "models": ("AUCClassifier", "GradeRanker", "Model", "SurvivalRanker", "fit"),
    "report.judged": ("judge",),
    "kernels.headers": ("get_include", "require_kernel_api"),
    "hookspecs": ("hookimpl",),
    "solving.loop": ("solve",),
    "metrics": ("auc", "auc_of_file", "intercept_at"),
    "optim.classifiers": ("from_estimator",),
    "kernels.parallel": ("threads",),
    "contract": ("Objective", "Problem", "Projector", "Solver", "State"),
    "records": ("Run",),
    "registry": ("get_dataset", "get_objective", "get_projector", "get_solver", "list_solvers"),
    "report.comparison": ("compare",),
}


_imported, __dir__, _ = lazy_loader.attach(__name__, submod_attrs=_MODULES)


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version

        return version("aucbench")
    return _imported(name)
