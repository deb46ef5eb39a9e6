"""Solvers without a mistake, as authors outside make them: no law is broken by any."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, ClassVar, Literal

import numpy as np

from aucbench.contract import FeatureMap, Model, Needs, Problem, Solver, State, count_rows
from aucbench.data import ALL
from aucbench.data.arrays import rows
from aucbench.errors import DataError, require_above, require_at_least, require_count
from aucbench.metrics import auc
from aucbench.objectives import Logistic, PairwiseSquare, PairwiseSquaredHinge
from aucbench.optim import lipschitz, passes, reported
from aucbench.projectors import ElasticNet, L2Ball, TopK


@dataclass(frozen=True)
class ScipyLbfgs(Solver):
    """L-BFGS of SciPy, which calls back after each step."""

    memory: int = 10
    lam: float = 1e-3

    space: ClassVar = {"lam": (1e-4, 1e-3, 1e-2), "memory": (5, 10)}
    needs: ClassVar = Needs(frozenset({"any-objective", "warm-start"}), packages=("scipy",))

    def __post_init__(self):
        require_count(1, memory=self.memory)
        require_above(0, lam=self.lam)

    def problem(self, data, rng, budget):
        return Problem(Logistic(data), ElasticNet(l1=0.0, l2=self.lam))

    def iterates(self, problem, w0, rng, budget):
        from scipy.optimize import minimize

        f, ridge = problem.objective, problem.project.l2

        def both(w):
            return f.value(w) + ridge / 2 * float(w @ w), f.grad(w) + ridge * w

        def run(report):
            options = {"maxcor": self.memory, "ftol": 0.0, "gtol": 1e-10, "maxiter": 10_000}
            end = minimize(
                both, w0, jac=True, method="L-BFGS-B", options=options, callback=lambda w: report(w)
            )
            report(end.x)

        return reported(run)


@dataclass(frozen=True)
class GreedySparse(Solver):
    """Forward selection by gradients, then swaps as in abess; least squares on what is chosen."""

    k: int = 3

    space: ClassVar = {"k": (2, 3, 5)}

    def __post_init__(self):
        require_count(1, k=self.k)

    def problem(self, data, rng, budget):
        data.require_no_weights("greedy-sparse")
        return Problem(PairwiseSquare(data), TopK(self.k))

    def iterates(self, problem, w0, rng, budget):
        f = problem.objective
        w, k = np.zeros_like(w0), min(self.k, w0.size)
        for _ in range(k):
            w = _fitted(f, {*np.flatnonzero(w), _steepest(f.grad(w), w == 0)})
            yield State(w)
        for _ in range(20):
            value, g = f.value(w), f.grad(w)
            own = np.flatnonzero(w)
            if own.size == 0 or own.size == w.size:
                return
            bend = np.array([float(f.curvature(_unit(w.size, j))[j]) for j in own])
            out = own[int(np.argmin(bend * w[own] ** 2))]
            other = _fitted(f, {*own, _steepest(g, w == 0)} - {out})
            if not f.value(other) < value * (1 - 1e-9):
                return
            w = other
            yield State(w)


def _steepest(g: Any, free: Any) -> int:
    return int(np.argmax(np.where(free, np.abs(g), -1.0)))


def _unit(d: int, j: int) -> Any:
    return np.eye(1, d, j)[0]


def _fitted(f: Any, chosen: Any) -> Any:
    """The minimum of a square over some columns."""
    own, d = sorted(map(int, chosen)), f.data.d
    H = np.array([f.curvature(_unit(d, j))[own] for j in own])
    w = np.zeros(d)
    w[own] = np.linalg.lstsq(H, -f.grad(w)[own], rcond=None)[0]
    return w


@dataclass(frozen=True)
class MomentumBatches(Solver):
    """Batches with as many positives as their share, and momentum; steps fall, as in LibAUC."""

    batch: int = 16
    beta: float = 0.9

    space: ClassVar = {"beta": (0.0, 0.5, 0.9), "batch": (16, 32)}

    def __post_init__(self):
        require_count(2, batch=self.batch)
        require_at_least(0, beta=self.beta)

    def problem(self, data, rng, budget):
        data.require_no_weights("momentum-batches")
        return Problem(PairwiseSquaredHinge(data), ElasticNet(l1=0.0, l2=1e-3))

    def iterates(self, problem, w0, rng, budget):
        f, project, n = problem.objective, problem.project, problem.data.n
        groups = [np.flatnonzero(problem.data.y == side).astype(np.int32) for side in (1, -1)]
        count_of = max(1, n // self.batch)
        gamma = 1 / lipschitz(f, [ALL], rng)
        w, move = w0, np.zeros_like(w0)
        mean = w.copy()
        for t in count():
            step = gamma * (1 - self.beta) / (1 + t / 20) ** 0.7
            drawn = [np.array_split(rng.permutation(g), count_of) for g in groups]
            for up, down in zip(*drawn, strict=True):
                some = [
                    p if p.size else rng.choice(g, 1)
                    for p, g in zip((up, down), groups, strict=True)
                ]
                move = self.beta * move - step * f.grad(w, np.concatenate(some))
                w = project(w + move, step)
            mean = mean + (w - mean) * min(1.0, 4 / (t + 4))  # of the last passes mostly
            yield State(mean)


@dataclass(frozen=True)
class StopsEarly(Solver):
    """Gradient descent, which keeps the weights of the highest AUC on held-out rows."""

    share: float = 0.2

    space: ClassVar = {"share": (0.1, 0.2, 0.3)}
    needs: ClassVar = Needs(frozenset({"warm-start"}))

    def __post_init__(self):
        require_above(0, share=self.share)

    def problem(self, data, rng, budget):
        data.require_no_weights("stops-early")
        try:
            rest, held = data.split(self.share, rng)
        except DataError:  # a class has too few rows to be divided
            rest, held = data, data
        return Problem(PairwiseSquare(rest), holdout=held, early_stopping=True)

    def iterates(self, problem, w0, rng, budget):
        f, held, w = problem.objective, problem.holdout, w0
        gamma = 1 / lipschitz(f, [ALL], rng)
        best, most = w0.copy(), -1.0
        while True:
            w = w - gamma * f.grad(w)
            here = auc(held.y, held.scores(w))
            if here > most:
                best, most = w.copy(), here
            yield State(best)


@dataclass
class Memory:
    """What `Stream` has learnt."""

    w: Any
    sums: Any
    t: int = 0


@dataclass(frozen=True)
class Stream(Solver):
    """AdaGrad on the logistic loss, row by row."""

    eta: float = 0.3

    space: ClassVar = {"eta": (0.1, 0.3, 1.0)}
    needs: ClassVar = Needs(frozenset({"warm-start", "chunks"}))

    def __post_init__(self):
        require_above(0, eta=self.eta)

    def problem(self, data, rng, budget):
        if data.weights is not None:
            data.require_no_weights("stream")
        return Problem(train=data)

    def start(self, w, rng):
        return Memory(w, np.zeros(w.size))

    def update(self, memory, chunk, order):
        X, y = chunk.rows.dense().matrix, chunk.y
        count_rows(order.size)
        for i in order:
            x, memory.t = X[i], memory.t + 1
            slope = -y[i] * (0.5 - 0.5 * np.tanh(0.5 * y[i] * (x @ memory.w)))
            g = slope * x
            memory.sums += g * g
            memory.w -= self.eta * g / np.sqrt(np.where(memory.sums > 0, memory.sums, 1.0))

    def weights(self, memory):
        return memory.w

    def iterates(self, problem, w0, rng, budget):
        return passes(self, problem, w0, rng, shuffle=True)


@dataclass(frozen=True)
class Classifier(Model):
    """What a classifier of scikit-learn has learnt."""

    estimator: Any

    def scores(self, rows_):
        ratio = self.estimator.predict_joint_log_proba(rows_.dense().matrix)
        return ratio[:, 1] - ratio[:, 0]


@dataclass(frozen=True)
class NaiveBayes(Solver):
    """Gaussian naive Bayes of scikit-learn."""

    smoothing: float = 1e-9

    space: ClassVar = {"smoothing": (1e-9, 1e-3, 1e-1)}
    needs: ClassVar = Needs(frozenset({"weights"}), packages=("sklearn",))

    def __post_init__(self):
        require_above(0, smoothing=self.smoothing)

    def iterates(self, problem, w0, rng, budget):
        from sklearn.naive_bayes import GaussianNB  # a slow import

        data = problem.data
        X = data.rows.dense().matrix
        if not np.ptp(X, axis=0).any():
            return State(np.zeros(data.d))
        estimator = GaussianNB(var_smoothing=self.smoothing)
        estimator.fit(X, (data.y > 0).astype(int), data.weights)
        count_rows(data.n)
        return State(model=Classifier(estimator))


@dataclass(frozen=True)
class Coordinates(Solver):
    """Coordinate descent on the square with an elastic net, with a gap by its strong convexity."""

    l1: float = 0.01
    l2: float = 0.1

    space: ClassVar = {"l1": (0.001, 0.01, 0.1), "l2": (0.01, 0.1)}
    needs: ClassVar = Needs(frozenset({"warm-start", "weights"}))

    def __post_init__(self):
        require_at_least(0, l1=self.l1)
        require_above(0, l2=self.l2)

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data), ElasticNet(l1=self.l1, l2=self.l2))

    def iterates(self, problem, w0, rng, budget):
        f, w = problem.objective, w0
        scale = _bends(f.data)
        g = f.grad(w)
        while True:
            for j in np.flatnonzero(scale > 0):
                new = w[j] - g[j] / scale[j]
                shrunk = np.sign(new) * max(0.0, abs(new) - self.l1 / scale[j])
                shrunk /= 1 + self.l2 / scale[j]
                if shrunk != w[j]:
                    g = g + f.curvature((shrunk - w[j]) * _unit(w.size, j))
                    w[j] = shrunk
            w[scale == 0] = 0.0
            g = f.grad(w)
            e, eta = f.rounding(w)
            least = g + self.l2 * w
            least = np.where(
                w != 0,
                least + self.l1 * np.sign(w),
                np.sign(least) * np.maximum(0.0, np.abs(least) - self.l1),
            )
            length = float(np.linalg.norm(least)) + eta
            yield State(w, gap=length**2 / (2 * self.l2) + 2 * e)


def _bends(data: Any) -> Any:
    """The diagonal of the Hessian of the square."""
    v = np.ones(data.n) if data.weights is None else data.weights
    X, positive = data.rows.dense().matrix, data.y > 0
    sums = np.zeros(data.d)
    means = []
    for side in (positive, ~positive):
        share = v[side] / v[side].sum()
        means.append(share @ X[side])
        sums += share @ (X[side] - means[-1]) ** 2
    count_rows(data.n)
    return 2 * (sums + (means[0] - means[1]) ** 2)


@dataclass(frozen=True)
class FrankWolfe(Solver):
    """Frank–Wolfe in a ball with the exact step of a square; its gap is a certificate."""

    radius: float = 1.0

    space: ClassVar = {"radius": (0.1, 1.0, 10.0)}
    needs: ClassVar = Needs(frozenset({"weights"}))

    def __post_init__(self):
        require_above(0, radius=self.radius)

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data), L2Ball(self.radius))

    def iterates(self, problem, w0, rng, budget):
        f, w, R = problem.objective, np.zeros_like(w0), self.radius
        while True:
            g = f.grad(w)
            length = float(np.linalg.norm(g))
            e, eta = f.rounding(w)
            yield State(
                w,
                gap=float(g @ w) + R * length * (1 + 1e-12) + 2 * R * eta + 2 * e,
                residual=length,
            )
            if length == 0:
                return
            move = -R / length * g - w
            bend = float(move @ f.curvature(move))
            if not bend > 0:
                return
            w = w + min(1.0, max(0.0, -float(g @ move) / bend)) * move


@dataclass(frozen=True)
class Tree(Model):
    """A tree in arrays: column, threshold, children, values."""

    column: Any
    at: Any
    left: Any
    right: Any
    value: Any
    keeps_rows: ClassVar = False

    def scores(self, rows_):
        X, node = rows_.dense().matrix, np.zeros(rows_.n, int)
        while (inner := self.column[node] >= 0).any():
            here = node[inner]
            low = X[inner, self.column[here]] <= self.at[here]
            node[inner] = np.where(low, self.left[here], self.right[here])
        return self.value[node]


@dataclass(frozen=True)
class OwnTree(Solver):
    """A tree of Gini splits; the score of a leaf is its share of positives."""

    depth: int = 4
    leaf: int = 2

    space: ClassVar = {"depth": (2, 3, 4), "leaf": (2, 5)}

    def __post_init__(self):
        require_count(1, depth=self.depth, leaf=self.leaf)

    def iterates(self, problem, w0, rng, budget):
        data = problem.data
        data.require_no_weights("own-tree")
        nodes: list[list[float]] = []
        X = data.rows.dense().matrix
        self._grown(nodes, X, data.y > 0, self.depth)
        count_rows(data.n * self.depth)
        column, at, left, right, value = (np.array(part) for part in zip(*nodes, strict=True))
        return State(model=Tree(column.astype(int), at, left.astype(int), right.astype(int), value))

    def _grown(self, nodes: Any, X: Any, up: Any, depth: int) -> int:
        """Append a subtree, and return where its root is."""
        here = len(nodes)
        nodes.append([-1, 0.0, 0, 0, (up.sum() + 0.5) / (up.size + 1.0)])
        found = self._split(X, up) if depth and 0 < up.sum() < up.size else None
        if found is not None:
            j, at = found
            low = X[:, j] <= at
            left = self._grown(nodes, X[low], up[low], depth - 1)
            right = self._grown(nodes, X[~low], up[~low], depth - 1)
            nodes[here] = [j, at, left, right, nodes[here][4]]
        return here

    def _split(self, X: Any, up: Any) -> tuple[int, float] | None:
        n, most, best = up.size, 1e-9, None
        for j in range(X.shape[1]):
            order = np.argsort(X[:, j], kind="stable")
            x, wins = X[order, j], np.cumsum(up[order])
            k = np.arange(1, n)
            ok = (x[1:] > x[:-1]) & (k >= self.leaf) & (n - k >= self.leaf)
            if not ok.any():
                continue
            p, q = wins[:-1] / k, (wins[-1] - wins[:-1]) / (n - k)
            gain = np.where(ok, k / n * (1 - k / n) * (p - q) ** 2, -1.0)
            i = int(np.argmax(gain))
            if gain[i] > most + 1e-12:
                most, best = float(gain[i]), (j, float(x[i]))
        return best


@dataclass(frozen=True)
class Neighbours(Model):
    """Shares of positives among the k nearest training rows."""

    X: Any
    up: Any
    k: int
    keeps_rows: ClassVar = True

    def scores(self, rows_):
        Z = rows_.dense().matrix
        out = np.empty(len(Z))
        for lo in range(0, len(Z), 64):
            part = Z[lo : lo + 64]
            far = ((part[:, None, :] - self.X[None]) ** 2).sum(axis=2)
            near = np.argsort(far, axis=1, kind="stable")[:, : self.k]
            limit = np.take_along_axis(far, near[:, -1:], axis=1)
            inside = far <= limit  # ties count all, so that the order of rows is no matter
            out[lo : lo + 64] = (inside * self.up).sum(axis=1) / inside.sum(axis=1)
        return out


@dataclass(frozen=True)
class NearestRows(Solver):
    """k nearest neighbours."""

    k: int = 7

    space: ClassVar = {"k": (3, 7, 15)}

    def __post_init__(self):
        require_count(1, k=self.k)

    def iterates(self, problem, w0, rng, budget):
        data = problem.data
        data.require_no_weights("nearest-rows")
        X = data.rows.dense().matrix.copy()
        count_rows(data.n)
        return State(model=Neighbours(X, (data.y > 0).astype(float), min(self.k, data.n)))


@dataclass(frozen=True)
class Marks(FeatureMap):
    """φ(x)_k = exp(−‖x − z_k‖²/2h²) of drawn training rows z_k; h is the spread of the rows."""

    rank: int = 40
    marks: Any = field(default=None, repr=False)
    width: float = 1.0

    keeps_rows: ClassVar = True

    def fit(self, data, rng):
        X = data.rows.dense().matrix
        drawn = np.sort(rng.choice(data.n, min(self.rank, data.n), replace=False))
        spread = float(np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()))
        return replace(self, marks=X[drawn].copy(), width=spread or 1.0)

    def __call__(self, rows_):
        X = rows_.dense().matrix
        far = np.array([((X - z) ** 2).sum(axis=1) for z in self.marks]).T
        return rows(np.exp(-far / (2 * self.width**2)))


@dataclass(frozen=True)
class LandmarkSvm(Solver):
    """The squared hinge over pairs of kernel columns of landmarks, by accelerated steps."""

    rank: int = 40
    lam: float = 1e-3

    space: ClassVar = {"rank": (20, 40), "lam": (1e-4, 1e-3, 1e-2)}

    def __post_init__(self):
        require_count(1, rank=self.rank)
        require_above(0, lam=self.lam)

    def problem(self, data, rng, budget):
        data.require_no_weights("landmark-svm")
        phi = Marks(self.rank).fit(data, rng)
        mapped = replace(data, rows=phi(data.rows), names=None, terms=None)
        return Problem(PairwiseSquaredHinge(mapped), ElasticNet(l1=0.0, l2=self.lam), phi)

    def iterates(self, problem, w0, rng, budget):
        return accelerated(problem, w0, rng)


def accelerated(problem: Problem, w0: Any, rng: Any, *, momentum: bool = True) -> Any:
    """Yield the steps of FISTA, which start again where momentum points uphill."""
    f, project = problem.objective, problem.project
    gamma = 0.99 / lipschitz(f, [ALL], rng)
    w = v = w0
    weight = 1.0
    while True:
        g = f.grad(v)
        new = project(v - gamma * g, gamma)
        if float((v - new) @ (new - w)) > 0:
            weight = 1.0
        larger = 0.5 + 0.5 * (1 + 4 * weight**2) ** 0.5
        v = new + (weight - 1) / larger * (new - w) if momentum else new.copy()
        w, weight = new, larger
        yield State(w)


@dataclass(frozen=True)
class LassoPath(Solver):
    """The lasso, each λ from the weights of its neighbour."""

    lam: float = 0.05

    space: ClassVar = {"lam": (0.2, 0.1, 0.05, 0.02)}
    needs: ClassVar = Needs(
        frozenset({"any-objective", "any-projector", "warm-start", "weights", "group-pairs"}),
        path="lam",
    )

    def __post_init__(self):
        require_at_least(0, lam=self.lam)

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data), ElasticNet(l1=self.lam, l2=0.0))

    def iterates(self, problem, w0, rng, budget):
        return accelerated(problem, w0, rng)


@dataclass(frozen=True)
class Fourier(FeatureMap):
    """Random Fourier features of the Gaussian kernel, of centred and scaled rows."""

    rank: int = 50
    mean: Any = field(default=None, repr=False)
    directions: Any = field(default=None, repr=False)
    phases: Any = field(default=None, repr=False)

    def fit(self, data, rng):
        X = data.rows.dense().matrix
        mean = X.mean(axis=0)
        spread = float(np.sqrt(((X - mean) ** 2).sum(axis=1).mean())) or 1.0
        directions = rng.normal(size=(data.d, self.rank)) / spread
        return replace(
            self, mean=mean, directions=directions, phases=rng.uniform(0, 2 * np.pi, self.rank)
        )

    def __call__(self, rows_):
        moved = rows_.dense().matrix - self.mean
        waves = np.cos(np.einsum("ij,jk->ik", moved, self.directions) + self.phases)
        return rows(waves * (2 / self.rank) ** 0.5)


@dataclass(frozen=True)
class RandomFeatures(Solver):
    """Logistic regression on random Fourier features."""

    rank: int = 100

    space: ClassVar = {"rank": (50, 100)}

    def __post_init__(self):
        require_count(1, rank=self.rank)

    def problem(self, data, rng, budget):
        data.require_no_weights("random-features")
        phi = Fourier(self.rank).fit(data, rng)
        mapped = replace(data, rows=phi(data.rows), names=None, terms=None)
        return Problem(Logistic(mapped), ElasticNet(l1=0.0, l2=1e-3), phi)

    def iterates(self, problem, w0, rng, budget):
        return accelerated(problem, w0, rng)


@dataclass(frozen=True)
class Averaged(Solver):
    """Gradient descent from the means, with k inner steps for each state."""

    inner: int = 2

    space: ClassVar = {"inner": (1, 2, 5)}
    needs: ClassVar = Needs(frozenset({"any-projector", "warm-start", "weights"}))

    def __post_init__(self):
        require_count(1, inner=self.inner)

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data), L2Ball(2.0))

    def iterates(self, problem, w0, rng, budget):
        f, project, w = problem.objective, problem.project, w0
        gamma = 1 / lipschitz(f, [ALL], rng)
        while True:
            for _ in range(self.inner):
                w = project(w - gamma * f.grad(w), gamma)
            yield State(w)


@dataclass(frozen=True)
class OneOfTwo(Solver):
    """Plain or accelerated gradient steps: a word chooses."""

    method: Literal["plain", "accelerated"] = "accelerated"
    lam: float = 0.01

    space: ClassVar = {"lam": (0.001, 0.01, 0.1), "method": ("plain", "accelerated")}
    needs: ClassVar = Needs(frozenset({"any-objective", "any-projector", "warm-start"}))

    def problem(self, data, rng, budget):
        data.require_no_weights("one-of-two")
        return Problem(PairwiseSquare(data), ElasticNet(l1=0.0, l2=self.lam))

    def iterates(self, problem, w0, rng, budget):
        return accelerated(problem, w0, rng, momentum=self.method == "accelerated")
