"""What is said of groups and features that cannot be ordered inside a group."""

from types import SimpleNamespace

import pytest

from aucbench.report.evidence import FoldKey
from aucbench.report.evidence import Group as Fits
from aucbench.report.fits import Fit
from aucbench.report.pairing import pair_notes


def evidence(*numbers, pairs="group", names=("a",)):
    fits = [
        Fit(id=str(i), data="", status="ok", auc=0.5, groups=g, left_out=left, constant=c)
        for i, (g, left, c) in enumerate(numbers)
    ]
    group = Fits({FoldKey(0, i): fit for i, fit in enumerate(fits)})
    rows = lambda number: [(0, group)] if number == 0 else []  # noqa: E731
    return SimpleNamespace(datasets=names, common={"pairs": pairs}, row=rows)


def test_groups_without_a_pair_are_counted():
    told = [*pair_notes(evidence((173, 37, 0), (173, 37, 0)))]
    assert told == ["training parts: 37 of 210 groups hold one class and are left out"]
    told = [*pair_notes(evidence((80, 3, 0), (78, 6, 0), pairs="grade[q]", names=("a", "b")))]
    assert told == ["a: training parts: 3 to 6 of 83 to 84 groups hold one grade and are left out"]


@pytest.mark.parametrize("numbers", [(5.0, 0.0, 0.0), (float("nan"), float("nan"), 2.0)])
def test_nothing_is_said_where_nothing_is_left_out(numbers):
    assert [*pair_notes(evidence(numbers))] == []


def test_features_that_cannot_help_are_counted():
    told = [*pair_notes(evidence((5, 0, 2), (5, 0, 2)))]
    assert told == ["2 feature(s) have one value in each group, and cannot help inside one"]
