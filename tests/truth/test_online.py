"""Methods that learn row by row against their plain loops, on features that nobody scaled.

The loops run in extended precision, and once more in float64: that a kernel is no farther from
the truth than a plain loop tells its own errors from those of an ill-conditioned problem.
"""

from functools import partial

import numpy as np
import pytest
import reference
from layouts import LAYOUTS
from stepping import step_by_buffers, step_by_rows

from aucbench.data import Data
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench_plugins.online import fsauc, opauc, solam, spam, uni_exp
from aucbench_plugins.online.solam import SaddlePoint
from aucbench_plugins.online.spam import ProximalPoint
from aucbench_plugins.online.uni_exp import Univariate

pytestmark = pytest.mark.slow
OFFSETS = pytest.mark.parametrize("offset", [0.0, 1e2, 1e4, 1e6])
SCALES = pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
N, PASSES, SEED = 80, 3, 4
ORDER = np.arange(PASSES * N) % N
TIMES = 200.0  # errors of a plain loop that a kernel may make


def sample(offset, scale, d=6):
    rng = np.random.default_rng(7)
    y = np.where(rng.random(N) < 0.3, 1, -1)
    return scale * (offset + rng.normal(size=(N, d)) + 0.5 * y[:, None]), y


def check(spec, layout, X, y, loop):
    """Compare a solver with its loop, called with rows of either precision."""
    run = solve(get_solver(spec), Data.of(layout(X), y), passes=PASSES, seed=SEED, gap_tol=0.0)
    truth, plain = loop(X.astype(np.longdouble)), loop(X)
    size = float(np.linalg.norm(truth))
    allowed = TIMES * float(np.linalg.norm(plain - truth)) + 1e-9 * size

    assert size > 0.0
    assert float(np.linalg.norm(run.w - truth)) <= allowed


def draws():
    """The generator that `solve` hands to `iterates`."""
    return np.random.default_rng(SEED).spawn(2)[1]


@LAYOUTS
@OFFSETS
@SCALES
@pytest.mark.parametrize("xi", [1e-3, 1.0, 30.0])
def test_solam(layout, offset, scale, xi):
    X, y = sample(offset, scale)

    def loop(X):
        point = SaddlePoint.at(np.zeros(X.shape[1], X.dtype), None, xi=xi, R=10.0)
        return step_by_rows(solam.reference_update, point, X, y, ORDER).mean

    check(f"solam[xi={xi},R=10,shuffle=False]", layout, X, y, loop)


@LAYOUTS
@OFFSETS
@SCALES
@pytest.mark.parametrize("lam", [1e-3, 10.0])
def test_reg_solam(layout, offset, scale, lam):
    X, y = sample(offset, scale)

    def loop(X):
        start, R = np.zeros(X.shape[1], X.dtype), np.sqrt(2.0 / lam)
        point = SaddlePoint.at(start, None, xi=1.0, R=R, lam=lam)
        return step_by_rows(solam.reference_update, point, X, y, ORDER).mean

    check(f"reg-solam[xi=1,lam={lam},shuffle=False]", layout, X, y, loop)


@LAYOUTS
@OFFSETS
@SCALES
@pytest.mark.parametrize(
    ("name", "l1", "l2"), [("spam-l1", 1e-3, 0.0), ("spam-l2", 0.0, 1e-2), ("spam-net", 1e-3, 1e-2)]
)
def test_spam(name, layout, offset, scale, l1, l2):
    X, y = sample(offset, scale)
    xi = 0.2 / (X**2).sum(axis=1).max()
    l1 = l1 * float(np.abs(X).max())  # in proportion to the gradient
    l2 = l2 / xi
    given = {"spam-l1": f"l1={l1}", "spam-l2": f"l2={l2}", "spam-net": f"l1={l1},l2={l2}"}[name]

    def loop(X):
        start, means = np.zeros(X.shape[1], X.dtype), np.array([X[y == k].mean(0) for k in (-1, 1)])
        point = ProximalPoint(start, start, means, np.mean(y > 0), l1, l2, xi)
        return step_by_rows(spam.reference_update, point, X, y, ORDER).w

    check(f"{name}[xi={xi},{given},average=False,shuffle=False]", layout, X, y, loop)


@LAYOUTS
@OFFSETS
@SCALES
@pytest.mark.parametrize("eta", [None, 0.1])
def test_opauc(layout, offset, scale, eta):
    X, y = sample(offset, scale)
    eta = eta if eta is None else eta / float(X.var(axis=0).sum())
    lam = 0.01 * scale**2

    def loop(X):
        memory = get_solver("opauc", eta=eta, lam=lam).start(np.zeros(X.shape[1]), None)
        for name in ("w", "mean", "scatter"):
            setattr(memory, name, getattr(memory, name).astype(X.dtype))
        return step_by_rows(opauc.reference_update, memory, X, y, ORDER).w

    check(f"opauc[eta={eta},lam={lam},shuffle=False]", layout, X, y, loop)


@LAYOUTS
@OFFSETS
@SCALES
@pytest.mark.parametrize("eta", [None, 0.01])
def test_uni_exp(layout, offset, scale, eta):
    X, y = sample(offset, scale)
    eta = eta if eta is None else eta / float((X**2).sum(axis=1).max())
    lam = 0.01 * scale**2

    def loop(X):
        start = np.zeros(X.shape[1], X.dtype)
        point = Univariate(start, np.zeros(2, np.int64), eta, lam, False)
        return step_by_rows(uni_exp.reference_update, point, X, y, ORDER).w

    check(f"uni-exp[eta={eta},lam={lam},intercept=False,shuffle=False]", layout, X, y, loop)


@LAYOUTS
@OFFSETS
@SCALES
@pytest.mark.parametrize("name", ["oam-seq", "oam-gra"])
def test_oam(name, layout, offset, scale):
    X, y = sample(offset, scale)
    C = 1.0 / scale**2
    rng = draws()
    uniforms = np.concatenate([rng.random((N, 2)) for _ in range(PASSES)])

    def loop(X):
        start = np.zeros(X.shape[1], X.dtype)
        return step_by_buffers(get_solver(name, C=C, buffer=20), start, X, y, ORDER, uniforms)[0]

    check(f"{name}[C={C},buffer=20,shuffle=False]", layout, X, y, loop)


@LAYOUTS
@OFFSETS
def test_fsauc(monkeypatch, layout, offset):
    X, y = sample(offset, 1.0)
    eta, kappa = 0.1 / float((X**2).sum(axis=1).max()), float(np.abs(X).max())
    m, n0 = fsauc.schedule(PASSES * N)

    def loop(X):
        stage = fsauc.Stage.first(np.zeros(X.shape[1], X.dtype), 10.0, kappa, eta)
        with monkeypatch.context() as patch:
            patch.setattr(fsauc, "L1Ball", lambda R: partial(reference.l1_ball_by_sorting, R=R))
            for k in range(m):
                order = ORDER[k * n0 : (k + 1) * n0]
                step_by_rows(fsauc.reference_update, stage, X, y, order).restart()
        return stage.mean

    check(f"fsauc[R=10,eta={eta},passes={PASSES},shuffle=False]", layout, X, y, loop)
