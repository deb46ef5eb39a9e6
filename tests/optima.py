"""Optima found without our solvers, and objectives in exact rational numbers."""

import warnings
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC


def exactly(values):
    """Floats, or a nest of them, as rational numbers."""
    if np.ndim(values) == 0:
        return values if isinstance(values, Fraction) else Fraction(float(values))
    return [exactly(v) for v in values]


def dot(u, v):
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def mean(values):
    return sum(values, Fraction(0)) / len(values)


# --- objectives, of rational scores ------------------------------------------------------


def scores(X, w):
    w = exactly(w)
    return [dot(row, w) for row in exactly(X)]


def parted(s, y):
    """Scores of the positives, then of the negatives."""
    pairs = list(zip(s, y, strict=True))
    return [v for v, side in pairs if side > 0], [v for v, side in pairs if side < 0]


def ridge(w, lam):
    w = exactly(w)
    return Fraction(float(lam)) / 2 * dot(w, w)


def pairwise_square(X, y, w):
    pos, neg = parted(scores(X, w), y)
    a, b = mean(pos), mean(neg)
    spread = mean([(v - a) ** 2 for v in pos]) + mean([(v - b) ** 2 for v in neg])
    return spread + (1 + b - a) ** 2


def pairwise_hinge(X, y, w):
    pos, neg = parted(scores(X, w), y)
    return mean([max(1 - u + v, Fraction(0)) for u in pos for v in neg])


def pairwise_squared_hinge(X, y, w):
    pos, neg = parted(scores(X, w), y)
    return mean([max(1 - u + v, Fraction(0)) ** 2 for u in pos for v in neg])


def hinge_of_pairs(X, positives, negatives, w):
    s = scores(X, w)
    return mean(
        [max(1 - s[i] + s[j], Fraction(0)) for i, j in zip(positives, negatives, strict=True)]
    )


def aum(X, y, w, margin):
    """min over c of mean_- [s_j − c]_+ + mean_+ [m + c − s_i]_+: at one of its kinks."""
    pos, neg = parted(scores(X, w), y)
    pos = [v - Fraction(margin) for v in pos]

    def at(c):
        return mean([max(v - c, Fraction(0)) for v in neg]) + mean(
            [max(c - v, Fraction(0)) for v in pos]
        )

    return min(at(c) for c in [*pos, *neg])


# --- minimisers --------------------------------------------------------------------------


def solved(H, b):
    """H x = b in rational numbers, by elimination."""
    rows = [[*h, v] for h, v in zip(H, b, strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][k]:
                rows[i] = [v - rows[i][k] * u for v, u in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def least_square(X, y, lam):
    """min F(w) + (λ/2)‖w‖², exactly: 2(C₊ + C₋ + δδᵀ) + λI and −2δ, all rational."""
    E, d = exactly(X), len(X[0])
    parts = [[row for row, side in zip(E, y, strict=True) if side * k > 0] for k in (1, -1)]
    means = [[mean(column) for column in zip(*part, strict=True)] for part in parts]
    delta = [b - a for a, b in zip(*means, strict=True)]
    H = [[2 * delta[i] * delta[j] for j in range(d)] for i in range(d)]
    for part, m in zip(parts, means, strict=True):
        for i in range(d):
            for j in range(d):
                H[i][j] += 2 * mean([(row[i] - m[i]) * (row[j] - m[j]) for row in part])
    for i in range(d):
        H[i][i] += Fraction(float(lam))
    w = solved(H, [-2 * v for v in delta])
    return 1 + dot(delta, w)  # 1 + δ·w: half of the linear term is what the quadratic gives back


def differences(X, y):
    X = np.asarray(X)
    return (X[y > 0][:, None, :] - X[y < 0][None, :, :]).reshape(-1, X.shape[1])


def hinge_candidates(D, lam):
    """Weights that are good for mean [1 − D w]₊ + (λ/2)‖w‖², each where the other ones are not."""
    size = max(float(np.abs(D).max()), 1e-300)
    D, lam = D / size, lam / size / size
    found = [np.zeros(D.shape[1]), D.mean(axis=0) / lam]
    cost = np.r_[np.zeros(D.shape[1]), np.full(len(D), 1.0 / len(D))]
    A = np.hstack([-D, -np.eye(len(D))])
    free = [(None, None)] * D.shape[1] + [(0, None)] * len(D)
    programme = linprog(cost, A, -np.ones(len(D)), bounds=free)
    if programme.status == 0:
        found.append(programme.x[: D.shape[1]])
    if 1e-7 < lam < 1e5:
        both = np.vstack([D, -D[:1]])  # two classes, as the estimator asks for
        weight = np.r_[np.full(len(D), 1.0 / lam / len(D)), 1e-300]
        svc = LinearSVC(
            loss="hinge", fit_intercept=False, tol=1e-9, max_iter=200_000, random_state=0
        )
        sides = np.r_[np.ones(len(D)), -np.ones(1)]
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            found.append(np.ravel(svc.fit(both, sides, weight).coef_))
    return [w / size for w in found if np.isfinite(w / size).all()]


def ridge_weights(X, y, lam):
    """The minimiser of the pairwise square with a ridge, by the equations of centred rows."""
    pos, neg = X[y > 0], X[y < 0]
    delta = neg.mean(axis=0) - pos.mean(axis=0)
    H = 2 * (np.cov(pos.T, bias=True) + np.cov(neg.T, bias=True) + np.outer(delta, delta))
    return np.linalg.solve(H + lam * np.eye(X.shape[1]), -2 * delta)


def least_aum(X, y, margin, normal=None):
    """Weights of the least AUM by a linear programme, with normal·w = 1 where one is given."""
    X, positive = np.asarray(X, dtype=float), np.asarray(y) > 0
    centre = X.mean(axis=0)
    size = np.abs(X - centre).max(axis=0)
    size[size == 0] = 1.0
    Z, (n, d) = (X - centre) / size, X.shape
    sign = np.where(positive, -1.0, 1.0)[:, None]
    A = np.hstack([sign * Z, -sign, -np.eye(n)])
    weight = np.where(positive, 1 / positive.sum(), 1 / (~positive).sum())
    equal = None if normal is None else np.r_[normal / size, np.zeros(n + 1)][None]
    bounds = [(None, None)] * (d + 1) + [(0, None)] * n
    found = linprog(
        np.r_[np.zeros(d + 1), weight],
        A,
        np.where(positive, -margin, 0.0),
        equal,
        None if normal is None else [1.0],
        bounds,
    )
    return found.x[:d] / size


def pointwise(name, X, y, C):
    """The objective of a classifier of scikit-learn in (w, c): a function to value and gradient.

    It is ½‖w‖² + C Σ v_i ℓ(y_i (w·x_i + c)), in which linear-svc squares the hinge and shrinks c.
    """
    Z = np.column_stack([X, np.ones(len(y))])
    balanced = len(y) / (2 * np.where(y > 0, np.sum(y > 0), np.sum(y < 0)))
    v = C * (balanced if name == "logistic-balanced" else np.ones(len(y)))
    penalised = np.r_[np.ones(X.shape[1]), float(name == "linear-svc")]

    def objective(u):
        m = y * (Z @ u)
        if name == "linear-svc":
            losses, slopes = np.maximum(0, 1 - m) ** 2, -2 * np.maximum(0, 1 - m)
        else:
            losses, slopes = np.logaddexp(0, -m), -expit(-m)
        return penalised @ (u * u) / 2 + v @ losses, penalised * u + Z.T @ (v * y * slopes)

    return objective
