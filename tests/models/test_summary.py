"""What `fit` prints of a table and of a model: short, and whatever the table and the solvers."""

from dataclasses import replace
from itertools import islice

import pytest
from samples import sample
from saved_models import learnt

from aucbench.data import Data
from aucbench.data.understood import KINDS, Remark, Understood
from aucbench.metrics import Aim
from aucbench.models.candidates import Candidate, Place, explain_choice
from aucbench.models.operating import Operating
from aucbench.models.summary import describe_fit, describe_table
from aucbench.stats import Interval

ROWS = Data.of(*sample(0, 300, 4))
TABLE = Understood(
    label="column 'y', as asked",
    positive=("yes",),
    negative=("no",),
    kinds={"numeric": 3, "category": 1},
    dropped={f"key {j}": "has another text in nearly each row" for j in range(50)},
    remarks=tuple(Remark(f"{kind} {j}", kind, f"c{j}") for kind in KINDS for j in range(2)),
)


def candidates(count, chosen=0):
    known = [
        Candidate(solver=f"solver-{j}", place=Place.SIMILAR, auc=0.9 - j / 100, low=0.5, high=0.95)
        for j in range(count)
    ]
    known[chosen] = replace(known[chosen], place=Place.CHOSEN)
    return [*known, Candidate(solver="slow", place=Place.FAILED, reason="timeout")]


@pytest.fixture(scope="module")
def model():
    scores, made = learnt(data=ROWS)
    point = Operating.of(ROWS.y, scores, Aim(sensitivity=0.8), "300 held-out rows")
    about = {
        "comparison": [one.to_plain() for one in candidates(20)],
        "choice": [explain_choice(candidates(20)), "Of 60 points of its grid, 60 were tried."],
        "warnings": [f"warning {j}" for j in range(12)],
    }
    own = replace(made.function, operating=point, threshold=point.threshold)
    auc = Interval(0.8, 0.7, 0.9, 0.95, "DeLong")
    known = {"auc": auc, "auc_rows": "the test rows of 5 folds", "provenance": about}
    return replace(made, functions=(own,), **known)


def test_all_that_fit_prints_has_at_most_thirty_lines_and_needs_no_legend(model):
    table = [*describe_table("t.csv", replace(ROWS, understood=TABLE))]
    lines = [*table, "", *describe_fit(model, table), "saved"]
    assert len(lines) <= 30
    text, n_pos = "\n".join(lines), int((ROWS.y > 0).sum())
    assert not {*"*†‡"} & {*text}
    assert not any(word in text for word in ("DeLong", "Youden", "Wilson", "Holm", "times faster"))
    assert table[0] == (
        f"t.csv: 300 rows, {n_pos} positive ({n_pos / 3:.1f} %), 4 columns (3 numeric, 1 category)"
    )
    assert "and 16 more solvers" in text
    assert "  and 10 more warnings; aucbench explain shows them" in lines
    point = model.function.operating  # the decision says what it promises
    assert f"score ≥ {point.threshold:.6g}: yes, else no; chosen for a sensitivity of" in text
    assert f"{point.tp} true positives, {point.fp} false positives" in text
    assert "of the next 10000 rows like these, " in text
    again = [*describe_fit(model, ["warning: warning 0"])]  # a warning is printed once
    assert "warning: warning 0" not in again
    assert "warning: warning 1" in again


HIGHEST = "solver-0 has the highest AUC, 0.9000; "


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        (candidates(2), HIGHEST + "solver-1 is not distinguishable"),
        (candidates(3), HIGHEST + "solver-1 and solver-2 are not dist"),
        (candidates(4), HIGHEST + "3 other solvers are not dist"),
        (candidates(1), HIGHEST + "the other solver is lower."),
        (candidates(3, chosen=2), "solver-2 is less than half of a standard error below the"),
        (candidates(1)[:1], "solver-0 was asked for."),
    ],
)
def test_why_a_solver_is_chosen_is_one_sentence(known, sentence):
    assert explain_choice(known).startswith(sentence)


def test_a_solver_has_one_line_with_its_best_setting_and_the_chosen_one(model):
    known = [
        replace(one, solver=f"{name}[C={j}]")
        for j, (one, name) in enumerate(zip(candidates(5, chosen=3), "abbaac", strict=True))
    ]
    made = replace(model, provenance={"comparison": [one.to_plain() for one in known]})
    lines = [line.split()[0] for line in islice(describe_fit(made), 6)]
    assert lines == ["solver", "a[C=0]", "b[C=1]", "a[C=3]", "c[C=5]", "and"]
