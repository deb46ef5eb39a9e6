"""Numbers of R packages: of aum (2024.6.19), and at the end of penaltyLearning.

Those of aum are areas, derivatives, tables of line searches and what searches found. Where they
are wrong (`untrusted.json`), the exact rational ones of `exact` count. A difference: the package
moves two breakpoints of one example at one value apart (a33).
"""

import csv
import json
import lzma

import numpy as np
import pytest
from sequences import breakpoints

from aucbench.aum import Lines, aum_loss, aum_path, best_max_auc, best_min, first_min, loss, roc_auc
from aucbench.data.breakpoints import Breakpoints

APART = "a33_dup_breakpoint_same_example"
COLUMNS = {
    "step": "step_size",
    "aum": "aum",
    "aum_slope_after": "aum_slope_after",
    "auc": "auc",
    "auc_after": "auc_after",
}
# Its min_aum also ends where the AUM is below 1e-6, at the beginning of a flat minimum.
ENDS_BELOW_1E_6 = {
    *("a30_weights3", "a39_auc_up_down_up"),
    *("b_n5_d3_gradient", "b_n5_dir_coordinate"),
}
INF = np.inf
ROUNDED_BELOW_0 = {"b_n5_dir_coordinate"}  # linear: a later AUM is -7e-17, the least is 0


def numbers(values):
    """A column; non-finite numbers are strings there, and a single one is no list."""
    return np.atleast_1d(np.array(values)).astype(np.float64)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


class Recorded:
    """The recorded cases: lines, inputs, outputs, and the exact ones where there are any."""

    def __init__(self, folder):
        self.untrusted, self.exact = read(folder / "untrusted.json"), {}
        self.cases, self.lines = {}, {}
        for path in sorted(folder.glob("[a-d][0-9_]*.json")):
            case = read(path)
            lines = case["outputs"]["line_search_input"]
            self.cases[case["id"]] = case
            self.lines[case["id"]] = Lines(*(numbers(column) for column in lines.values()))
            exact = folder / "exact" / path.name
            if exact.is_file():
                self.exact[case["id"]] = read(exact)

    def scored(self):
        """Name, breakpoints, scores and outputs of each case that is more than lines."""
        for name, case in self.cases.items():
            if case["kind"] == "aum_line_search":
                yield name, *breakpoints_of(case["inputs"]), case["outputs"]

    def trusted(self):
        """Lines and outputs of each case whose numbers are right."""
        for name in self.cases.keys() - self.untrusted.keys():
            yield name, self.lines[name], self.cases[name]["outputs"]


@pytest.fixture(scope="module")
def recorded(reference):
    return Recorded(reference / "aum")


def path_of(lines, **options):
    return aum_path(lines.intercept, lines.slope, lines.fp_diff, lines.fn_diff, **options)


def breakpoints_of(inputs):
    e = inputs["error_diff"]
    columns = e["example"], e["pred"], e["fp_diff"], e["fn_diff"]
    return breakpoints(*columns, len(inputs["pred"])), np.array(inputs["pred"], float)


def test_area_derivatives_and_auc_of_every_case(recorded):
    for name, b, s, outputs in recorded.scored():
        slopes = np.array(outputs["derivative_mat"])
        for found in (aum_loss(b, s), loss.sort_loss(b, s)):
            assert found.value == pytest.approx(outputs["aum"], rel=1e-12), name
            if name != APART:
                sides, close = np.c_[found.left, found.right], {"rtol": 0, "atol": 1e-12}
                np.testing.assert_allclose(sides, slopes, err_msg=name, **close)
                gradient = outputs["gradient_pred"]
                np.testing.assert_allclose(found.gradient, gradient, **close)
        if name in recorded.exact:
            # At step 0 the exact tables draw tied thresholds as straight lines.
            area = recorded.exact[name]["table"]["auc"][0]
            assert roc_auc(b, s) == pytest.approx(area, abs=1e-12), name
    assert (len(recorded.cases), len(recorded.exact)) == (76, 60)


def aum_at(path, steps):
    """AUM at any steps: linear from each entry to the next."""
    k = np.searchsorted(path.step, steps, side="right") - 1
    return path.aum[k] + path.aum_slope_after[k] * (steps - path.step[k])


def test_every_trusted_table(recorded):
    rows = 0
    for name, case in recorded.cases.items():
        path, outputs = path_of(recorded.lines[name], max_events=20_000), case["outputs"]
        tables = {"table_integer", "table_full"} & outputs.keys()
        for table in tables - set(recorded.untrusted.get(name, {})):
            if name == "a36_lost_member_exact":  # its rows are right up to the last but two
                continue
            steps, aum = (numbers(outputs[table][c]) for c in ("step_size", "aum"))
            drift = 1e-10 * aum[0]  # of what the tables sum up
            found = aum_at(path, steps)
            np.testing.assert_allclose(found, aum, rtol=1e-10, atol=drift, err_msg=name)
            rows += steps.size
    assert rows > 14_000


def test_every_exact_table(recorded):
    seen = 0
    for name, known in recorded.exact.items():
        exact = {column: numbers(values) for column, values in known["table"].items()}
        # Exactly distinct steps that are the same float are one entry of ours, the last of them.
        last = np.append(np.diff(exact["step_size"]) > 0, True)
        alone = last & np.insert(last[:-1], 0, True)
        path = path_of(recorded.lines[name])
        for column, theirs in COLUMNS.items():
            ours, wanted = getattr(path, column), exact[theirs][last]
            if column == "auc":
                ours, wanted = ours[alone[last]], exact[theirs][alone]
            tolerance = {"rtol": 1e-12, "atol": 1e-15 * np.abs(wanted).max()}
            np.testing.assert_allclose(ours, wanted, err_msg=f"{name} {column}", **tolerance)
        seen += path.step.size
    assert seen > 2_000
    assert recorded.untrusted.keys() - recorded.exact.keys() == {"b_n100_decimal_ties_2"}


def test_searches_find_what_the_package_finds(recorded):
    """The first minimum, and the best within the published limit, which counts step 0."""
    differs = {"min_aum": set(), "linear_best": set()}
    for name, lines, outputs in recorded.trusted():
        events = outputs["max_iterations_integer"] - 1
        first, best = first_min(lines), best_min(lines, max_events=events)
        for key, found in (("min_aum", first), ("linear_best", best)):
            theirs = outputs[key]
            assert found.value == pytest.approx(theirs["aum"], rel=1e-9, abs=1e-9), name
            step = found.step if key == "min_aum" else found.step_lo
            if step != pytest.approx(theirs["step_size"], rel=1e-9):
                differs[key].add(name)
    assert differs == {"min_aum": ENDS_BELOW_1E_6, "linear_best": ROUNDED_BELOW_0}
    for name in ENDS_BELOW_1E_6:
        found, theirs = first_min(recorded.lines[name]), recorded.cases[name]["outputs"]["min_aum"]
        assert found.step_lo == pytest.approx(theirs["step_size"], rel=1e-9)
        assert found.value < 1e-6


@pytest.mark.parametrize(
    ("search_for", "key", "value"),
    [
        (first_min, "first_local_min", "aum"),
        (best_min, "global_min", "aum"),
        (best_max_auc, "max_auc_after", "auc"),
    ],
)
def test_searches_find_the_exact_intervals(recorded, search_for, key, value):
    for name, known in recorded.exact.items():
        wanted, found = known[key], search_for(recorded.lines[name])
        expected = [float(wanted[x]) for x in ("step_lo", "step_hi")]
        given = found.step_lo, found.step_hi
        assert given == pytest.approx(expected, rel=1e-12, abs=1e-15), name
        if search_for is best_max_auc and found.step == 0.0:
            continue  # there the AUC is that of ties
        assert found.value == pytest.approx(wanted[value], rel=1e-12, abs=1e-15), name


def test_rates_of_changepoint_errors(recorded, data_folder):
    """d12: every other sequence outside fold 1."""
    expected, s = breakpoints_of(recorded.cases["d12_chipseq_H3K4me3_rate"]["inputs"])
    with lzma.open(data_folder / "chipseq-H3K4me3_TDH_immune.errors.csv.xz", "rt") as lines:
        rows = [row for row in csv.DictReader(lines) if row["fold"] != "1"]
    names = [*dict.fromkeys(row["sequenceID"] for row in rows)][::2]
    number = {name: k for k, name in enumerate(names)}
    rows = [row for row in rows if row["sequenceID"] in number]
    keys = ("min_log_lambda", "max_log_lambda", "fp", "fn")
    low, high, fp, fn = ([float(row[key]) for row in rows] for key in keys)
    example = [number[row["sequenceID"]] for row in rows]

    found = Breakpoints.of_penalties(example, low, fp, fn, max_log_lambda=high)

    for name in ("example", "value", "fp_diff", "fn_diff"):
        one, other = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(one, other, rtol=1e-14)
    assert aum_loss(found, s).value == pytest.approx(aum_loss(expected, s).value, rel=1e-12)


# --- the AUC of `ROChange` of penaltyLearning, from the cases of its own tests -------------


def area_of(example, low, fp, fn, scores, **possible):
    b = Breakpoints.of_penalties(example, low, fp, fn, **possible, denominator="count")
    return roc_auc(b, np.broadcast_to(scores, b.n))


@pytest.mark.parametrize(
    ("tp", "fp", "possible", "wanted"),
    [
        pytest.param([0, 1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0, 1], 1, 2.0, id="a loop"),
        pytest.param([0, 1, 1], [0, 0, 1], 1, 1.0, id="errors grow with the penalty"),
        pytest.param([1, 2, 2], [0, 0, 1], 2, 1.0, id="the same, incomplete at both ends"),
    ],
)
def test_one_sequence(tp, fp, possible, wanted):
    """Its intervals begin at -inf, 1, 2, ..."""
    low, most = np.r_[-INF, np.arange(1.0, len(fp))], np.full(len(fp), possible)
    none, fn = np.zeros(len(fp), int), possible - np.array(tp)
    assert area_of(none, low, fp, fn, -1.5, possible_fp=most, possible_fn=most) == wanted


@pytest.mark.parametrize("weights", [(1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize(("third", "wanted"), [(2.0, 17 / 18), (1.5, 1.0)], ids=["tied", "apart"])
def test_one_tie_of_six_labels(weights, third, wanted):
    """fp = 3, 2, 1, 0, 0, 0 and fn = 0, 0, 0, 1, 2, 3; one of each may change together."""
    low = np.array([[-INF, at] for at in (0, 1, third, 2, 3, 4)]).ravel()
    most = np.repeat(np.diag(weights), 6, axis=1)  # three labels can have fp, three fn
    fp, fn = most * ([1, 0] * 3 + [0, 1] * 3)
    found = area_of(
        np.repeat(np.arange(6), 2), low, fp, fn, 0.0, possible_fp=most[0], possible_fn=most[1]
    )
    assert found == pytest.approx(wanted, abs=1e-15)
