"""The label column of a table: named, announced, or the only one that can be it."""

import numpy as np
import pandas as pd
import pytest

from aucbench.datasets import load
from aucbench.datasets.label import find_label, has_two_values
from aucbench.errors import DataError

N = 30
RNG = np.random.default_rng(0)
AGE, TOWN = RNG.integers(18, 90, N), RNG.choice(["a", "b", "c"], N)
SICK = np.arange(N) % 3 == 0


@pytest.mark.parametrize(
    ("columns", "target", "at", "why"),
    [
        ({"age": AGE, "sick": SICK, "town": TOWN}, "sick", 1, "as asked"),
        ({"age": AGE, "sick": SICK, "town": TOWN}, 1, 1, "as asked"),
        ({"Class ": TOWN, "age": AGE, "sick": SICK}, None, 0, "the name of labels"),
        ({"age": AGE, "sick": SICK}, None, 1, "only column with two values, and the last"),
        ({"sick": np.where(SICK, "x ", " y"), "age": AGE}, None, 0, "and the first"),
        ({"part": ~SICK, "age": AGE, "sick": SICK}, None, 2, "and the last one"),
    ],
)
def test_a_column_is_taken_for_a_stated_reason(columns, target, at, why):
    found = find_label(pd.DataFrame(columns), target, ("part",))
    assert found.at == at
    assert why in found.why


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"age": AGE, "town": TOWN}, "no column has two values"),
        ({"age": AGE, "sick": SICK, "town": TOWN}, "in the column 'sick', the only one with two"),
        ({"sex": ~SICK, "age": AGE, "sick": SICK}, "columns 'sex', 'sick', which have two"),
        ({"y": SICK, "age": AGE, "label": SICK}, "'y', 'label', which have a name of labels"),
    ],
)
def test_an_unclear_label_names_the_candidates_and_the_way_out(columns, said):
    with pytest.raises(DataError, match=f"{said}.*--target COLUMN"):
        find_label(pd.DataFrame(columns), None)


def test_two_values_are_counted_without_missing_cells_and_spaces():
    assert has_two_values(pd.Series(["a", "a ", "b", None] * 500))
    assert has_two_values(pd.Series([0.0, np.nan, 1.0]))
    assert not has_two_values(pd.Series(["a"] * 2000 + ["b", "c"]))
    assert not has_two_values(pd.Series([1, 1, 1]))


def test_what_was_taken_is_said():
    data = load(pd.DataFrame({"age": AGE, "sick": np.where(SICK, " Yes", "no")}))
    understood = data.understood
    assert understood.label == "column 'sick', the only column with two values, and the last one"
    assert (understood.positive, understood.negative) == (("Yes",), ("no",))
    assert understood.kinds == {"numeric": 1}
    assert data.target.n_pos == SICK.sum()
