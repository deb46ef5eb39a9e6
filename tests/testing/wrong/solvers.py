"""Solvers with one small mistake each, as authors outside make them.

The first classes are right; the others change one method of one of them.
"""

from __future__ import annotations

import ctypes
import tempfile
from dataclasses import dataclass, replace
from itertools import count
from math import sqrt
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from threadpoolctl import threadpool_info

from aucbench.contract import Model, Needs, Problem, Solver, State, count_rows
from aucbench.data import ALL
from aucbench.data.arrays import Rows
from aucbench.metrics import auc
from aucbench.objectives import Logistic, PairwiseSquare
from aucbench.optim import lipschitz
from aucbench.projectors import Box, ElasticNet

# --- right -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Descent(Solver):
    """Proximal gradient descent: w ← Π(w − γ ∇f(w)), γ = 1/L."""

    lam: float = 0.1

    space: ClassVar = {"lam": (0.01, 0.1, 1.0)}
    needs: ClassVar = Needs(
        frozenset({"any-objective", "any-projector", "warm-start", "weights", "group-pairs"})
    )

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data), ElasticNet(l1=0.0, l2=self.lam))

    def iterates(self, problem, w0, rng, budget):
        w, gamma = w0, 1 / lipschitz(problem.objective, [ALL], rng)
        for t in count(1):
            w = self.step(problem, w, gamma, t, budget)
            yield State(self.told(problem, w))

    def step(self, problem, w, gamma, t, budget):
        return problem.project(w - gamma * self.gradient(problem, w), gamma)

    def gradient(self, problem, w):
        return problem.objective.grad(w)

    def told(self, problem, w):
        return w


@dataclass(frozen=True)
class Saga(Solver):
    """SAGA over blocks: each step replaces the gradient of one block in a table."""

    size: int = 8
    lam: float = 0.01

    space: ClassVar = {"lam": (0.001, 0.01, 0.1)}
    needs: ClassVar = Needs(frozenset({"any-projector", "warm-start"}))

    def problem(self, data, rng, budget):
        data.require_no_weights("saga")
        return Problem(PairwiseSquare(data), ElasticNet(l1=0.0, l2=self.lam))

    def blocks(self, n, rng):
        order = rng.permutation(n).astype(np.int32)
        return [order[lo : lo + self.size] for lo in range(0, n, self.size)]

    def iterates(self, problem, w0, rng, budget):
        f, project, w = problem.objective, problem.project, w0
        blocks = self.blocks(f.data.n, rng)
        share = np.array([block.size for block in blocks]) / sum(b.size for b in blocks)
        gamma = 1 / (3 * lipschitz(f, blocks, rng))
        table = np.array([f.grad(w, block) for block in blocks])
        mean = share @ table
        while True:
            for b in rng.choice(share.size, share.size, p=share):
                g = f.grad(w, blocks[b])
                w = project(w - gamma * (g - table[b] + mean), gamma)
                mean = mean + share[b] * (g - table[b])
                table[b] = g
            yield State(w)


@dataclass(frozen=True)
class Conjugate(Solver):
    """Conjugate gradients on the square with a ridge, whose convexity gives a gap."""

    lam: float = 0.1

    space: ClassVar = {"lam": (0.001, 0.01, 0.1, 1.0)}
    needs: ClassVar = Needs(frozenset({"warm-start", "weights"}))

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data), ElasticNet(l1=0.0, l2=self.lam))

    def ridge(self):
        return self.lam

    def iterates(self, problem, w0, rng, budget):
        f, lam, w = problem.objective, self.ridge(), w0
        r = -(f.grad(w) + lam * w)
        p = r.copy()
        for _ in range(2 * w.size + 10):
            bend = float(p @ f.curvature(p)) + lam * float(p @ p)
            if not bend > 0:
                break
            w = w + float(r @ p) / bend * p
            r = -(f.grad(w) + lam * w)
            p = r - float(r @ (f.curvature(p) + lam * p)) / bend * p
            e, eta = f.rounding(w)
            yield State(w, gap=(float(np.linalg.norm(r)) + eta) ** 2 / (2 * lam) + 2 * e)
        else:
            return
        yield State(w)


@dataclass(frozen=True)
class Closed(Solver):
    """The exact minimum of the square with a ridge, from the smaller of two systems."""

    lam: float = 1.0

    space: ClassVar = {"lam": (0.01, 0.1, 1.0)}

    def problem(self, data, rng, budget):
        data.require_no_weights("closed")
        return Problem(PairwiseSquare(data), ElasticNet(l1=0.0, l2=self.lam))

    def iterates(self, problem, w0, rng, budget):
        data, lam = problem.data, self.lam / 2
        X, positive = self.matrix(data), data.y > 0
        A = np.vstack(
            [*(self.centred(X[side]) for side in (positive, ~positive)), np.zeros(data.d)]
        )
        A[-1] = X[positive].mean(axis=0) - X[~positive].mean(axis=0)
        target = np.zeros(len(A))
        target[-1] = 1.0
        count_rows(data.n)
        return State(self.solved(A, target, lam))

    def matrix(self, data):
        return data.rows.dense().matrix

    def centred(self, X):
        return (X - X.mean(axis=0)) / sqrt(len(X))

    def solved(self, A, target, lam):
        if A.shape[0] < A.shape[1]:
            return A.T @ np.linalg.solve(A @ A.T + lam * np.eye(len(A)), target)
        return np.linalg.solve(A.T @ A + lam * np.eye(A.shape[1]), A.T @ target)


@dataclass(frozen=True)
class Line(Model):
    """Scores by weights of raw rows, and a constant."""

    w: np.ndarray
    keeps_rows: ClassVar = False

    def scores(self, rows: Rows):
        return rows.matrix @ self.w


@dataclass
class Sum(Model):
    """A sum of decision stumps (column, threshold, left, right)."""

    stumps: list[tuple[int, float, float, float]]
    keeps_rows: ClassVar = False

    def scores(self, rows):
        X, s = rows.dense().matrix, np.zeros(rows.n)
        for j, at, left, right in self.stumps:
            s += np.where(X[:, j] <= at, left, right)
        return s


@dataclass(frozen=True)
class Boosted(Solver):
    """Stumps, each fitted to what those before leave of the labels."""

    rate: float = 0.5

    space: ClassVar = {"rate": (0.1, 0.5)}

    def problem(self, data, rng, budget):
        data.require_no_weights("boosted")
        return Problem(train=data)

    def iterates(self, problem, w0, rng, budget):
        data = problem.data
        X = data.rows.dense().matrix
        rest, stumps = data.y - data.y.mean(), []
        for _ in range(200):
            stump = _best_stump(X, rest, self.rate)
            stumps.append(stump)
            rest = rest - Sum([stump]).scores(data.rows)
            count_rows(data.n)
            yield State(model=self.model(stumps))

    def model(self, stumps):
        return Sum(list(stumps))


def _best_stump(X: Any, rest: Any, rate: float) -> tuple[int, float, float, float]:
    """The stump at the median or the quartiles of a column that explains most."""
    best, most = (0, float(np.inf), rate * float(rest.mean()), 0.0), -1.0
    for j, ats in enumerate(np.quantile(X, (0.25, 0.5, 0.75), axis=0).T):
        for at in ats:
            low = X[:, j] <= at
            k = int(low.sum())
            if 0 < k < low.size:
                left, right = float(rest[low].mean()), float(rest[~low].mean())
                gain = k * left**2 + (low.size - k) * right**2
                if gain > most + 1e-9:
                    most, best = gain, (j, float(at), rate * left, rate * right)
    return best


# --- it does not minimise what it lists ---------------------------------------------------


class FrozenAfterPass3(Descent):
    def step(self, problem, w, gamma, t, budget):
        moved = super().step(problem, w, gamma, t, budget)
        return moved if t <= 3 else w


class WrongStepAfterPass20(Descent):
    def step(self, problem, w, gamma, t, budget):
        return super().step(problem, w, gamma if t <= 20 else 3 * gamma, t, budget)


class WrongStepOfLargeBudget(Descent):
    def step(self, problem, w, gamma, t, budget):  # to halve every 500 / passes passes
        halved = int(t * (budget.passes or 0.0)) // 500
        return super().step(problem, w, gamma * 0.5**halved, t, budget)


class LambdaTimesN(Descent):
    def step(self, problem, w, gamma, t, budget):
        n = problem.data.n
        return problem.project(w - gamma * problem.objective.grad(w), gamma * n)


class LastColumnLeftOut(Descent):
    def gradient(self, problem, w):
        g = problem.objective.grad(w)
        g[-1] = 0.0  # "the intercept"
        return g


class LastBatchLeftOut(Saga):
    def blocks(self, n, rng):
        size = min(32, n)
        return [slice_of(i * size, (i + 1) * size) for i in range(n // size)]


class OffByOneInBlocks(Saga):
    def blocks(self, n, rng):
        return [
            slice_of(lo, max(lo + 1, min(n, lo + self.size) - 1)) for lo in range(0, n, self.size)
        ]


def slice_of(lo: int, hi: int) -> Any:
    return np.arange(lo, hi, dtype=np.int32)


@dataclass(frozen=True)
class ZeroOneLabels(Solver):
    """Logistic regression whose gradient is that of −1 and 1, with labels 0 and 1."""

    lam: float = 0.01

    space: ClassVar = {"lam": (0.001, 0.01, 0.1)}
    needs: ClassVar = Needs(frozenset({"warm-start"}))

    def problem(self, data, rng, budget):
        return Problem(Logistic(data), ElasticNet(l1=0.0, l2=self.lam))

    def iterates(self, problem, w0, rng, budget):
        data, w = problem.data, w0
        y = (data.y > 0).astype(float)
        gamma = 1 / lipschitz(problem.objective, [ALL], rng)
        while True:
            margins = y * data.scores(w)
            g = data.pullback(-y / (1 + np.exp(np.minimum(margins, 700.0))) / data.n)
            w = problem.project(w - gamma * g, gamma)
            yield State(w)


class RescaledScores(Descent):
    needs: ClassVar = Needs(frozenset({"warm-start", "weights"}))

    def told(self, problem, w):
        return w / (np.linalg.norm(w) or 1.0)


class BestTrainingAuc(Descent):
    def iterates(self, problem, w0, rng, budget):
        best, most = w0.copy(), 0.0
        for state in super().iterates(problem, w0, rng, budget):
            here = auc(problem.data.y, problem.data.scores(state.w))
            if here > most:
                best, most = state.w.copy(), here
            yield State(best)


class DependsOnOrder(Descent):
    """It takes the first 80 % of the rows as the training rows."""

    needs: ClassVar = Needs(frozenset({"warm-start"}))

    def problem(self, data, rng, budget):
        data.require_no_weights("depends-on-order")
        least = int(np.argmax(data.y > 0)), int(np.argmax(data.y < 0))
        some = np.arange(max(int(0.8 * data.n), *least, 1) + 1)[: data.n]
        first = data.take(some.astype(np.int32))
        return Problem(PairwiseSquare(first), ElasticNet(l1=0.0, l2=self.lam))


class FewRowsOnly(Closed):
    """Its dual system, for fewer rows than columns, has nλ for λ."""

    def solved(self, A, target, lam):
        if A.shape[0] < A.shape[1]:
            return A.T @ np.linalg.solve(A @ A.T + len(A) * lam * np.eye(len(A)), target)
        return super().solved(A, target, lam)


class ManyRowsOnly(Descent):
    """From 20 000 rows on it reads some rows, and scales them as if f were a sum."""

    def gradient(self, problem, w):
        n = problem.data.n
        if n <= 20_000:
            return super().gradient(problem, w)
        return n / 10_000 * problem.objective.grad(w, slice(0, n, n // 10_000))


class CsrDiffers(Closed):
    """Columns of sparse rows are divided by the number of the entries that are stored."""

    def matrix(self, data):
        if not data.rows.is_sparse:
            return super().matrix(data)
        X = data.rows.matrix
        return X.toarray() * (data.n / np.maximum(1, X.tocsc().indptr[1:] - X.tocsc().indptr[:-1]))


class SingleDigits(Descent):
    """The sums of scores are float32, and so is the value that it yields."""

    def iterates(self, problem, w0, rng, budget):
        for state in super().iterates(problem, w0, rng, budget):
            s = problem.data.scores(state.w).astype(np.float32)
            state.value = self.of_scores(problem, s) + problem.project.value(state.w)
            yield state

    needs: ClassVar = Needs(frozenset({"any-projector", "warm-start"}))

    def problem(self, data, rng, budget):
        data.require_no_weights("single-digits")
        return super().problem(data, rng, budget)

    def of_scores(self, problem, s):
        positive = problem.data.y > 0
        up, down = s[positive], s[~positive]
        return float(up.var() + down.var() + (1 - up.mean() + down.mean()) ** 2)


# --- gaps and starts ---------------------------------------------------------------------


class FalseGapAtTheEnd(Conjugate):
    def ridge(self):
        return max(self.lam, 0.005)  # for the condition of the system; 0.001 is in `space`


class FalseGapBeyond(Conjugate):
    space: ClassVar = {"lam": (0.01, 0.1, 1.0)}

    def ridge(self):
        return max(self.lam, 0.005)  # `space` ends at 0.01


class WarmStartElsewhere(Descent):
    """The ridge pulls to the start, and not to 0: both are the same from 0."""

    needs: ClassVar = Needs(frozenset({"warm-start", "weights"}), path="lam")

    def iterates(self, problem, w0, rng, budget):
        f, lam, w = problem.objective, self.lam, w0.copy()
        gamma = 1 / (lipschitz(f, [ALL], rng) + lam)
        while True:
            w = w - gamma * (f.grad(w) + lam * (w - w0))
            yield State(w)


class IgnoresStart(Descent):
    needs: ClassVar = Needs(frozenset({"any-objective", "warm-start", "weights"}), path="lam")

    def iterates(self, problem, w0, rng, budget):
        return super().iterates(problem, np.zeros(problem.data.d), rng, budget)


# --- it disturbs, or is disturbed ---------------------------------------------------------


class OneLiveModel(Boosted):
    def model(self, stumps):
        return Sum(stumps)


class GlobalRandom(Saga):
    def blocks(self, n, rng):
        order = np.random.permutation(n).astype(np.int32)  # noqa: NPY002
        return [order[lo : lo + self.size] for lo in range(0, n, self.size)]


_known: dict[int, np.ndarray] = {}


class KeepsItsLastFit(Descent):
    def iterates(self, problem, w0, rng, budget):
        d = problem.data.d
        for state in super().iterates(problem, _known.get(d, w0).copy(), rng, budget):
            _known[d] = state.w.copy()
            yield state


class ReadsTheClock(Descent):
    def step(self, problem, w, gamma, t, budget):
        end = perf_counter() + 5e-4
        while perf_counter() < end:
            w = super().step(problem, w, gamma, t, budget)
        return w


class ChangesData(Closed):
    """Its compiled library centres the rows where they are."""

    def matrix(self, data):
        X = super().matrix(data)
        pointer = ctypes.cast(X.ctypes.data, ctypes.POINTER(ctypes.c_double))
        own = np.ctypeslib.as_array(pointer, X.shape)
        own -= own.mean(axis=0)
        return own


class RowsUncounted(Descent):
    needs: ClassVar = Needs(frozenset({"any-projector", "warm-start"}))

    def problem(self, data, rng, budget):
        return Problem(Logistic(data), ElasticNet(l1=0.0, l2=self.lam))

    def iterates(self, problem, w0, rng, budget):
        X, y, w = problem.data.rows.matrix, problem.data.y, w0
        gamma = 4 * y.size / max(1e-300, float((X * X).sum()))
        while True:
            c = -y / (1 + np.exp(np.clip(y * (X @ w), -700.0, 700.0)))
            w = problem.project(w - gamma * (X.T @ c) / y.size, gamma)
            yield State(w)


class ThreadsMatter(Descent):
    """Each thread descends on its own rows, and the means of their weights are taken."""

    needs: ClassVar = Needs(frozenset({"warm-start"}))

    def problem(self, data, rng, budget):
        data.require_no_weights("threads-matter")
        return Problem(train=data)

    def iterates(self, problem, w0, rng, budget):
        data, w = problem.data, w0
        f = PairwiseSquare(data)
        threads = max((each["num_threads"] for each in threadpool_info()), default=1)
        parts = data.blocks(min(threads, max(1, data.n // 20)))
        gamma = 0.5 / lipschitz(f, parts, rng)
        while True:
            ends = [w.copy() for _ in parts]
            for end, part in zip(ends, parts, strict=True):
                for _ in range(3):
                    end -= gamma * f.grad(end, part)
            w = np.mean(ends, axis=0)
            yield State(w)


class LeavesFiles(Descent):
    def iterates(self, problem, w0, rng, budget):
        with tempfile.NamedTemporaryFile(suffix=".trace", delete=False) as file:
            for state in super().iterates(problem, w0, rng, budget):
                file.write(state.w.tobytes())
                yield state


# --- it breaks on some rows ---------------------------------------------------------------


class OnePositiveOnly(Closed):
    def centred(self, X):
        return (X - X.mean(axis=0)) / sqrt(len(X) - 1 or np.nan)  # the unbiased variance


class ConstantColumnOnly(Closed):
    """It divides columns by their deviation, and multiplies back."""

    def solved(self, A, target, lam):
        with np.errstate(all="ignore"):
            scale = A.std(axis=0)
            return super().solved(A / scale, target, lam) / scale

    def problem(self, data, rng, budget):
        data.require_no_weights("constant-column")
        return Problem(train=data)


# --- what it declares is false ------------------------------------------------------------


class ValueLies(Descent):
    def iterates(self, problem, w0, rng, budget):
        for state in super().iterates(problem, w0, rng, budget):
            state.value = problem.objective.value(state.w)  # without Ω
            yield state


class WeightsIgnored(ZeroOneLabels):
    """Its own gradient is right, and knows no weights of rows."""

    needs: ClassVar = Needs(frozenset({"warm-start", "weights"}))

    def problem(self, data, rng, budget):
        return Problem(train=data)

    def iterates(self, problem, w0, rng, budget):
        data, w = problem.data, w0
        alike = replace(data, target=replace(data.target, weights=None))
        f, project = Logistic(alike), ElasticNet(l1=0.0, l2=self.lam)
        gamma = 1 / lipschitz(f, [ALL], rng)
        while True:
            w = project(w - gamma * f.grad(w), gamma)
            yield State(w)


class PairsIgnored(Descent):
    def problem(self, data, rng, budget):
        everything = replace(data, pairs=None)
        return Problem(PairwiseSquare(everything), ElasticNet(l1=0.0, l2=self.lam))


class ShapesIgnored(Descent):
    needs: ClassVar = Needs(frozenset({"any-objective", "warm-start", "shapes"}))

    def problem(self, data, rng, budget):
        data.require_no_weights("shapes-ignored")
        return Problem(PairwiseSquare(data), Box(-5.0, 5.0))


class ProjectorIgnored(Descent):
    def step(self, problem, w, gamma, t, budget):
        return (w - gamma * self.gradient(problem, w)) / (1 + gamma * self.lam)


class ObjectiveIgnored(Descent):
    def gradient(self, problem, w):
        return PairwiseSquare(problem.data).grad(w)
