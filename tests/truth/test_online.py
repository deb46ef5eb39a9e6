"""Methods that learn row by row against their plain loops, on features that nobody scaled.

The loops run in extended precision, and once more in float64: that a kernel is no farther from
the truth than a plain loop tells its own errors from those of an ill-conditioned problem.
"""

from functools import partial

import numpy as np
import pytest
import reference
from nights import some
from samples import sample
from scipy.sparse import csr_array
from stepping import step_by_buffers, step_by_rows

from aucbench.data import Data
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench_plugins.online import fsauc, opauc, solam, spam, uni_exp
from aucbench_plugins.online.solam import SaddlePoint
from aucbench_plugins.online.spam import ProximalPoint
from aucbench_plugins.online.uni_exp import Univariate

N, PASSES, SEED = 80, 3, 4
ORDER = np.arange(PASSES * N) % N
TIMES = 200.0  # errors of a plain loop that a kernel may make


def zeros(X):
    return np.zeros(X.shape[1], X.dtype)


def solam_loop(X, y, xi, lam=None):
    R = 10.0 if lam is None else np.sqrt(2.0 / lam)
    point = SaddlePoint.at(zeros(X), None, xi=xi, R=R, **({} if lam is None else {"lam": lam}))
    return step_by_rows(solam.reference_update, point, X, y, ORDER).mean


def spam_loop(X, y, l1, l2, xi):
    means = np.array([X[y == k].mean(0) for k in (-1, 1)])
    point = ProximalPoint(zeros(X), zeros(X), means, np.mean(y > 0), l1, l2, xi)
    return step_by_rows(spam.reference_update, point, X, y, ORDER).w


def opauc_loop(X, y, eta, lam):
    memory = get_solver("opauc", eta=eta, lam=lam).start(np.zeros(X.shape[1]), None)
    for name in ("w", "mean", "scatter"):
        setattr(memory, name, getattr(memory, name).astype(X.dtype))
    return step_by_rows(opauc.reference_update, memory, X, y, ORDER).w


def uni_exp_loop(X, y, eta, lam):
    point = Univariate(zeros(X), np.zeros(2, np.int64), eta, lam, False)
    return step_by_rows(uni_exp.reference_update, point, X, y, ORDER).w


def oam_loop(X, y, name, C):
    rng = np.random.default_rng(SEED).spawn(2)[1]  # which `solve` hands to `iterates`
    uniforms = np.concatenate([rng.random((N, 2)) for _ in range(PASSES)])
    return step_by_buffers(get_solver(name, C=C, buffer=20), zeros(X), X, y, ORDER, uniforms)[0]


def fsauc_loop(X, y, kappa, eta):
    m, n0 = fsauc.schedule(PASSES * N)
    stage = fsauc.Stage.first(zeros(X), 10.0, kappa, eta)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fsauc, "L1Ball", lambda R: partial(reference.l1_ball_by_sorting, R=R))
        for k in range(m):
            order = ORDER[k * n0 : (k + 1) * n0]
            step_by_rows(fsauc.reference_update, stage, X, y, order).restart()
    return stage.mean


def of_solam(X, scale, xi):
    return f"solam[xi={xi},R=10]", partial(solam_loop, xi=xi)


def of_reg_solam(X, scale, lam):
    return f"reg-solam[xi=1,lam={lam}]", partial(solam_loop, xi=1.0, lam=lam)


def of_spam(X, scale, name, l1, l2):
    xi = 0.2 / (X**2).sum(axis=1).max()
    l1, l2 = l1 * float(np.abs(X).max()), l2 / xi  # in proportion to the gradient
    penalty = {"spam-l1": f"l1={l1}", "spam-l2": f"l2={l2}", "spam-net": f"l1={l1},l2={l2}"}[name]
    return f"{name}[xi={xi},{penalty},average=False]", partial(spam_loop, l1=l1, l2=l2, xi=xi)


def of_opauc(X, scale, eta):
    eta, lam = eta and eta / float(X.var(axis=0).sum()), 0.01 * scale**2
    return f"opauc[eta={eta},lam={lam}]", partial(opauc_loop, eta=eta, lam=lam)


def of_uni_exp(X, scale, eta):
    eta, lam = eta and eta / float((X**2).sum(axis=1).max()), 0.01 * scale**2
    return f"uni-exp[eta={eta},lam={lam},intercept=False]", partial(uni_exp_loop, eta=eta, lam=lam)


def of_oam(X, scale, name):
    C = 1.0 / scale**2
    return f"{name}[C={C},buffer=20]", partial(oam_loop, name=name, C=C)


def of_fsauc(X, scale):
    eta, kappa = 0.1 / float((X**2).sum(axis=1).max()), float(np.abs(X).max())
    return f"fsauc[R=10,eta={eta},passes={PASSES}]", partial(fsauc_loop, kappa=kappa, eta=eta)


METHODS = {
    **{f"solam xi={xi}": partial(of_solam, xi=xi) for xi in (1e-3, 1.0, 30.0)},
    **{f"reg-solam lam={lam}": partial(of_reg_solam, lam=lam) for lam in (1e-3, 10.0)},
    "spam-l1": partial(of_spam, name="spam-l1", l1=1e-3, l2=0.0),
    "spam-l2": partial(of_spam, name="spam-l2", l1=0.0, l2=1e-2),
    "spam-net": partial(of_spam, name="spam-net", l1=1e-3, l2=1e-2),
    **{f"opauc eta={eta}": partial(of_opauc, eta=eta) for eta in (None, 0.1)},
    **{f"uni-exp eta={eta}": partial(of_uni_exp, eta=eta) for eta in (None, 0.01)},
    **{name: partial(of_oam, name=name) for name in ("oam-seq", "oam-gra")},
    "fsauc": of_fsauc,
}


@pytest.mark.parametrize("offset", some([0.0, 1e2, 1e4, 1e6], {0.0, 1e4}))
@pytest.mark.parametrize("scale", some([1e-6, 1.0, 1e6], {1e-6, 1.0}))
@pytest.mark.parametrize("method", METHODS)
def test_a_kernel_errs_no_more_than_a_plain_loop(method, offset, scale):
    scale = 1.0 if method == "fsauc" else scale
    X, y = sample(7, n=N, d=6, offset=offset, scale=scale)
    spec, loop = METHODS[method](X, scale)
    truth, plain = loop(X.astype(np.longdouble), y), loop(X, y)
    size = float(np.linalg.norm(truth))
    allowed = TIMES * float(np.linalg.norm(plain - truth)) + 1e-9 * size
    assert size > 0.0
    for layout in (np.asarray, csr_array):
        solver = get_solver(f"{spec[:-1]},shuffle=False]")
        run = solve(solver, Data.of(layout(X), y), passes=PASSES, seed=SEED, gap_tol=0.0)
        assert float(np.linalg.norm(run.w - truth)) <= allowed, layout
