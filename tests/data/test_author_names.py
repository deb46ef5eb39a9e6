"""What plugins read of `Data` and `Rows`: the twenty names for authors, and no other."""

import sys
from contextlib import suppress
from pathlib import Path

import pytest
import samples

import aucbench
import aucbench_plugins
from aucbench.data import Breakpoints, Data, Rows
from aucbench.errors import AucbenchError

AUTHORS = {
    *("of", "rows", "target", "y", "labels", "n", "d", "means", "weights", "terms", "take"),
    *("split", "blocks", "scores", "pullback", "with_rows", "require_no_weights"),  # of Data
    *("matrix", "dense", "stored_arrays"),  # of Rows
}
ROOMS = (str(Path(aucbench_plugins.__path__[0])), str(Path(__file__).parents[2] / "examples"))


@pytest.fixture
def read(monkeypatch):
    """The names that code of plugins and examples reads of data and of rows."""
    names = set()
    aucbench.solve("linear-svc", next(toys()))  # imports what the others need
    for kind in (Data, Rows):

        def reading(self, name, plain=kind.__getattribute__):
            if sys._getframe(1).f_code.co_filename.startswith(ROOMS):
                names.add(name)
            return plain(self, name)

        monkeypatch.setattr(kind, "__getattribute__", reading)
    return names


def toys():
    plain = samples.data(n=25)
    yield plain
    yield samples.data(n=25, weighted=True, density=0.5, layout="csr")
    yield samples.data(n=25, kind="groups")
    yield Data(plain.rows, Breakpoints.of_labels(plain.y))


SLOW = {
    *("ebm", "skglm"),
    *(
        "hist-gradient-boosting",
        "lightgbm",
        "lightgbm-pairs",
        "xgboost",
        "xgboost-pairs",
        "catboost",
    ),
    *("random-forest", "linear-svc"),
}


@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_plugins_read_no_name_that_is_not_for_authors(read, slow):
    for solver in SLOW if slow else {*aucbench.list_solvers()} - SLOW:
        for data in toys():
            with suppress(AucbenchError):  # it supports none of such data
                aucbench.solve(solver, data, passes=1, seed=0)
    assert len(AUTHORS) == 20
    assert "rows" in read
    assert {name for name in read if not name.startswith("_")} <= AUTHORS
