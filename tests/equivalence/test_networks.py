"""Networks take the steps of their papers, and without a hidden layer reach what is known."""

from statistics import fmean

import numpy as np
import pytest
from refusals import assert_refused, refusals
from samples import data, sample

from aucbench import get_solver, solve
from aucbench.data import Data
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.objectives import PairwiseSquaredHinge
from aucbench.pairs import Group, Time, members_of
from aucbench_plugins.networks import sopa_s
from aucbench_plugins.networks.aucm import margin_loss, saddle
from aucbench_plugins.networks.network import draw_batches

try:
    import torch
except ModuleNotFoundError:
    torch = None
NEEDS_TORCH = pytest.mark.skipif(
    torch is None, reason="torch is an extra; make nightly installs it"
)

X, Y = sample(6, n=40, d=3)
Z = (X - X.mean(axis=0)) / X.std(axis=0)
POSITIVE = Y > 0
START = np.array([0.0, 0.0, 0.0, 0.5, 0.5])
LINEAR = {
    "width": 0,
    "batch": 40,
    "ridge": 0.01,
    "minority": 0.0,
}  # a linear score, and one batch a pass


def shares(positive):
    return np.where(positive, 1.0 / positive.sum(), 1.0 / (~positive).sum())


# --- AUCM ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0.0, 5.0])  # with α > 0, and with α = 0
def test_the_closed_form_is_the_saddle_point(shift):
    s, q = 0.3 * X[:, 0] + shift * POSITIVE, shares(POSITIVE)
    F, c = margin_loss(s, q, POSITIVE)
    a, b = s[POSITIVE].mean(), s[~POSITIVE].mean()
    alpha = max(0.0, 1.0 + b - a)
    assert bool(alpha > 0.0) is (shift == 0.0)
    assert pytest.approx(s[POSITIVE].var() + s[~POSITIVE].var() + alpha**2, rel=1e-12) == F
    for h in (-0.1, 0.1):
        assert saddle(s, q, POSITIVE, a + h, b - h, alpha, 1.0)[0] > F
        assert saddle(s, q, POSITIVE, a, b, max(0.0, alpha + h), 1.0)[0] <= F + 1e-12
    moved = [margin_loss(s + h, q, POSITIVE)[0] - margin_loss(s - h, q, POSITIVE)[0]
             for h in 1e-4 * np.eye(s.size)]  # fmt: skip
    np.testing.assert_allclose(c, np.array(moved) / 2e-4, atol=1e-9)


def test_saturated_scores_of_separated_classes_count():
    """Scores that equal the mean of their class, or 0, are rows of the class as the others are."""
    positive = np.array([True, True, False, False, False])
    s = np.where(positive, 1.0, 0.0)
    F, c, dab, dalpha = saddle(s, shares(positive), positive, 1.0, 0.0, 0.5, 1.0)
    assert (F, dalpha) == (-0.25, -1.0)
    np.testing.assert_allclose(c, np.where(positive, -0.5, 1.0 / 3.0))
    np.testing.assert_array_equal(dab, 0.0)
    assert margin_loss(s, shares(positive), positive)[0] == 0.0


@NEEDS_TORCH
def test_pesg_by_hand():
    """Four batches of all rows; the step falls and v_ref moves before the third and the fourth."""
    eta, gamma, lam, m = 0.5, 0.1, 0.01, 0.8
    v, alpha, v_ref, seen = START, 0.0, START, []
    for t in range(4):
        if t >= 2:
            eta, v_ref, seen = eta / 10, np.mean(seen, axis=0), []
        s = 1.0 / (1.0 + np.exp(-Z @ v[:3]))
        plus, minus = s[POSITIVE], s[~POSITIVE]
        dv, slope = np.zeros(5), s * (1.0 - s)
        for i, is_positive in enumerate(POSITIVE):
            ds = (2 * (s[i] - v[3]) - 2 * alpha) / plus.size if is_positive else (
                2 * (s[i] - v[4]) + 2 * alpha) / minus.size  # fmt: skip
            dv[:3] += ds * slope[i] * Z[i]
        dv[3:] = -2 * np.mean(plus - v[3]), -2 * np.mean(minus - v[4])
        dalpha = 2 * (m + minus.mean() - plus.mean()) - 2 * alpha
        dv += gamma * (v - v_ref) + lam * np.r_[v[:3], 0.0, 0.0]
        v, alpha = v - eta * dv, max(0.0, alpha + eta * dalpha)
        seen.append(v)
    solver = get_solver("aucm", step=0.5, gamma=gamma, margin=m, **LINEAR)
    np.testing.assert_allclose(solve(solver, Data.of(X, Y), passes=4).w, v[:3], rtol=1e-10)


# --- SOAP and SOPA-s -------------------------------------------------------------------------


def adam_by_hand(gradient, passes, eta):
    """The weights after so many steps; `gradient(θ, t)` has the ridge in it."""
    theta, first, second = np.zeros((3, 3))
    for t in range(1, passes + 1):
        g = gradient(theta)
        first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g * g
        step = eta * 0.5 * (1.0 + np.cos(np.pi * (t - 1) / passes))
        hat = np.sqrt(second / (1.0 - 0.999**t)) + 1e-8
        theta = theta - step * first / (1.0 - 0.9**t) / hat
    return theta


def pair(theta, i, j, m):
    """The loss of a pair, and its gradient."""
    z = max(m - (Z[i] - Z[j]) @ theta, 0.0)
    return z * z, -2.0 * z * (Z[i] - Z[j])


@NEEDS_TORCH
def test_soap_by_hand():
    m, gamma, u = 0.7, 0.6, {}

    def gradient(theta):
        G = 0.01 * theta
        for i in np.flatnonzero(POSITIVE):
            lost = [pair(theta, i, j, m) for j in range(40)]
            g = (sum(at[0] for at, side in zip(lost, POSITIVE, strict=True) if side) / 40,
                 fmean(at[0] for at in lost))  # fmt: skip
            old = u.get(i, g)
            u[i] = tuple((1.0 - gamma) * one + gamma * new for one, new in zip(old, g, strict=True))
            for j in range(40):
                ratio = (u[i][0] - u[i][1] * POSITIVE[j]) / u[i][1] ** 2
                G = G + ratio * lost[j][1] / 40 / POSITIVE.sum()
        return G

    wanted = adam_by_hand(gradient, 3, 0.1)
    solver = get_solver("soap", step=0.1, margin=m, gamma=gamma, **LINEAR)
    np.testing.assert_allclose(solve(solver, Data.of(X, Y), passes=3).w, wanted, rtol=1e-9)


@NEEDS_TORCH
def test_sopa_s_by_hand():
    m, gamma, tau, u = 0.7, 0.6, 0.5, {}

    def gradient(theta):
        G, negative = 0.01 * theta, np.flatnonzero(~POSITIVE)
        for i in np.flatnonzero(POSITIVE):
            lost = [pair(theta, i, j, m) for j in negative]
            new = fmean(np.exp(loss / tau) for loss, _ in lost)
            u[i] = (1.0 - gamma) * u.get(i, new) + gamma * new
            for loss, slope in lost:
                G = G + np.exp(loss / tau) / u[i] * slope / negative.size / POSITIVE.sum()
        return G

    wanted = adam_by_hand(gradient, 3, 0.1)
    solver = get_solver("sopa-s", step=0.1, margin=m, gamma=gamma, tau=tau, **LINEAR)
    np.testing.assert_allclose(solve(solver, Data.of(X, Y), passes=3).w, wanted, rtol=1e-9)


def test_sopa_s_does_not_overflow_and_forgets_with_gamma_1():
    exponents = np.array([[1e6, 0.0], [0.0, 0.0]])
    fresh = np.array([1e6 - np.log(2.0), 0.0])
    np.testing.assert_allclose(sopa_s.update_log_u(np.full(2, np.nan), exponents, 0.3), fresh)
    np.testing.assert_allclose(sopa_s.update_log_u(np.full(2, -7.0), exponents, 1.0), fresh)
    moved = sopa_s.update_log_u(np.full(2, np.log(3.0)), exponents, 0.5)
    np.testing.assert_allclose(moved, [fresh[0] + np.log(0.5), np.log(2.0)])


# --- batches and networks --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "pairs", "minority"),
    [
        ("labels", None, 0.0),
        ("labels", None, 0.5),
        ("groups", Group(), 0.0),
        ("times", Time(), 0.0),
    ],
)
def test_batches_hold_pairs_and_together_all_rows_that_have_some(kind, pairs, minority):
    rows = data(3, 205, positives=0.1, kind=kind, pairs=pairs)
    members = members_of(rows)
    drawn = draw_batches(members, 20, minority, np.random.default_rng(0))
    assert {*np.concatenate(drawn)} == {*members.components[0]}
    assert all(members_of(rows, batch).pairs > 0 for batch in drawn)
    if kind == "labels":
        count = [int((rows.y[batch] > 0).sum()) for batch in drawn]
        assert min(count) >= max(1, 20 * minority)
        assert len(drawn) == 11
    if kind == "groups":
        group = np.arange(205) // 5
        assert sum(len({*group[batch]}) for batch in drawn) == len({*group[members.rows]})
        assert max(batch.size for batch in drawn) < 25


@NEEDS_TORCH
@pytest.mark.parametrize("descent", ["adam", "momentum"])
def test_a_linear_network_reaches_the_minimum_of_rank_svm(descent):
    rows, lam = Data.of(Z, Y), 0.05
    best = solve(get_solver("rank-svm", lam=lam), rows, gap_tol=1e-10)
    step = {"adam": 0.1, "momentum": 0.2}[descent]
    solver = get_solver("mlp", **LINEAR | {"ridge": lam, "step": step, "descent": descent})
    w = solve(solver, rows, passes=300).w
    f = PairwiseSquaredHinge(rows)
    value, least = (f.value(v) + lam / 2.0 * v @ v for v in (w, best.w))
    assert least * (1.0 - 1e-9) <= value <= least * (1.0 + 1e-6)


def refused(name="mlp", on=None, **parameters):
    solver = get_solver(name, **parameters)
    return solve(solver, on or data(1), passes=1)


@NEEDS_TORCH
@refusals(
    ("loss", lambda: refused(loss="cross-entropy"), ParameterError, "squared-hinge"),
    ("descent", lambda: refused(descent="sgd"), ParameterError, "momentum"),
    ("width", lambda: refused(width=-1), ParameterError, "width"),
    ("one row", lambda: refused(batch=1), ParameterError, "batch"),
    ("most are rare", lambda: refused(minority=0.6), ParameterError, "minority"),
    ("no margin", lambda: refused("aucm", margin=0.0), ParameterError, "margin"),
    ("gamma of 0", lambda: refused("soap", gamma=0.0), ParameterError, "gamma"),
    ("tau of 0", lambda: refused("sopa-s", tau=0.0), ParameterError, "tau"),
    ("aum of groups", lambda: refused(on=data(kind="groups"), loss="aum"), UnsupportedError, "aum"),
    ("to save", lambda: refused().model.portable(), UnsupportedError, "width=0"),
)
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)
