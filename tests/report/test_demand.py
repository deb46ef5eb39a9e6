"""Conditions such as "a worse than b on auc by 0.005"."""

import pytest
from bench_toys import cell, record_of

from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.report.demand import Demand
from aucbench.report.evidence import evidence_of
from aucbench.report.findings import Settings, findings_of
from aucbench.stats.words import Word


def findings(aucs, by=0.005):
    """Findings of {(solver, data set): AUC of each split}; None is a failed cell."""
    rows = [
        record_of(
            cell(solver, dataset, split=split),
            n_train=80,
            n_test=20,
            **({"status": "error", "reason": "E"} if auc is None else {"auc": auc}),
        )
        for (solver, dataset), of in aucs.items()
        for split, auc in enumerate(of)
    ]
    return findings_of(evidence_of(rows), Settings(rope=by, curves=False))


def over_data_sets(shift):
    return {
        (name, f"x{j}"): [0.8 + 0.001 * j + (shift if name == "a" else 0.0)]
        for name in "ab"
        for j in range(12)
    }


def test_it_is_read_from_words():
    assert Demand.of("sht-auc[k=5] worse than logistic on pauc[max_fpr=.1] by 0.01") == Demand(
        "sht-auc[k=5]", Word.WORSE, "logistic", "pauc[max_fpr=0.1]", 0.01
    )
    assert Demand.of("a better than b") == Demand("a", Word.BETTER, "b", "auc", 0.005)
    assert Demand.of("a better than b", "gauc[each=group]").measure == "gauc[each=group]"
    assert Demand.of("a better than b on ap", "gauc").measure == "ap"


@pytest.mark.parametrize(
    "text", ["a", "a worse b", "a equivalent than b", "a worse than b by x", "a worse than b by -1"]
)
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(ParameterError):
        Demand.of(text)
    with pytest.raises(UnknownNameError):
        Demand.of("a worse than b on luck")
    with pytest.raises(UnknownNameError, match="'c'"):
        Demand.of("a worse than c").require_solvers(["a", "b"])


@pytest.mark.parametrize(
    ("shift", "text", "holds"),
    [
        (-0.02, "a worse than b", True),
        (-0.02, "b better than a", True),
        (-0.02, "b worse than a", False),
        (-0.02, "a worse than b by 0.03", False),
        (-0.004, "a worse than b", False),  # equivalent
        (-0.004, "a worse than b by 0.001", True),
        (0.02, "a better than b", True),
    ],
)
def test_across_data_sets(shift, text, holds):
    demand = Demand.of(text)
    found = findings(over_data_sets(shift), demand.by)

    assert demand.holds(found) is holds
    assert f"{demand.a} is " in demand.said(found)


@pytest.mark.parametrize(
    ("a", "b"),
    [([0.6, 0.61, 0.62, 0.6], [0.9, 0.912, 0.921, 0.902]), ([None, None], [0.9, 0.8])],
)
def test_inside_one_data_set_where_a_solver_that_failed_everywhere_is_worse(a, b):
    found = findings({("a", "x"): a, ("b", "x"): b})

    assert Demand.of("a worse than b").holds(found)
    assert not Demand.of("a better than b").holds(found)
    assert not Demand.of("b worse than a").holds(found)


def test_of_two_that_failed_nothing_can_be_said():
    with pytest.raises(DataError, match="neither a nor b"):
        Demand.of("a worse than b").holds(
            findings({("a", "x"): [None], ("b", "x"): [None], ("c", "x"): [0.5]})
        )


def test_what_is_only_probable_does_not_come_true():
    """Among three pairs, what the pair says alone is not enough."""
    spread = [-0.02, 0.01, 0.02, -0.01, 0.0]
    aucs = {("b", "x"): [0.8] * 5}
    aucs |= {(name, "x"): [0.765 + d for d in spread] for name in "ac"}
    found = findings(aucs)
    demand = Demand.of("a worse than b")

    assert found.insides[0].compared.pair("a", "b").word is Word.PROBABLY_WORSE
    assert not demand.holds(found)
    assert demand.said(found).startswith("a is probably worse than b on AUC: -0.0350")
    assert Demand.of("b better than a").said(found).startswith("b is probably better than a")
