"""The claims of papers: a closed list of forms, and what decides each of them.

A claim of the file of a paper has a `statement`, a `form`, and the keys of this form, see `FORMS`.

Design
  a. A claim is decided by 95 % intervals of numbers that are paired run by run. A `side` of a
     comparison is a selection of lines, see `Results.select`, with a `measure`, the AUC if there is
     none. Its number for a run is the mean over its lines. With `along` it is the slope of least
     squares against a value of the lines; with `minus`, a side is subtracted.
  b. An interval that lies between `above` and `below` holds, one outside fails, and `unclear` says
     what one that contains a bound does: "fails", the default, "holds", or "open". A claim holds if
     all of its intervals do.
  c. What is printed is `because`, with the intervals in place of {}, each as `item` says. Without
     it, the first side shall be above the others, and the sentence says which of them it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import e, exp, inf, isnan, log, nan, sqrt
from string import Formatter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import chdtri, stdtrit

from aucbench.errors import UnknownNameError
from aucbench.papers.parts import AUC, Claim, Form, Line, Plain, check_form
from aucbench.papers.results import TRUTH, Results, Series, fit_line, mean_of, value_of
from aucbench.stats.resampled import standard_error
from aucbench.stats.vectors import Vector
from aucbench.stats.words import LEVEL

Tested: TypeAlias = tuple[bool | None, str]  # whether it holds, if that is known, and why
STRAIGHT = 0.95  # r² from which on points are on a line
FEW = "it takes two runs of each of its lines"
UNDECIDED = "the interval of these runs does not decide it"
DEFAULT = "{}; mean differences with 95 % intervals"


@dataclass(frozen=True, slots=True)
class Range:
    """A mean with its 95 % interval; `low` and `high` are NaN if there is none."""

    mean: float
    low: float
    high: float

    def exp(self) -> Range:
        """Return that of a ratio, from that of its logarithm."""
        return Range(*(exp(value) for value in (self.mean, self.low, self.high)))

    def __str__(self) -> str:
        """For people: "1.15 (1.02 to 1.28)"."""
        return f"{self:.3g}"

    def __format__(self, form: str) -> str:
        """Return it with each number in a form, such as .4f."""
        form = form or ".3g"
        if isnan(self.low):
            return f"{self.mean:{form}}"
        return f"{self.mean:{form}} ({self.low:{form}} to {self.high:{form}})"


def mean_range(values: Sequence[float] | Vector, ratio: float = 0.0, repeats: int = 1) -> Range:
    """Return the mean of one value for each run, with its interval by Student's t.

    Runs whose value is NaN are left out. `ratio` is that of the rows of the two sides of a split,
    if runs are splits of the same rows, which are divided `repeats` times, see `standard_error`;
    0 for runs with rows of their own.
    """
    x = np.asarray(values, np.float64)
    x = x[~np.isnan(x)]
    mean = float(x.mean()) if x.size else nan
    if x.size < 2:
        return Range(mean, nan, nan)
    se = standard_error(float(x.std(ddof=1)), max(1.0, x.size / repeats), ratio)
    half = float(stdtrit(x.size - 1, (1 + LEVEL) / 2)) * se
    return Range(mean, mean - half, mean + half)


def deviation_range(values: Sequence[float] | Vector) -> Range:
    """Return the standard deviation of one value for each run, with its interval by chi-square."""
    x = np.asarray(values, np.float64)
    x = x[~np.isnan(x)]
    if x.size < 2:
        return Range(nan, nan, nan)
    s, freedom = float(x.std(ddof=1)), x.size - 1
    tail = (1 - LEVEL) / 2
    low, high = (s * sqrt(freedom / float(chdtri(freedom, p))) for p in (tail, 1 - tail))
    return Range(s, low, high)


class Item(NamedTuple):
    """One of the intervals of a claim, and the words and numbers that its text may name."""

    range: Range
    words: Mapping[str, Any]
    holds: bool = True  # besides its bounds


def evaluate_claims(results: Results) -> Iterator[Claim]:
    """Yield the claims of an experiment, and whether each holds."""
    for claim in results.experiment.claims:
        yield Claim(claim["statement"], *FORMS[claim["form"]].use(results, claim))


def check_claim(claim: Plain) -> None:
    """Refuse a claim as `check_form` does, and an item that names what there is not."""
    check_form("claim", {key: claim[key] for key in claim if key != "statement"}, FORMS)
    for _, word, *_ in Formatter().parse(claim.get("item", "")):
        if word is not None and word not in OF_ITEM:
            raise UnknownNameError("word in the item of a claim", word, OF_ITEM)


def _difference(results: Results, claim: Plain) -> Tested:
    """Decide by mean differences of two sides."""
    return _decide(results, claim, [*_items(results, claim)])


def _ratio(results: Results, claim: Plain) -> Tested:
    """Decide by geometric means of ratios of two sides."""
    items = _items(results, {**claim, "log": e})
    return _decide(results, claim, [one._replace(range=one.range.exp()) for one in items])


def _slope(results: Results, claim: Plain) -> Tested:
    """Decide by slopes; with `log`, of logarithms on both axes: exponents of growth."""
    side = {**claim["of"], "along": claim["along"]}
    return _difference(results, {**claim, "of": side, "against": {"a slope of 0": 0}})


def _items(results: Results, claim: Plain) -> Iterator[Item]:
    """Yield the interval of each pair of sides that both have lines.

    With `each` there is a pair for each row, or each method, of the first side. The sides of
    `against` differ from the first one by the keys that they have. A list of methods may stand
    for them, and without them these are all other methods.
    """
    of, key, base = claim["of"], claim.get("each", ""), claim.get("log")
    lines = results.select(_selection(of))
    against = claim.get("against", _others(results, of))
    if not isinstance(against, Mapping):
        against = {method: {"method": method} for method in against}
    for value in dict.fromkeys(value_of(line, key) for line in lines):
        first = {**of, key: value} if key else of
        for name, other in against.items():
            second = {**first, **other} if isinstance(other, Mapping) else other
            if isinstance(second, Mapping) and not results.select(_selection(second)):
                continue
            a = series_of(results, first, base)
            b = dict.fromkeys(a, 0.0)
            if isinstance(second, Mapping):
                b = series_of(results, second, base)
            pairs = np.array([(a[run], b[run]) for run in sorted(a.keys() & b.keys())])
            pairs = pairs.reshape(-1, 2)[~np.isnan(pairs).reshape(-1, 2).any(axis=1)]
            line = results.select(_selection(first))[0]
            found = _interval(results, claim, line, pairs[:, 0] - pairs[:, 1])
            medians = np.median(pairs, axis=0) if len(pairs) else np.full(2, nan)
            medians = base**medians if base else medians
            words = {"row": "all rows", "method": "", key: value, "rival": name}
            yield Item(found, {**words, "a": medians[0], "b": medians[1]})


def _selection(side: Plain) -> Plain:
    return {key: value for key, value in side.items() if key not in OF_SIDE}


def _others(results: Results, of: Plain) -> list[str]:
    own = {line.method for line in results.select(_selection(of))}
    every = dict.fromkeys(line.method for line in results.experiment.lines)
    return [method for method in every if method not in own]


def series_of(results: Results, side: Plain, base: float | None = None) -> Series:
    """Return the number of a side for each run that all of its lines have, or its logarithm."""
    lines, along = results.select(_selection(side)), side.get("along", "")
    series = mean_series(results, lines, side.get("measure", AUC), base, along)
    if "minus" in side:
        rest = {key: value for key, value in side.items() if key != "minus"}
        other = series_of(results, {**rest, **side["minus"]}, base)
        return {run: series[run] - other[run] for run in series if run in other}
    return series


def mean_series(
    results: Results, lines: Sequence[Line], measure: str, base: float | None, along: str = ""
) -> Series:
    """Return the mean of a measure over some lines, for each run that all of them have.

    With a base it is that of logarithms. With `along` it is the slope of the least-squares line
    against a value of the lines, whose logarithm counts then too.
    """
    each = [results.series(line, measure) for line in lines]
    runs = sorted(set.intersection(*map(set, each))) if each else []
    if not runs:
        return {}
    table = np.array([[series[run] for run in runs] for series in each])
    if base:
        with np.errstate(divide="ignore", invalid="ignore"):
            table = np.where(table > 0, np.log(table) / log(base), nan)
    numbers = table.mean(axis=0)
    if along:
        x = np.array([value_of(line, along) for line in lines], np.float64)
        x = np.log(x) / log(base) if base else x
        centred = x - x.mean()
        numbers = centred @ table / (centred @ centred) if np.ptp(x) else np.full(len(runs), nan)
    return dict(zip(runs, map(float, numbers), strict=True))


def _interval(results: Results, claim: Plain, line: Line, values: Vector) -> Range:
    """Return the mean of a value for each run, with the interval of its kind of runs."""
    splits = {**results.experiment.splits, **claim.get("splits", {})}
    ratio = splits["ratio"] if "ratio" in splits else results.ratio(line)
    repeats = splits["repeats"] if "repeats" in splits else results.repeats(line)
    return mean_range(values, ratio / max(1, len(line.datasets)), repeats)


def _decide(results: Results, claim: Plain, items: Sequence[Item]) -> Tested:
    """Return whether the intervals lie between the bounds, and a sentence that lists them."""
    if not items or any(isnan(one.range.low) for one in items):
        return None, FEW
    above = claim.get("above", -inf if "because" in claim else 0.0)
    below = claim.get("below", inf)
    fails = [x for x in items if x.range.high < above or x.range.low > below or not x.holds]
    inside = [x for x in items if above < x.range.low and x.range.high < below]
    unclear = [x for x in items if x not in fails and x not in inside]
    rule = claim.get("unclear", "fails")
    holds = not fails and (not unclear or rule == "holds")
    if "because" not in claim:
        return holds, _compare_words(items, fails, unclear)
    otherwise = not holds and "otherwise" in claim
    item = claim.get("item", "{row}: {range}" if claim.get("each") == "row" else "{range}")
    listed = [item.format(range=x.range, **x.words) for x in (fails if otherwise else items)]
    template = claim["otherwise" if otherwise else "because"]
    text = template.format(claim.get("joint", ", ").join(listed), **dict(_besides(results, claim)))
    if unclear and not fails and rule == "open":
        return None, f"{UNDECIDED}: {text}"
    return holds, text if holds or "why" not in claim else f"{text}; {claim['why']}"


def _besides(results: Results, claim: Plain) -> Iterator[tuple[str, Range]]:
    """Yield intervals that the text names, and that decide nothing."""
    for name, other in claim.get("besides", {}).items():
        [one] = _items(results, {**claim, **other})
        yield name, one.range


def _compare_words(items: Sequence[Item], fails: Sequence[Item], unclear: Sequence[Item]) -> str:
    """Return "it is above A (+0.1, +0.0 to +0.2) and B (...)", or below, or not to be told from."""
    parts = [
        *([f"it is below {_named(fails)}"] if fails else []),
        *([f"it cannot be told from {_named(unclear)}"] if unclear else []),
    ]
    return DEFAULT.format("; ".join(parts) or f"it is above {_named(items)}")


def _named(items: Sequence[Item]) -> str:
    names = [
        f"{words['rival']} ({r.mean:+.3f}, {r.low:+.3f} to {r.high:+.3f})" for r, words, _ in items
    ]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _rate(results: Results, claim: Plain) -> Tested:
    """Decide by the lines through the logarithm of a curve, on each row.

    A `linear` rate is a line in passes; all r² must be at least 0.95. A rate that is a `power` is a
    line in log(passes); its median r² must be above that of a line in passes.
    """
    items = []
    for line in results.select({"method": claim["method"]}):
        curves = results.curves(line, claim["curve"]).values()
        lines = np.array([fit_line(x, np.log10(y)) for x, y in curves]).reshape(-1, 2)
        powers = np.array([fit_line(np.log10(x), np.log10(y)) for x, y in curves]).reshape(-1, 2)
        chosen = lines if claim["law"] == "linear" else powers
        falls = [log(y[0] / y[-1], 10) for _, y in curves]
        words: dict[str, Any] = {
            "row": line.row,
            "decades": float(np.median(falls)) if falls else 0.0,
            "least_r2": float(lines[:, 1].min()) if len(lines) else nan,
            "r2": float(np.median(powers[:, 1])) if len(powers) else nan,
            "linear_r2": float(np.median(lines[:, 1])) if len(lines) else nan,
        }
        straight = words["least_r2"] >= STRAIGHT
        if claim["law"] == "power":
            straight = words["r2"] > words["linear_r2"]
        items.append(Item(_interval(results, claim, line, chosen[:, 0]), words, straight))
    return _decide(results, claim, items)


def _as_printed(results: Results, claim: Plain) -> Tested:
    """Decide whether the AUC varies from run to run by as much as the paper prints.

    If it does not, `why` is said, with the deviation {truth} of the AUC of the true scores, and
    with {far}, which is `shift` in such deviations.
    """
    deviations, outside, truths = [], False, []
    for line in results.select({"method": claim["method"]}):
        printed, series = results.published(line), results.series(line)
        ours = deviation_range([*series.values()])
        if printed is None or printed.sd is None or isnan(ours.low):
            continue
        above = results.series(line, TRUTH)
        truths.append(np.nanvar([series[run] - gap for run, gap in above.items()], ddof=1))
        deviations.append(f"{ours} with {line.row}, printed {printed.sd:.3g}")
        outside |= not ours.low <= printed.sd <= ours.high
    if not deviations:
        return None, FEW
    because = f"the standard deviation is {'; '.join(deviations)}"
    if not outside:
        return True, because
    truth = float(np.sqrt(np.mean(truths)))
    return False, f"{because}. {claim['why'].format(truth=truth, far=claim['shift'] / truth)}"


def _varies_more(results: Results, claim: Plain) -> Tested:
    """Decide whether the AUC of a method varies more than that of another, by both intervals."""
    own, other = (
        deviation_range(
            [*series_of(results, {"row": claim["row"], "method": claim[name]}).values()]
        )
        for name in ("method", "rival")
    )
    if isnan(own.low) or isnan(other.low):
        return None, FEW
    text = claim["because"].format(own, other)
    if own.low <= other.high and own.high >= other.low:
        return None, f"{UNDECIDED}: {text}"
    return own.low > other.high, text


def find_means(
    results: Results, lines: Sequence[Line], along: str, measure: str
) -> Mapping[str, Mapping[Any, float]]:
    """Return the mean of a measure by a value of the lines, for each method that has some."""
    means: dict[str, dict[Any, float]] = {}
    for line in lines:
        mean = mean_of(results.values(line, measure))
        if not isnan(mean):
            means.setdefault(line.method, {})[value_of(line, along)] = mean
    return means


def _best_above(results: Results, claim: Plain) -> Tested:
    """Decide whether the mean of each method is greatest above a value of the lines."""
    along = claim["along"]
    lines = results.select({"row": claim["row"]})
    means = find_means(results, lines, along, claim.get("measure", AUC))
    if not means:
        return None, FEW
    best = {method: max(by_value, key=lambda x: by_value[x]) for method, by_value in means.items()}
    text = ", ".join(f"{method} at {along} = {x}" for method, x in best.items())
    return all(x > claim["above"] for x in best.values()), claim["because"].format(text)


def _best_method(results: Results, claim: Plain) -> Tested:
    """Decide whether a method has the greatest mean of all on some lines."""
    means = {
        line.method: mean_of(results.values(line, claim.get("measure", AUC)))
        for line in results.select(claim["of"])
    }
    if any(map(isnan, means.values())):
        return None, FEW
    text = ", ".join(f"{method} {value:.3f}" for method, value in means.items())
    best = max(means, key=lambda method: means[method])
    return best == claim["method"], claim["because"].format(text)


def _open(results: Results, claim: Plain) -> Tested:
    """Leave a claim open that nothing here can decide."""
    return None, claim["why"]


OF_SIDE = ("measure", "along", "minus")
OF_ITEM = ("range", "row", "method", "rival", "a", "b", "decades", "least_r2", "r2", "linear_r2")
JUDGED = (
    *("above", "below", "unclear", "because", "item", "joint", "otherwise", "why"),
    *("besides", "splits"),
)
FORMS: Mapping[str, Form] = {
    "difference": Form(_difference, ("of",), ("against", "each", "log", *JUDGED)),
    "ratio": Form(_ratio, ("of", "against", "because"), ("each", *JUDGED)),
    "slope": Form(_slope, ("of", "along"), ("each", "log", *JUDGED)),
    "rate": Form(_rate, ("method", "curve", "law", "because"), JUDGED),
    "varies-as-printed": Form(_as_printed, ("method", "shift", "why")),
    "varies-more": Form(_varies_more, ("method", "rival", "row", "because")),
    "best-above": Form(_best_above, ("row", "along", "above", "because"), ("measure",)),
    "best-method": Form(_best_method, ("of", "method", "because"), ("measure",)),
    "open": Form(_open, ("why",)),
}
