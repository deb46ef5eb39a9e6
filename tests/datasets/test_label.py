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


def frame(**columns):
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("columns", "target", "at", "why"),
    [
        ({"age": AGE, "sick": SICK, "town": TOWN}, "sick", 1, "as asked"),
        ({"age": AGE, "sick": SICK, "town": TOWN}, 1, 1, "as asked"),
        ({"Class ": TOWN, "age": AGE, "sick": SICK}, None, 0, "the name of labels"),
        ({"age": AGE, "sick": SICK}, None, 1, "only column with two values, and the last"),
        ({"sick": np.where(SICK, "x ", " y"), "age": AGE}, None, 0, "and the first"),
    ],
)
def test_a_column_is_taken_for_a_stated_reason(columns, target, at, why):
    found = find_label(frame(**columns), target)
    assert found.at == at
    assert why in found.why


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"age": AGE, "town": TOWN}, "no column has two values"),
        ({"age": AGE, "sick": SICK, "town": TOWN}, "in the column 'sick', the only one with two"),
        (
            {"sex": ~SICK, "age": AGE, "sick": SICK},
            "any of the columns 'sex', 'sick', which have two",
        ),
        ({"y": SICK, "age": AGE, "label": SICK}, "'y', 'label', which have a name of labels"),
    ],
)
def test_an_unclear_label_names_the_candidates_and_the_way_out(columns, said):
    with pytest.raises(DataError, match=said) as caught:
        find_label(frame(**columns), None)
    assert "--target COLUMN" in str(caught.value)
    assert "drop" not in str(caught.value)


def test_columns_with_another_role_are_no_candidates():
    table = frame(sex=~SICK, age=AGE, sick=SICK, part=np.arange(N) % 2)
    found = find_label(table, None, ("part", "sex"))
    assert found.at == 2
    assert "and the last one" in found.why


def test_two_values_are_counted_without_missing_cells_and_spaces():
    assert has_two_values(pd.Series(["a", "a ", "b", None] * 500))
    assert has_two_values(pd.Series([0.0, np.nan, 1.0]))
    assert not has_two_values(pd.Series(["a"] * 2000 + ["b", "c"]))
    assert not has_two_values(pd.Series([1, 1, 1]))


def test_a_file_says_what_was_taken(tmp_path):
    path = tmp_path / "t.csv"
    frame(age=AGE, sick=np.where(SICK, " Yes", "no")).to_csv(path, index=False)
    understood = load(path).understood

    assert understood.label == "column 'sick', the only column with two values, and the last one"
    assert (understood.positive, understood.negative) == (("Yes",), ("no",))
    assert understood.kinds == {"numeric": 1}
    assert load(path).target.n_pos == SICK.sum()
