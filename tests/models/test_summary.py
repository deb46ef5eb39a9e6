"""What `fit` prints of a table and of a model: short, and whatever the table and the solvers."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from table_models import changed, model_of

from aucbench.data import Data
from aucbench.data.understood import KINDS, Remark, Understood
from aucbench.metrics import Aim
from aucbench.models.candidates import Candidate, Place, explain_choice
from aucbench.models.operating import Operating
from aucbench.models.summary import describe_fit, describe_table
from aucbench.stats import Interval

MOST_LINES = 30
RNG = np.random.default_rng(0)
ROWS = Data.of(RNG.normal(size=(300, 4)), np.tile([1, -1, -1], 100))
REMARKS = [Remark(f"{kind} {j}", kind, f"c{j}") for kind in KINDS for j in range(2)]


def understood(remarks):
    return Understood(
        label="column 'y', as asked",
        positive=("yes",),
        negative=("no",),
        kinds={"numeric": 3, "category": 1},
        dropped={f"key {j}": "has another text in nearly each row" for j in range(50)},
        remarks=tuple(remarks),
    )


def candidates(count, chosen=0):
    known = [
        Candidate(solver=f"solver-{j}", place=Place.SIMILAR, auc=0.9 - j / 100, low=0.5, high=0.95)
        for j in range(count)
    ]
    known[chosen] = replace(known[chosen], place=Place.CHOSEN)
    return [*known, Candidate(solver="slow", place=Place.FAILED, reason="timeout")]


def model(own=()):
    made, scores = model_of(ROWS)
    point = Operating.of(ROWS.y, scores, Aim(sensitivity=0.8), "300 held-out rows")
    about = {
        "comparison": [one.to_plain() for one in candidates(20)],
        "choice": [explain_choice(candidates(20)), "Of 60 points of its grid, 60 were tried."],
        "warnings": [f"warning {j}" for j in range(12)],
    }
    auc = Interval(0.8, 0.7, 0.9, 0.95, "DeLong")
    made = replace(made, auc=auc, auc_rows="the test rows of 5 folds", provenance=about)
    return changed(made, operating=point, threshold=point.threshold)


def test_all_that_fit_prints_has_at_most_thirty_lines_and_needs_no_legend():
    table = [*describe_table("t.csv", replace(ROWS, understood=understood(REMARKS)))]
    lines = [*table, "", *describe_fit(model(), table), "saved"]
    assert len(lines) <= MOST_LINES
    text = "\n".join(lines)
    assert not {*"*†‡"} & {*text}
    assert not any(word in text for word in ("DeLong", "Youden", "Wilson", "Holm", "times faster"))
    assert table[0] == "t.csv: 300 rows, 100 positive (33.3 %), 4 columns (3 numeric, 1 category)"
    assert "and 16 more solvers" in text
    assert "  and 10 more warnings; aucbench explain shows them" in lines


def test_a_warning_is_printed_once():
    table = ["warning: warning 0"]
    assert "warning: warning 0" not in [*describe_fit(model(), table)]
    assert "warning: warning 1" in [*describe_fit(model(), table)]


def test_the_decision_says_what_it_promises():
    point, text = model().function.operating, "\n".join(describe_fit(model()))
    assert f"score ≥ {point.threshold:.6g}: yes, else no; chosen for a sensitivity of" in text
    assert f"{point.tp} true positives, {point.fp} false positives" in text
    assert "of the next 10000 rows like these, " in text


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        (candidates(2), "solver-0 has the highest AUC, 0.9000; solver-1 is not distinguishable"),
        (candidates(3), "solver-0 has the highest AUC, 0.9000; solver-1 and solver-2 are not dist"),
        (candidates(4), "solver-0 has the highest AUC, 0.9000; 3 other solvers are not dist"),
        (candidates(1), "solver-0 has the highest AUC, 0.9000; the other solver is lower."),
        (
            candidates(3, chosen=2),
            "solver-2 is less than half of a standard error below the highest AUC, 0.9000 "
            "(solver-0), and simpler.",
        ),
        (candidates(1)[:1], "solver-0 was asked for."),
    ],
)
def test_why_a_solver_is_chosen_is_one_sentence(known, sentence):
    assert explain_choice(known).startswith(sentence)


def test_a_solver_has_one_line_with_its_best_setting_and_the_chosen_one():
    known = [
        replace(one, solver=f"{name}[C={j}]")
        for j, (one, name) in enumerate(zip(candidates(5, chosen=3), "abbaac", strict=True))
    ]
    made = model()
    made = replace(made, provenance={"comparison": [one.to_plain() for one in known]})
    lines = [line.split()[0] for line in islice(describe_fit(made), 6)]
    assert lines == ["solver", "a[C=0]", "b[C=1]", "a[C=3]", "c[C=5]", "and"]
