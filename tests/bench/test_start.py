"""What the command that starts a run imports: each second of it is waited for."""

import subprocess
import sys

import pytest

from aucbench.bench.plan.plan import Plan
from aucbench.bench.resolver import resolve_names

pytestmark = pytest.mark.plain

CODE = """
import sys
import aucbench.bench.runner, aucbench.cli.run, aucbench.projectors
import aucbench.bench.evaluation.measures, aucbench.bench.evaluation.targets
import aucbench.progress, aucbench.datasets.located
print(*sorted(name for name in sys.modules if name.count(".") == 1 and name.startswith("scipy.")))
"""


def test_no_part_of_scipy_is_imported_before_a_run():
    found = subprocess.run([sys.executable, "-c", CODE], check=True, capture_output=True, text=True)
    heavy = {"scipy.linalg", "scipy.optimize", "scipy.sparse", "scipy.special", "scipy.stats"}

    assert heavy & {*found.stdout.split()} == set()
    assert "scipy.version" in found.stdout  # it is seen where it is imported


class Asked(Exception):
    """Raised with the jobs that a run asks first."""


class Asking:
    """An engine that starts nothing."""

    def run(self, jobs):
        raise Asked([job.call.partition(":")[2] for _, job in jobs])


def test_data_which_take_longest_are_asked_for_first():
    plan = Plan.of(
        {"data": ("linear", "outbreak"), "solvers": ["sht-auc", "svm-or"], "projector": "l2-ball"}
    )
    with pytest.raises(Asked) as asked:
        resolve_names(plan, Asking())

    assert asked.value.args[0] == ["read", "read", *["resolve"] * 4]


def test_a_kernel_that_needs_scipy_is_imported_on_first_use():
    code = (
        "import sys; from aucbench import kernels; n = 'aucbench.kernels.linear'; "
        "a = n in sys.modules; kernels.linear.scores; print(a, n in sys.modules); "
        "kernels.absent"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert found.stdout.split() == ["False", "True"]
    assert "module 'aucbench.kernels' has no attribute 'absent'" in found.stderr
