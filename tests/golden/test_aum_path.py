"""The tables of the R package `aum`; where those are wrong, the exact rational ones."""

import json

import numpy as np
import pytest
from paths import exact_rows

from aucbench.aum.path import aum_path
from aucbench.errors import DataError, ParameterError

COLUMNS = {
    "step": "step_size",
    "aum": "aum",
    "aum_slope_after": "aum_slope_after",
    "auc": "auc",
    "auc_after": "auc_after",
}
TABLES = ("table_integer", "table_full")


@pytest.fixture(scope="module")
def folder(reference):
    return reference / "aum"


def numbers(values):
    """A column; non-finite numbers are strings there, and a single one is no list."""
    return np.atleast_1d(np.array(values)).astype(np.float64)


def searches(folder):
    """Each recorded search: id, lines, outputs."""
    for path in sorted(folder.glob("[a-d]*.json")):
        case = json.loads(path.read_text())
        lines = case["outputs"]["line_search_input"]
        yield case["id"], {name: numbers(v) for name, v in lines.items()}, case["outputs"]


def aum_at(path, steps):
    """AUM at any steps: linear from each entry to the next."""
    k = np.searchsorted(path.step, steps, side="right") - 1
    return path.aum[k] + path.aum_slope_after[k] * (steps - path.step[k])


def test_every_trusted_table(folder):
    untrusted = json.loads((folder / "untrusted.json").read_text())
    rows = 0
    for name, lines, outputs in searches(folder):
        path = aum_path(**lines, max_events=20_000)
        for table in set(TABLES) & set(outputs) - set(untrusted.get(name, {})):
            if name == "a36_lost_member_exact":  # its rows are right up to the last but two
                continue
            steps, aum = (numbers(outputs[table][c]) for c in ("step_size", "aum"))
            np.testing.assert_allclose(
                aum_at(path, steps),
                aum,
                rtol=1e-10,
                atol=1e-10 * aum[0],  # the tables drift by what they sum up
                err_msg=f"{name} {table}",
            )
            rows += steps.size
    assert rows > 14_000


def test_every_exact_table(folder):
    seen = 0
    for name, lines, _ in searches(folder):
        if not (folder / "exact" / f"{name}.json").exists():
            continue
        exact = json.loads((folder / "exact" / f"{name}.json").read_text())["table"]
        exact = {column: numbers(values) for column, values in exact.items()}
        # Exactly distinct steps that are the same float are one entry of ours, the last of them.
        last = np.append(np.diff(exact["step_size"]) > 0, True)
        alone = last & np.insert(last[:-1], 0, True)
        path = aum_path(**lines)
        for column, theirs in COLUMNS.items():
            ours, wanted = getattr(path, column), exact[theirs]
            if column == "auc":
                ours, wanted = ours[alone[last]], wanted[alone]
            else:
                wanted = wanted[last]
            tolerance = {"rtol": 1e-12, "atol": 1e-15 * np.abs(wanted).max()}
            np.testing.assert_allclose(ours, wanted, err_msg=f"{name} {column}", **tolerance)
        seen += path.step.size
    assert seen > 2_000


def test_the_wrong_table_without_an_exact_one(folder):
    wanted = "b_n100_decimal_ties_2"
    lines = next(lines for name, lines, _ in searches(folder) if name == wanted)
    T, d, fp, fn = lines.values()
    some = slice(0, 60)  # all 99 take the twin seconds

    path = aum_path(T[some], d[some], fp[some], fn[some])

    twin = np.array(exact_rows(T[some], d[some], fp[some], fn[some]), dtype=np.float64).T
    np.testing.assert_array_equal(path.step, twin[0])
    for column, expected in zip(list(COLUMNS)[1:], twin[1:5], strict=True):
        np.testing.assert_allclose(getattr(path, column), expected, rtol=1e-12, atol=1e-15)


def test_decreasing_intercepts_are_sorted():  # e09 is an error there
    path = aum_path([0, 1, 0], [0, 0, 0], [1, 0, 0], [0, 0, -1])

    assert path.step.tolist() == [0.0]


def test_one_class_has_no_auc():  # e11
    with pytest.raises(DataError, match="errors of both kinds"):
        aum_path([-1, -2, -3], [1, 0, -1], [0, 0, 0], [-1, -1, -1])


def test_no_code_numbers_for_max_events():  # e13
    with pytest.raises(ParameterError, match="max_events must be at least 0, got -2"):
        aum_path([0, 1], [1, 0], [1, 0], [0, -1], max_events=-2)


def test_max_events_beyond_int32():  # e15
    assert aum_path([0, 1], [1, 0], [1, 0], [0, -1], max_events=3 * 10**9).step.size == 2
