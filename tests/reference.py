"""Naive twins of the kernels: each function is the definition, and obviously right."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np

# --- rows, objectives, ranks -------------------------------------------------------------


def block_scores(X, w, block):
    """X_B w, row by row."""
    return np.array([sum(x * v for x, v in zip(X[i], w, strict=True)) for i in block])


def block_pullback(X, r, block):
    """Sum over the block of r_i x_i."""
    out = np.zeros(X.shape[1])
    for weight, i in zip(r, block, strict=True):
        out += weight * X[i]
    return out


def pairwise_square(X, y, w):
    """Mean over all pairs of (1 - w.(x_i - x_j))^2, and its gradient: the definition."""
    pos, neg = X[y > 0], X[y < 0]
    value, grad = 0.0, np.zeros(X.shape[1])
    for a in pos:
        for b in neg:
            margin = 1.0 - w @ (a - b)
            value += margin**2
            grad -= 2.0 * margin * (a - b)
    pairs = len(pos) * len(neg)
    return value / pairs, grad / pairs


def pairwise_square_block(X, y, w, block):
    """Gradient of the SHT-AUC paper's f_B, from explicitly centred rows."""
    p = np.mean(y > 0)
    m_pos, m_neg = X[y > 0].mean(axis=0), X[y < 0].mean(axis=0)
    delta = m_neg - m_pos
    total = np.zeros(X.shape[1])
    for i in block:
        x = X[i] - (m_pos if y[i] > 0 else m_neg)
        total += (w @ x) * x / (p if y[i] > 0 else 1 - p)
    return 2 * total / len(block) + 2 * (1 + w @ delta) * delta


def logistic(X, y, w):
    """Mean logistic loss and its gradient."""
    margins = y * (X @ w)
    value = np.mean(np.log1p(np.exp(-margins)))
    return value, -(X.T @ (y / (1 + np.exp(margins)))) / len(y)


def weighted_auc_by_pairs(y, scores, v):
    """Sum over all pairs of v_i v_j (1[s_i > s_j] + 1/2 1[s_i = s_j]), over that of v_i v_j."""
    pairs = [(i, j) for i in np.flatnonzero(y > 0) for j in np.flatnonzero(y <= 0)]
    wins = [
        v[i] * v[j] * ((scores[i] > scores[j]) + (scores[i] == scores[j]) / 2) for i, j in pairs
    ]
    return sum(wins) / sum(v[i] * v[j] for i, j in pairs)


def sign(x):
    return (x > 0) - (x < 0)


def best_auc_2d(X, y):
    """The most of 2 #{w·x_i > w·x_j} + #{w·x_i = w·x_j} over all w, in rational numbers.

    It is the most just after a direction e at which a pair is level: there a pair counts by e·d,
    or, if it is level, by e⟂·d, where e⟂ is e turned to the left.
    """
    points = [[*map(Fraction, row)] for row in np.asarray(X).tolist()]
    pairs = [
        (points[i][0] - points[j][0], points[i][1] - points[j][1])
        for i in np.flatnonzero(y > 0)
        for j in np.flatnonzero(y <= 0)
    ]
    level = [e for a, b in pairs if a or b for e in ((b, -a), (-b, a))]
    return max(
        sum(1 + (sign(e * a + f * b) or sign(-f * a + e * b)) for a, b in pairs)
        for e, f in [(1, 0), *level]
    )


# --- selection and projectors ------------------------------------------------------------


def keys(v):
    """Magnitudes as integers: the bits without the sign, so that NaN ranks above infinity."""
    return np.asarray(v, dtype=np.float64).view(np.int64) & np.int64(2**63 - 1)


def top_k(v, k, free=0):
    """Keep the k largest magnitudes, ties by lowest index, and the last `free` entries."""
    tied = max(0, len(v) - free)
    keep = np.argsort(-keys(v[:tied]), kind="stable")[:k]
    out = np.zeros_like(v)
    out[keep] = v[keep]
    out[tied:] = v[tied:]
    return out


def l1_ball(v, R):
    """Nearest point with |w|_1 <= R by sorting, in exact arithmetic."""
    exact = [abs(Fraction(x)) for x in v]
    R = Fraction(R)
    if sum(exact) <= R:
        return np.array(v)
    total, theta = Fraction(0), Fraction(0)
    for rank, a in enumerate(sorted(exact, reverse=True), 1):
        total += a
        if a > (total - R) / rank:
            theta = (total - R) / rank
    return np.array(
        [math.copysign(float(max(0, a - theta)), x) for a, x in zip(exact, v, strict=True)]
    )


def l2_ball(v, R):
    """v shortened to length R when it is longer, in 60 digits."""
    with localcontext(prec=60):
        exact = [Decimal(float(x)) for x in v]
        norm = sum(x * x for x in exact).sqrt() if exact else Decimal(0)
        share = min(Decimal(1), Decimal(R) / norm) if norm else Decimal(1)
        return np.array([float(x * share) for x in exact])


def box(v, lo, hi):
    """Each entry moved to the nearer bound when it lies outside."""
    return np.array([lo if x < lo else hi if x > hi else x for x in v])


def soft_threshold(v, t):
    """Each entry moved towards 0 by t, and to 0 when it is nearer than that."""
    return np.array([x - t if x > t else x + t if x < -t else 0.0 for x in v])


def elastic_net(v, l1, l2, step):
    """Minimiser of step (l1 |w| + l2/2 w^2) + (w - v)^2 / 2, entry by entry."""
    return soft_threshold(v, step * l1) / (1 + step * l2)


def group_l2(v, owner, low, high, *, group, l2, step):
    """Minimiser of step (group sum sqrt(p) |u_t| + l2/2 u^2) + (u - v)^2 / 2 within cones."""
    u = np.clip(v, low, high)
    for t in np.unique(owner):
        part = owner == t
        length = math.sqrt(math.fsum(x * x for x in u[part]))
        limit = step * group * math.sqrt(part.sum())
        u[part] = u[part] * (1 - limit / length) if length > limit else 0.0 * u[part]
    return u / (1 + step * l2)


# --- Uni-Exp -----------------------------------------------------------------------------


def univariate_exp(X, y, w):
    """Half the class means of exp(-y s), and the gradient: the definition."""
    value, grad = 0.0, np.zeros(X.shape[1])
    for x, k in zip(X, y, strict=True):
        loss = np.exp(-k * (w @ x)) / (2 * np.sum(y == k))
        value += loss
        grad -= k * loss * x
    return value, grad


# --- adamax ------------------------------------------------------------------------------


def adamax(gradients, w, step, beta1, beta2):
    """w after each step, given the gradient at each; a coordinate with u = 0 stays."""
    m, u, found = np.zeros(w.size), np.zeros(w.size), []
    for t, g in enumerate(gradients, 1):
        m = beta1 * m + (1 - beta1) * g
        u = np.maximum(beta2 * u, np.abs(g))
        moves = [m_j / u_j if u_j > 0 else 0.0 for m_j, u_j in zip(m, u, strict=True)]
        w = w - step / (1 - beta1**t) * np.array(moves)
        found.append(w)
    return found


# --- hinges over pairs -------------------------------------------------------------------


def hinges(s, y):
    """[s_j - t_i]_+ of each pair (positive i, negative j), t_i = s_i - 1, and which are active."""
    t = s[y > 0] - 1.0
    losses = s[y < 0] - t[:, None]
    return np.where(losses <= 0.0, 0.0, losses), s[y < 0] > t[:, None]


def hinge_of_scores(s, y):
    """Mean hinge over all pairs, its derivatives in s, and the share of active pairs."""
    losses, active = hinges(s, y)
    c = np.zeros(len(y))
    c[y > 0], c[y < 0] = -active.sum(axis=1) / losses.size, active.sum(axis=0) / losses.size
    return math.fsum(losses.ravel()) / losses.size, c, active.mean()


def squared_hinge_of_scores(s, y):
    """Mean squared hinge over all pairs, its derivatives in s, and the share of active pairs."""
    losses, active = hinges(s, y)
    c = np.zeros(len(y))
    c[y > 0], c[y < 0] = -2 * losses.sum(axis=1), 2 * losses.sum(axis=0)
    return math.fsum(losses.ravel() ** 2) / losses.size, c / losses.size, active.mean()


def pair_logistic_of_scores(s, y, v=None):
    """Mean logistic loss over all pairs, with weights v_i v_j, and its derivatives in s."""
    v = np.ones(len(y)) if v is None else v
    x = s[y < 0] - s[y > 0][:, None]
    mass = v[y > 0][:, None] * v[y < 0]
    losses = np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))
    slopes = mass * np.where(x > 0, 1.0, np.exp(-np.abs(x))) / (1.0 + np.exp(-np.abs(x)))
    c = np.zeros(len(y))
    c[y > 0], c[y < 0] = -slopes.sum(axis=1), slopes.sum(axis=0)
    return math.fsum((mass * losses).ravel()) / mass.sum(), c / mass.sum()


def bent_squared_hinge(s, y, u, v=None):
    """Second derivatives in s of the mean squared hinge over all pairs, times u.

    A pair counts v_i v_j.
    """
    v = np.ones(len(y)) if v is None else v
    out, total = np.zeros(len(y)), 0.0
    for i in np.flatnonzero(y > 0):
        for j in np.flatnonzero(y < 0):
            total += v[i] * v[j]
            if s[j] > s[i] - 1.0:
                out[i] += 2 * v[i] * v[j] * (u[i] - u[j])
                out[j] += 2 * v[i] * v[j] * (u[j] - u[i])
    return out / total


def hinge_of_pairs(s, positives, negatives):
    """Mean hinge of the given pairs, and its derivatives in s."""
    c, value = np.zeros(len(s)), 0.0
    for i, j in zip(positives, negatives, strict=True):
        if s[j] > s[i] - 1.0:
            value += s[j] - (s[i] - 1.0)
            c[i] -= 1
            c[j] += 1
    return value / len(positives), c / len(positives)


# --- minimum of the AUM along a line -----------------------------------------------------


def aum_at(scores, direction, y, step):
    """AUM at a step, exactly: min over c, a score, of mean_- [s_j - c]_+ + mean_+ [c - s_i]_+."""
    s = [Fraction(a) - step * Fraction(b) for a, b in zip(scores, direction, strict=True)]
    pos = [v for v, side in zip(s, y, strict=True) if side > 0]
    neg = [v for v, side in zip(s, y, strict=True) if side <= 0]
    return min(
        sum(max(v - c, 0) for v in neg) / Fraction(len(neg))
        + sum(max(c - v, 0) for v in pos) / Fraction(len(pos))
        for c in s
    )


def aum_kinks(scores, direction):
    """0 and the steps > 0 at which two scores cross; the AUM is linear between them."""
    lines = list(zip(map(Fraction, scores), map(Fraction, direction), strict=True))
    meet = {(a - p) / (b - q) for a, b in lines for p, q in lines if b != q}
    return [Fraction(0), *sorted(step for step in meet if step > 0)]


def aum_line_min(scores, direction, y):
    """First and last minimiser (None: no last one) and minimum over step >= 0, exactly.

    The AUM is convex: bisection over the kinks for the first and the last minimiser.
    """
    kinks = aum_kinks(scores, direction)
    kinks.append(kinks[-1] + 1)

    def h(k):
        return aum_at(scores, direction, y, kinks[k])

    def first(holds):
        lo, hi = 0, len(kinks) - 1
        while lo < hi:
            k = (lo + hi) // 2
            lo, hi = (lo, k) if holds(k) else (k + 1, hi)
        return lo

    start, end = first(lambda k: h(k + 1) >= h(k)), first(lambda k: h(k + 1) > h(k))
    beyond = end == len(kinks) - 1
    return kinks[start], None if beyond else kinks[end], h(start)


# --- AUM of scores -----------------------------------------------------------------------


def aum(example, value, fp_diff, fn_diff, scores):
    """Area under min(FP, FN), threshold by threshold, in exact rationals."""
    at = [Fraction(v) - Fraction(scores[e]) for e, v in zip(example, value, strict=True)]
    corners, total = sorted(set(at)), Fraction(0)
    for left, right in pairwise(corners):
        fp = sum(Fraction(x) for t, x in zip(at, fp_diff, strict=True) if t <= left)
        fn = -sum(Fraction(x) for t, x in zip(at, fn_diff, strict=True) if t > left)
        total += (right - left) * min(fp, fn)
    return total


def aum_derivatives(example, value, fp_diff, fn_diff, scores):
    """One-sided derivatives (n, 2): differences of the AUM for a step without a crossing."""
    at = {Fraction(v) - Fraction(scores[e]) for e, v in zip(example, value, strict=True)}
    step = min((b - a for a, b in pairwise(sorted(at))), default=Fraction(1)) / 2
    scores = [Fraction(s) for s in scores]
    here, found = aum(example, value, fp_diff, fn_diff, scores), []
    for i, s in enumerate(scores):
        moved = [
            aum(example, value, fp_diff, fn_diff, [*scores[:i], s + x, *scores[i + 1 :]])
            for x in (-step, step)
        ]
        found.append([float((here - moved[0]) / step), float((moved[1] - here) / step)])
    return np.array(found).reshape(-1, 2)


def area_under_roc(example, value, fp_diff, fn_diff, scores):
    """Trapezoids under the ROC curve of rates, threshold by threshold, in exact rationals."""
    at = [Fraction(v) - Fraction(scores[e]) for e, v in zip(example, value, strict=True)]
    fp, tp, area = Fraction(0), Fraction(0), Fraction(0)
    for t in sorted(set(at)):
        more_fp = sum(Fraction(x) for a, x in zip(at, fp_diff, strict=True) if a == t)
        more_tp = -sum(Fraction(x) for a, x in zip(at, fn_diff, strict=True) if a == t)
        area += more_fp * (tp + more_tp / 2)
        fp, tp = fp + more_fp, tp + more_tp
    return area / (fp * tp)


# --- interval regression -----------------------------------------------------------------


def interval_hinge(low, high, margin, s):
    """Mean squared hinge of scores s that should lie in (low, high), with a margin."""
    total = 0.0
    for a, b, x in zip(low, high, s, strict=True):
        total += max(a + margin - x, 0.0) ** 2 + max(x - b + margin, 0.0) ** 2
    return total / len(s)


# --- rows in chunks -----------------------------------------------------------------------


def rows_in_bins(X, y, s, low, K, count):
    """Counts and sums of rows by class and bin; the bins of positives begin at low + 1."""
    counts, sums = np.zeros((2, count), int), np.zeros((2, count, X.shape[1]))
    for x, side, score in zip(X, y, s, strict=True):
        k = int(side > 0)
        b = min(max(math.floor((score - (low + k)) * K), 0), count - 1)
        counts[k, b] += 1
        sums[k, b] += x
    return counts, sums


def tree_scores(X, feature, threshold, left, right, value, roots):
    """The sum over the trees of the value of the leaf that a row comes to."""
    out = []
    for x in X:
        total = 0.0
        for node in roots:
            while feature[node] >= 0:
                below = x[feature[node]] <= threshold[node]
                node = left[node] if below else right[node]
            total += value[node]
        out.append(total)
    return out


# --- pairs as a dict {(i, j): weight} of fractions ---------------------------------------------


def scaled(pairs):
    total = sum(pairs.values())
    return {pair: weight / total for pair, weight in pairs.items() if weight}


def of_groups(y, group, v, each="pair"):
    pairs = {
        (i, j): Fraction(v[i]) * Fraction(v[j])
        for i in range(len(y))
        for j in range(len(y))
        if y[i] > 0 > y[j] and group[i] == group[j]
    }
    if each == "group":
        masses = {}
        for (i, _), weight in pairs.items():
            masses[group[i]] = masses.get(group[i], Fraction(0)) + weight
        pairs = {(i, j): weight / masses[group[i]] for (i, j), weight in pairs.items()}
    return scaled(pairs) if pairs else {}


def of_times(time, event, v, tau=None, a=None):
    """Comparable pairs; a: what each event counts besides."""
    n = len(time)
    a = [Fraction(1)] * n if a is None else a

    def comparable(i, j):
        first = time[i] < time[j] or (time[i] == time[j] and not event[j])
        return i != j and event[i] and first and (tau is None or time[i] < tau)

    pairs = {
        (i, j): Fraction(v[i]) * Fraction(v[j]) * a[i]
        for i in range(n)
        for j in range(n)
        if comparable(i, j)
    }
    return scaled(pairs) if pairs else {}


def of_grades(y, v, each="pair", gain=None, group=None):
    n = len(y)
    group = [0] * n if group is None else group
    mass = {}
    for k in range(n):
        mass[group[k], y[k]] = mass.get((group[k], y[k]), Fraction(0)) + Fraction(v[k])

    def weight(i, j):
        whole = Fraction(v[i]) * Fraction(v[j]) * (1 if gain is None else gain(y[i]) - gain(y[j]))
        return whole / mass[group[i], y[i]] / mass[group[j], y[j]] if each == "grades" else whole

    pairs = {
        (i, j): weight(i, j)
        for i in range(n)
        for j in range(n)
        if y[i] > y[j] and group[i] == group[j]
    }
    return scaled(pairs) if pairs else {}


def mixture(rows, s, v, room, sign):
    """Fill the room with the rows of the highest sign·s, by the definition; shares sum to 1."""
    total, out, left = sum(Fraction(v[r]) for r in rows), {}, Fraction(room)
    for r in sorted(rows, key=lambda r: (-sign * s[r], r)):
        mass = min(Fraction(v[r]) / total, left)
        out[r], left = mass / Fraction(room), left - mass
    return out


def of_range(y, s, v, group, beta, alpha):
    """Return {(i, j): weight} of the range, as fractions, of each group by its mass."""
    pairs, masses = {}, {}
    for g in {*group.tolist()}:
        up, low = ([r for r in range(len(y)) if group[r] == g and y[r] == e] for e in (1, -1))
        if not (up and low):
            continue
        masses[g] = sum(Fraction(v[r]) for r in up) * sum(Fraction(v[r]) for r in low)
        a, b = mixture(up, s, v, 1 - alpha, -1), mixture(low, s, v, beta, 1)
        for i, p in a.items():
            for j, q in b.items():
                pairs[i, j] = masses[g] * p * q
    total = sum(masses.values())
    return {pair: weight / total for pair, weight in pairs.items() if weight}


def inverse_censoring(time, event):
    """The Kaplan–Meier curve of the censoring times at each time, to the power −2; None where 0."""
    out = []
    for t in time:
        G = Fraction(1)
        for u in sorted(set(time)):
            if u <= t:
                censored = sum(x == u and not e for x, e in zip(time, event, strict=True))
                events = sum(x == u and bool(e) for x, e in zip(time, event, strict=True))
                at_risk = sum(x >= u for x in time) - events
                G *= 1 - Fraction(censored, at_risk) if censored else 1
        out.append(1 / G**2 if G else None)
    return out


def sums(pairs, s, loss):
    """Return the value, the derivatives c in the scores, and the active mass A."""
    n = len(s)
    value, c, A = Fraction(0), [Fraction(0)] * n, Fraction(0)
    for (i, j), weight in pairs.items():
        z = 1 - Fraction(s[i]) + Fraction(s[j])
        if loss == "hinge":
            value += weight * max(z, 0)
            slope = weight * (z > 0)
        else:
            z = z if loss == "square" or z > 0 else Fraction(0)
            value += weight * z * z
            slope = 2 * weight * z
        A += weight * (z > 0)
        c[i] -= slope
        c[j] += slope
    return value, c, A


def bend(pairs, s, u, loss="squared"):
    """Return D u with the second derivatives D of the squared hinge, or of the square."""
    out = [Fraction(0)] * len(s)
    for (i, j), weight in pairs.items():
        if loss == "square" or 1 - Fraction(s[i]) + Fraction(s[j]) > 0:
            out[i] += 2 * weight * (Fraction(u[i]) - Fraction(u[j]))
            out[j] += 2 * weight * (Fraction(u[j]) - Fraction(u[i]))
    return out


def concordance(pairs, s):
    A, B = [Fraction(0)] * len(s), [Fraction(0)] * len(s)
    for (i, j), weight in pairs.items():
        k = Fraction(1) if s[i] > s[j] else Fraction(1, 2) if s[i] == s[j] else Fraction(0)
        for r in (i, j):
            A[r] += weight * k
            B[r] += weight
    return sum(A) / 2, A, B
