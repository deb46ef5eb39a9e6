"""What a run imports and asks before its first cell, and what its workers are given to import."""

import subprocess
import sys

import pytest

from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.plan.plan import Plan
from aucbench.bench.resolver import resolve_names

pytestmark = pytest.mark.plain

CODE = """
import sys
import aucbench.bench.runner, aucbench.cli.run, aucbench.projectors
import aucbench.bench.evaluation.measures, aucbench.bench.evaluation.targets
import aucbench.progress, aucbench.datasets.located
print(*sorted(name for name in sys.modules if name.count(".") == 1 and name.startswith("scipy.")))
from aucbench import kernels
print("aucbench.kernels.linear" in sys.modules)
kernels.linear.scores
print("aucbench.kernels.linear" in sys.modules)
"""


def test_no_part_of_scipy_is_imported_before_a_run_nor_a_kernel_before_its_use():
    *scipy, before, after = subprocess.check_output([sys.executable, "-c", CODE], text=True).split()
    heavy = {"scipy.linalg", "scipy.optimize", "scipy.sparse", "scipy.special", "scipy.stats"}
    assert heavy & {*scipy} == set()
    assert "scipy.version" in scipy  # it is seen where it is imported
    assert (before, after) == ("False", "True")


def test_cells_that_run_a_package_of_others_are_not_trusted(in_process, tmp_path, monkeypatch):
    (tmp_path / "other_bayes.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\nclass Bayes(GaussianNB): pass\n"
    )
    (tmp_path / "other_solver.py").write_text(
        "from aucbench_plugins.thresholding.sht_auc import ShtAuc\nclass Sht(ShtAuc): pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    own = ("sht-auc", "estimator[sklearn.naive_bayes:GaussianNB]")
    others = ("estimator[other_bayes:Bayes]", "other_solver.py:Sht")
    plan = Plan.of({"data": ("breast-cancer",), "solvers": own + others, "splits": 2})
    resolver = resolve_names(plan, LocalEngine())
    trusted = {str(cell.solver) for cell in plan.cells() if resolver.trusts(cell)}
    assert trusted == {*own}
