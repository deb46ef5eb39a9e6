"""Pairs as a dict {(i, j): weight} of fractions, written from the definitions, not from blocks."""

from __future__ import annotations

from fractions import Fraction as F


def scaled(pairs):
    total = sum(pairs.values())
    return {pair: weight / total for pair, weight in pairs.items() if weight}


def of_groups(y, group, v, each="pair"):
    pairs = {
        (i, j): F(v[i]) * F(v[j])
        for i in range(len(y))
        for j in range(len(y))
        if y[i] > 0 > y[j] and group[i] == group[j]
    }
    if each == "group":
        masses = {}
        for (i, _), weight in pairs.items():
            masses[group[i]] = masses.get(group[i], F(0)) + weight
        pairs = {(i, j): weight / masses[group[i]] for (i, j), weight in pairs.items()}
    return scaled(pairs) if pairs else {}


def of_times(time, event, v, tau=None, a=None):
    """Comparable pairs; a: what each event counts besides."""
    n = len(time)
    a = [F(1)] * n if a is None else a

    def comparable(i, j):
        first = time[i] < time[j] or (time[i] == time[j] and not event[j])
        return i != j and event[i] and first and (tau is None or time[i] < tau)

    pairs = {
        (i, j): F(v[i]) * F(v[j]) * a[i] for i in range(n) for j in range(n) if comparable(i, j)
    }
    return scaled(pairs) if pairs else {}


def of_grades(y, v, each="pair", gain=None, group=None):
    n = len(y)
    group = [0] * n if group is None else group
    mass = {}
    for k in range(n):
        mass[group[k], y[k]] = mass.get((group[k], y[k]), F(0)) + F(v[k])

    def weight(i, j):
        whole = F(v[i]) * F(v[j]) * (1 if gain is None else gain(y[i]) - gain(y[j]))
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
    total, out, left = sum(F(v[r]) for r in rows), {}, F(room)
    for r in sorted(rows, key=lambda r: (-sign * s[r], r)):
        mass = min(F(v[r]) / total, left)
        out[r], left = mass / F(room), left - mass
    return out


def of_range(y, s, v, group, beta, alpha):
    """Return {(i, j): weight} of the range, as fractions, of each group by its mass."""
    pairs, masses = {}, {}
    for g in {*group.tolist()}:
        up, low = ([r for r in range(len(y)) if group[r] == g and y[r] == e] for e in (1, -1))
        if not (up and low):
            continue
        masses[g] = sum(F(v[r]) for r in up) * sum(F(v[r]) for r in low)
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
        G = F(1)
        for u in sorted(set(time)):
            if u <= t:
                censored = sum(x == u and not e for x, e in zip(time, event, strict=True))
                events = sum(x == u and bool(e) for x, e in zip(time, event, strict=True))
                at_risk = sum(x >= u for x in time) - events
                G *= 1 - F(censored, at_risk) if censored else 1
        out.append(1 / G**2 if G else None)
    return out


def sums(pairs, s, loss):
    """Return the value, the derivatives c in the scores, and the active mass A."""
    n = len(s)
    value, c, A = F(0), [F(0)] * n, F(0)
    for (i, j), weight in pairs.items():
        z = 1 - F(s[i]) + F(s[j])
        if loss == "hinge":
            value += weight * max(z, 0)
            slope = weight * (z > 0)
        else:
            z = z if loss == "square" or z > 0 else F(0)
            value += weight * z * z
            slope = 2 * weight * z
        A += weight * (z > 0)
        c[i] -= slope
        c[j] += slope
    return value, c, A


def bend(pairs, s, u, loss="squared"):
    """Return D u with the second derivatives D of the squared hinge, or of the square."""
    out = [F(0)] * len(s)
    for (i, j), weight in pairs.items():
        if loss == "square" or 1 - F(s[i]) + F(s[j]) > 0:
            out[i] += 2 * weight * (F(u[i]) - F(u[j]))
            out[j] += 2 * weight * (F(u[j]) - F(u[i]))
    return out


def concordance(pairs, s):
    A, B = [F(0)] * len(s), [F(0)] * len(s)
    for (i, j), weight in pairs.items():
        k = F(1) if s[i] > s[j] else F(1, 2) if s[i] == s[j] else F(0)
        for r in (i, j):
            A[r] += weight * k
            B[r] += weight
    return sum(A) / 2, A, B
