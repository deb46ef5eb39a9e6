"""Areas of parts of the ROC curve: golden numbers, the definition, derivatives."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucbench.metrics import measure, partial_auc
from aucbench.metrics.partial import Range, Tied, partial_influence
from aucbench.stats import Fold
from aucbench.stats.influence import Influences

Y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0])
S = np.array([4, 2, 1, 0, 3, 2, 0.5, -1, -2])
GOLDEN = [
    (1, 0, F(27, 40), F(27, 40), F(27, 40)),
    (0.4, 0, F(1, 8), F(5, 16), F(73, 128)),
    (0.5, 0, F(1, 5), F(2, 5), F(3, 5)),
    (0.3, 0, F(13, 160), F(13, 48), F(233, 408)),
    (1, 0.5, F(1, 4), F(1, 2), F(2, 3)),
    (0.5, 0.25, F(3, 40), F(1, 5), F(31, 55)),
    (0.3, 0.4, F(0), F(0), F(1, 2)),
]


@pytest.mark.parametrize(("fpr", "tpr", "raw", "norm", "mcclish"), GOLDEN)
def test_golden_areas(fpr, tpr, raw, norm, mcclish):
    told = [
        partial_auc(Y, S, max_fpr=fpr, min_tpr=tpr, scale=scale)
        for scale in ("raw", "norm", "mcclish")
    ]
    assert told == pytest.approx([float(raw), float(norm), float(mcclish)], abs=1e-15)


def rows(draw, least=1, most=8):
    """Labels, scores with ties, and weights of a few rows of both classes."""
    m, n = draw(st.integers(least, most)), draw(st.integers(least, most))
    quarters = st.lists(st.integers(-6, 6), min_size=m + n, max_size=m + n)
    weights = st.lists(st.integers(1, 3), min_size=m + n, max_size=m + n)
    return np.repeat([1, 0], [m, n]), np.array(draw(quarters)) / 4, np.array(draw(weights)) * 1.0


def naive(y, s, v, low, high, tpr):
    """The integral of (TPR(u) − tpr)₊ in fractions, edge by edge of the polygon."""
    v = [F(int(x)) for x in v]
    masses = [sum(x for x, label in zip(v, y, strict=True) if label == k) for k in (0, 1)]
    T = f = area = F(0)
    for value in sorted({*s.tolist()}, reverse=True):
        on = [x for x, score in enumerate(s.tolist()) if score == value]
        q, p = (sum((v[i] for i in on if y[i] == k), F(0)) / masses[k] for k in (0, 1))
        if q:
            slope, begin, end = p / q, max(f, low), min(f + q, high)
            if slope and T + slope * (begin - f) < tpr:
                begin = max(begin, f + (tpr - T) / slope)
            if end > begin and T + slope * (end - f) > tpr:
                area += (end - begin) * (T + slope * ((begin + end) / 2 - f) - tpr)
        T, f = T + p, f + q
    return area


@given(st.data())
def test_the_area_is_the_integral_of_the_polygon(data):
    y, s, v = rows(data.draw)
    low, high = sorted(data.draw(st.sets(st.integers(0, 10), min_size=2, max_size=2)))
    low, high, tpr = F(low, 10), F(high, 10), F(data.draw(st.integers(0, 9)), 10)
    part = {"min_fpr": float(low), "max_fpr": float(high), "min_tpr": float(tpr)}
    told = partial_auc(y, s, v, scale="raw", **part)
    assert told == pytest.approx(float(naive(y, s, v, low, high, tpr)), abs=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_placements_are_the_derivatives_of_the_area(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [7, 11])
    s = np.round(2 * rng.normal(size=18) + y) / 2
    v = rng.integers(1, 4, 18) + 0.1 * rng.random(18)  # no corner lies at an end of the range
    part = Range(0.43, 0.07 * (seed % 2), 0.17 * (seed % 3), "raw")
    told = partial_influence(Fold(y, s, v), **{n: getattr(part, n) for n in part.__slots__})
    for i in range(18):
        step = np.eye(18)[i] * 1e-5
        ends = [Tied.of(Fold(y, s, v + t)).edges(part).share for t in (step, -step)]
        own = (ends[0] - ends[1]) / 2e-5 * part.most * v[i]
        assert told.psi[i] == pytest.approx(own, abs=1e-8)


def test_few_rows_in_the_range_take_a_bootstrap_and_say_so():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 80])
    s, r = (rng.normal(size=120) + y for _ in range(2))
    pauc = measure("pauc[max_fpr=.1]")
    a, b = (Influences.joined([pauc.influence(Fold(y, x))]) for x in (s, r))
    assert "bootstrap" in a.interval().method
    assert a.interval() == a.interval()
    assert a.difference(b).low < a.difference(b).estimate < a.difference(b).high
    assert a.difference(a).p == 1.0
    more = Influences.joined([pauc.influence(Fold(np.repeat(y, 3), np.repeat(s, 3)))])
    assert "bootstrap" not in more.interval().method
    grouped = [pauc.influence(Fold(y, s, groups=np.arange(120) // 2))]
    assert np.isnan(Influences.joined(grouped, grouped=True).interval().low)


@pytest.mark.parametrize(
    ("part", "weighted"),
    [(Range(0.05), False), (Range(1.0, 0.0, 0.9), True), (Range(0.6, 0.1, 0.5), True)],
)
def test_samples_are_those_of_the_rows(part, weighted):
    """Mean and deviation of the areas are those of samples that are drawn row by row."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [40, 150])
    s = np.round(rng.normal(size=190) + y, 1)
    fold = Fold(y, s, rng.integers(1, 4, 190) * 1.0 if weighted else None)
    tied = Tied.of(fold)
    sides = np.flatnonzero(y), np.flatnonzero(y == 0)
    each = []
    for _ in range(300):
        some = np.concatenate([rng.choice(rows, rows.size) for rows in sides])
        each.append(Tied.of(Fold(y[some], s[some], fold.weights[some])).edges(part).share)
    told = tied.drawn(part)
    assert told.shape == (500,)
    assert told.mean() == pytest.approx(np.mean(each), abs=4.5 * np.std(each) / 300**0.5)
    assert told.std() == pytest.approx(np.std(each), rel=0.2)


def test_alike_in_a_range_of_few_rows_is_not_equivalent():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [500, 1000])
    s = rng.normal(size=1500) + y
    low = np.where((y == 0) & (s < np.quantile(s[y == 0], 0.5)), -9.0 - rng.random(1500), s)
    for rate, rows in ((0.02, 20), (0.2, 200)):
        pauc = measure(f"pauc[{rate},scale=norm]")
        a, b = (Influences.joined([pauc.influence(Fold(y, x))]) for x in (s, low))
        less = a.difference(b)
        assert (less.estimate, less.p, less.method) == (0.0, 1.0, "rule of three")
        assert less.high == pytest.approx(1 - 0.05 ** (2 / rows))
