"""Line searches: what the R package `aum` (2024.6.19) found, and the exact intervals."""

import json
from math import inf

import numpy as np
import pytest
from paths import first_max_auc

from aucbench.aum import Lines, best_max_auc, best_min, first_min

# Its min_aum also ends where the AUM is below 1e-6, at the beginning of a flat minimum in
# place of its middle; its max_auc takes falls of less than about 1e-5 for none, an event in a
# plateau without end for its middle, and the beginning where no event follows.
ENDS_BELOW_1E_6 = {
    "a30_weights3",
    "a39_auc_up_down_up",
    "b_n5_d3_gradient",
    "b_n5_dir_coordinate",
}
SMALL_FALLS_OF_AUC = {"b_n3000_maxauc_eps", "d07_nb_full_linear_dir", "d12_chipseq_H3K4me3_rate"}
ROUNDED_BELOW_0 = {"b_n5_dir_coordinate"}  # linear: a later AUM is -7e-17, the least is 0


def cases(reference):
    for path in sorted((reference / "aum").glob("[a-d]*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        lines = case["outputs"]["line_search_input"].values()
        yield case["id"], Lines(*(np.atleast_1d(np.array(x, float)) for x in lines)), case


def exact_of(reference, name):
    path = reference / "aum" / "exact" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def untrusted(reference):
    return json.loads((reference / "aum" / "untrusted.json").read_text(encoding="utf-8"))


def trusted(reference):
    wrong = untrusted(reference)
    return ((n, lines, case["outputs"]) for n, lines, case in cases(reference) if n not in wrong)


def test_min_aum_of_every_trusted_case(reference):
    seen, differs = 0, set()
    for name, lines, outputs in trusted(reference):
        found, theirs = first_min(lines), outputs["min_aum"]
        assert found.value == pytest.approx(theirs["aum"], rel=1e-9, abs=1e-9), name
        if found.step != pytest.approx(theirs["step_size"], rel=1e-9):
            differs.add(name)
            assert found.step_lo == pytest.approx(theirs["step_size"], rel=1e-9), name
            assert found.value < 1e-6, name
        seen += 1
    assert differs == ENDS_BELOW_1E_6
    assert seen > 55


def test_max_auc_of_every_trusted_case(reference):
    same_step, without_end, differs = 0, 0, set()
    for name, lines, outputs in trusted(reference):
        found, theirs = first_max_auc(lines), outputs["max_auc"]
        if found.step == pytest.approx(theirs["step_size"], rel=1e-9):
            same_step += 1
        elif found.step_hi == inf:
            assert theirs["step_size"] >= found.step_lo * (1 - 1e-9), name
            without_end += 1
        else:
            differs.add(name)
    assert differs == SMALL_FALLS_OF_AUC
    assert same_step > 30
    assert without_end > 15


def test_linear_of_every_trusted_case(reference):
    """Step 0 counts towards the published limit."""
    seen, differs = 0, set()
    for name, lines, outputs in trusted(reference):
        found = best_min(lines, max_events=outputs["max_iterations_integer"] - 1)
        if found.step_lo != pytest.approx(outputs["linear_best"]["step_size"], rel=1e-9):
            differs.add(name)
        assert found.value == pytest.approx(outputs["linear_best"]["aum"], rel=1e-9, abs=1e-9)
        seen += 1
    assert differs == ROUNDED_BELOW_0
    assert seen > 55


def test_the_exact_intervals(reference):
    wrong, seen = untrusted(reference), set()
    for name, lines, _ in cases(reference):
        exact = exact_of(reference, name)
        if exact is None:
            continue
        for search_for, key, value in (
            (first_min, "first_local_min", "aum"),
            (best_min, "global_min", "aum"),
            (best_max_auc, "max_auc_after", "auc"),
        ):
            wanted, found = exact[key], search_for(lines)
            given = found.step_lo, found.step_hi
            expected = [float(wanted[x]) for x in ("step_lo", "step_hi")]
            assert given == pytest.approx(expected, rel=1e-12, abs=1e-15), (name, key)
            if search_for is best_max_auc and found.step == 0.0:
                continue  # there the AUC is that of ties
            assert found.value == pytest.approx(wanted[value], rel=1e-12, abs=1e-15), (name, key)
        seen.add(name)
    assert len(seen) > 45
    assert {*wrong} - seen == {"b_n100_decimal_ties_2"}  # which has no exact table


def test_where_the_published_choice_differs_from_the_exact_one(reference):
    """Of the untrusted cases with an exact table, in steps of the first local minimum."""
    names = set()
    for name, lines, case in cases(reference):
        if name in untrusted(reference) and exact_of(reference, name):
            step = case["outputs"]["min_aum"]["step_size"]
            if first_min(lines).step != pytest.approx(step, rel=1e-9):
                names.add(name)
    assert names == {"a19_small_scale_eps", "b_n100_integer_ties_2", "b_n20_integer_ties_2"}
