"""Passes of the low-rank OPAUC over rows in a given order.

Rows of one class often follow each other. During such a run, only the sketch of this class and its
products change, and only those of the other class are read. So the changes of the products wait
until the class changes; then they are made together.
"""

from libc.math cimport fabs, fmax
from libc.string cimport memcpy
from steps cimport widen
from rows cimport (
    AUCBENCH_PREFETCH, Rows, ahead, aucbench_axpy2, aucbench_axpy4, aucbench_inner, aucbench_mix,
    axpy, begin, column, dot, first_index, rows_of, square, value,
)
from scipy.linalg.cython_blas cimport dgemv, dscal

cdef extern from "sketch.h" nogil:
    void aucbench_combine(size_t W, const double* c, const double* S, double* y)
    void aucbench_project(size_t W, const double* S, const double* x, double* y)
    void aucbench_outer(
        size_t W, size_t count, const double** l, const double** r, double* S)
    void aucbench_traces(
        size_t W, size_t tau, const double* G, const double* q, double share, double* trace)
    double aucbench_turn(
        size_t W, const double* b, double p, const double* q, double c, double* step)

cdef enum:
    WAITING = 8  # rows of a run whose terms may wait


cdef struct Sketch:
    double* B                 # (d, 2 W): sketch and sum of rows of the negatives, then positives
    double* S[2]              # (W, W): B_k^T B_k of each class
    double* C                 # (W, W): B_0^T B_1
    double* h                 # (2 W,): B^T u
    double* u                 # w = s u + B a
    double* a
    double* s
    double* spent             # how much of B was changed since the last refresh, in rows of B
    double* b                 # (W,): B_o^T w of the other class, during a run
    double* step              # scratch, (W,)
    double* waiting           # (WAITING, 3 W): vectors e and g of a row, g = B^T x
    int held                  # how many of them wait
    int tau                   # columns of a sketch; column tau is the sum of rows, others are 0
    int W
    int m                     # 2 W
    int d
    double trace[2]           # tr S + |c|^2 of the other class, and a bound of its magnitudes


cdef inline double* row(const Sketch* S, const Rows* X, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Return the row of B for the stored value j of row i."""
    return S.B + column(X, i, j) * <Py_ssize_t> S.m


cdef inline void prefetch(const Sketch* S, const double* at) noexcept nogil:
    """Load a row of B early; the hardware cannot predict scattered rows."""
    cdef int j
    for j in range(0, S.m, 8):
        AUCBENCH_PREFETCH(at + j)


cdef inline void absorb(
    Sketch* S, const Rows* X, Py_ssize_t i, int k, const double* e, double* g
) noexcept nogil:
    """g = B^T x, then B += x e^T in the block of class k; each row of B is read once."""
    cdef Py_ssize_t j = begin(X, i), end = begin(X, i + 1), skip = k * S.W
    cdef double* to[4]
    cdef double[4] x
    cdef int r, step = 1
    for r in range(S.m):
        g[r] = 0.0
    while j + 4 <= end:
        for r in range(4):
            to[r], x[r] = row(S, X, i, j + r), value(X, j + r)
            if j + r + 8 < end:
                prefetch(S, row(S, X, i, j + r + 8))
        aucbench_axpy4(S.m, x, <const double**> to, <const double**> to, g)
        for r in range(0, 4, 2):
            aucbench_axpy2(S.W, x[r], x[r + 1], e, to[r] + skip, to[r + 1] + skip)
        j += 4
    while j < end:
        to[0] = row(S, X, i, j)
        aucbench_mix(S.m, 1.0, value(X, j), to[0], g)
        aucbench_mix(S.W, 1.0, value(X, j), e, to[0] + skip)
        j += 1


cdef inline void add(
    Sketch* S, double c, const Rows* X, Py_ssize_t i, const double* g
) noexcept nogil:
    """w += c x, with g = B^T x"""
    axpy(c / S.s[0], X, i, S.u)
    aucbench_mix(S.m, 1.0, c / S.s[0], g, S.h)


cdef inline void multiply(Sketch* S, double c) noexcept nogil:
    """w *= c"""
    cdef int step = 1
    aucbench_mix(S.m, c, 0.0, S.a, S.a)
    aucbench_mix(S.W, c, 0.0, S.b, S.b)
    S.s[0] *= c
    if not 1e-4 < fabs(S.s[0]) < 1e4:
        dscal(&S.d, S.s, S.u, &step)
        dscal(&S.m, S.s, S.h, &step)
        S.s[0] = 1.0


cdef inline void refresh(Sketch* S, int o) noexcept nogil:
    """Set u = w and a = 0; otherwise u and B a would grow and cancel each other."""
    cdef double one = 1.0, zero = 0.0
    cdef int r, step = 1
    dgemv(b"T", &S.m, &S.d, &one, S.B, &S.m, S.a, &step, S.s, S.u, &step)
    dgemv(b"N", &S.m, &S.d, &one, S.B, &S.m, S.u, &step, &zero, S.h, &step)
    for r in range(S.m):
        S.a[r] = 0.0
    S.s[0], S.spent[0] = 1.0, 0.0
    memcpy(S.b, S.h + o * S.W, S.W * sizeof(double))


cdef inline void settle(Sketch* S, int k) noexcept nogil:
    """Make the changes of S and C that wait, after rows of class k: B_k^T B gained e g^T."""
    cdef const double* e[2 * WAITING]
    cdef const double* g[2 * WAITING]
    cdef double* at
    cdef int t, o = 1 - k, count = S.held
    for t in range(count):
        at = S.waiting + 3 * t * S.W
        e[t] = g[count + t] = at
        g[t] = e[count + t] = at + (1 + k) * S.W
    aucbench_outer(S.W, 2 * count, e, g, S.S[k])
    for t in range(count):
        g[t] = S.waiting + (3 * t + 1 + o) * S.W
    if k == 0:
        aucbench_outer(S.W, count, e, g, S.C)
    else:
        aucbench_outer(S.W, count, g, e, S.C)
    S.held = 0


cdef inline void turn(Sketch* S, int o, double n, const double* q) noexcept nogil:
    """Compute b = B^T w and tr S of class o, whose sketch stays as it is during the next run.

    tr S = |Z - c q^T|^2 / n. The trace also takes |c|^2, which is a part of |x - c|^2.
    """
    cdef const double* G = S.S[o]
    memcpy(S.b, S.h + o * S.W, S.W * sizeof(double))
    aucbench_mix(S.W, S.s[0], 0.0, S.b, S.b)
    aucbench_combine(S.W, S.a + o * S.W, G, S.b)
    if o == 0:
        aucbench_project(S.W, S.C, S.a + S.W, S.b)
    else:
        aucbench_combine(S.W, S.a, S.C, S.b)
    if n == 0.0:
        return
    aucbench_traces(S.W, S.tau, G, q, 1.0 / n, S.trace)


cdef inline double learn(
    Sketch* S, const Rows* X, Py_ssize_t i, int k, const double* e, double* g
) noexcept nogil:
    """Add x e^T to B and update all that depends on it; w stays. Return w . x.

    The step of this row is still to add -(e . a_k) x to w, because B a has gained (e . a_k) x.
    """
    cdef double inner = dot(X, i, S.u), score
    absorb(S, X, i, k, e, g)
    score = S.s[0] * inner + aucbench_inner(S.m, S.a, g)
    aucbench_mix(S.W, 1.0, inner, e, S.h + k * S.W)
    return score


cdef inline double descend(
    Sketch* S, const Rows* X, int o, double score, double side, double eta, double lam,
    double n, const double* q, const double* g
) noexcept nogil:
    """w -= eta (lam w - side (x - c) + ((x - c) . w) (x - c) + S w), but for the multiple of x.

    c and S are of class o. S w = (Z v - (q . v) c) / n with v = Z^T w - (c . w) q, a combination
    of the columns of B. Return the multiple of x, which is still to be added to w.
    """
    cdef double project = S.b[S.tau] / n, move = eta * (side - (score - project)), inner
    inner = aucbench_turn(S.W, S.b, project, q, eta / n, S.step)
    S.step[S.tau] = (eta * inner / n - move) / n
    multiply(S, 1.0 - eta * lam)
    aucbench_mix(S.W, 1.0, 1.0, S.step, S.a + o * S.W)
    aucbench_mix(S.W, 1.0, move, g + o * S.W, S.b)
    aucbench_combine(S.W, S.step, S.S[o], S.b)
    return move


def sketch_pass(
    chunk, const int[::1] order, memory, const double[:, ::1] noise, double[:, ::1] work
):
    """Take a step of the low-rank OPAUC for each row of `order`; noise[t] is the vector r of row t.

    The attributes of `memory` are those of `aucbench_plugins.online.opauc_lr.Sketches`, and the
    step is `reference_update` of that module. work is (26, W). With tau columns of a sketch, a
    step costs O(tau times the stored values of the row + tau^2).
    """
    cdef Rows X = rows_of(chunk.rows)
    cdef const signed char[::1] y = chunk.y
    cdef double[::1] u = memory.u, n = memory.n
    cdef double[:, ::1] B = memory.B, ha = memory.ha, q = memory.q
    cdef double[:, :, ::1] G = memory.G
    cdef bint derive = memory.eta is None
    cdef double lam = memory.lam, share = memory.share, kappa = memory.kappa
    cdef double eta = 0.0 if derive else memory.eta
    cdef double scale = memory.s, spent = memory.spent
    cdef int tau = <int> noise.shape[1], W = <int> q.shape[1], i, k, o = -1, r
    cdef Sketch S = Sketch(
        &B[0, 0], [&G[0, 0, 0], &G[1, 0, 0]], &G[2, 0, 0], &ha[0, 0], &u[0], &ha[1, 0],
        &scale, &spent, &work[0, 0], &work[1, 0], &work[2, 0], 0, tau, W, 2 * W, X.d, [0.0, 0.0],
    )
    cdef const int* order_ = first_index(order)
    cdef Py_ssize_t rows = order.shape[0], t
    cdef double* e
    cdef double* g
    cdef double score, norm, shrink, size, own
    with nogil:
        for t in range(rows):
            i = order_[t]
            ahead(&X, order_, t, rows)
            k = y[i] > 0
            if o != 1 - k or S.held == WAITING:
                if S.held:
                    settle(&S, 1 - o)
                if o != 1 - k:
                    o = 1 - k
                    turn(&S, o, n[o], &q[o, 0])
            e = S.waiting + 3 * S.held * W
            g = e + W
            S.held += 1
            n[k] += 1.0
            for r in range(tau):
                e[r] = noise[t, r]
                q[k, r] += e[r]
            e[tau] = 1.0
            for r in range(tau + 1, W):
                e[r] = 0.0
            norm = square(&X, i)
            score = learn(&S, &X, i, k, e, g)
            own = -aucbench_inner(W, e, S.a + k * W)
            if n[o] > 0.0:
                size = norm + S.trace[1]
                if derive:
                    shrink = widen(&kappa, fmax(
                        norm - 2.0 * g[o * W + tau] / n[o] + S.trace[0], 0.0) + 1e-14 * size)
                    multiply(&S, shrink)
                    score *= shrink
                    own *= shrink
                    eta = share / (lam + kappa)
                own *= 1.0 - eta * lam
                # If x, c and the sketch are 0, a derived eta may be 1e299, and the step only scales
                # w. Numbers of this size in a would take all digits of the later ones.
                if size == 0.0:
                    multiply(&S, 1.0 - eta * lam)
                else:
                    own += descend(&S, &X, o, score, y[i], eta, lam, n[o], &q[o, 0], g)
            aucbench_mix(W, 1.0, norm, e, g + k * W)   # B^T x with the new B
            add(&S, own, &X, i, g)
            aucbench_mix(W, 1.0, -0.5 * norm, e, g + k * W)   # B_k^T B_k gained e g^T + g e^T
            S.spent[0] += begin(&X, i + 1) - begin(&X, i) + S.m
            if S.spent[0] >= 16.0 * X.d + 64.0 * S.m:
                refresh(&S, o)
        if S.held:
            settle(&S, 1 - o)
    memory.s, memory.spent, memory.kappa = scale, spent, kappa
