"""Which cells share a process with others: only those whose code is that of aucbench."""

import pytest

from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.plan.plan import Plan
from aucbench.bench.resolver import resolve_names

pytestmark = pytest.mark.plain


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
