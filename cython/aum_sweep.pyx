"""The sweep of the AUM along a line: `begin` once, then `run`, which goes on where it ended.

The caller keeps the state in arrays: lines (B, 2) has T and d in their order; levels (B + 1, 2)
has FP and FN before each line, in units; tree has `tree_size(B)` doubles; state has STATE words
that only this file reads.
"""

from libc.string cimport memcpy

cdef extern from "aum_sweep.h" nogil:
    int AUCBENCH_FULL, AUCBENCH_EXHAUSTED, AUCBENCH_STOPPED, AUCBENCH_STEP_LIMIT
    int AUCBENCH_NO_STOP, AUCBENCH_AUM_RISES, AUCBENCH_AUC_FALLS
    ctypedef struct aucbench_line:
        pass
    ctypedef struct aucbench_level:
        pass
    ctypedef struct aucbench_tree:
        pass
    ctypedef struct aucbench_sum:
        long long lines
    ctypedef struct aucbench_sweep:
        aucbench_line* line
        aucbench_level* level
        aucbench_tree tree
        aucbench_sum sum
    void aucbench_root(aucbench_tree* to, double* tree, int* winner, size_t lines)
    void aucbench_begin(
        aucbench_sweep* to, double* tree, int* winner, size_t count, const int* order,
        const double* T, const double* d, const long long* fp, const long long* fn, double unit)
    int aucbench_run(
        aucbench_sweep* to, double step_limit, int stop, size_t capacity, double* out,
        size_t* rows)

STATE = (sizeof(aucbench_sum) + 7) // 8
FULL, EXHAUSTED = AUCBENCH_FULL, AUCBENCH_EXHAUSTED
STOPPED, STEP_LIMIT = AUCBENCH_STOPPED, AUCBENCH_STEP_LIMIT
NO_STOP, AUM_RISES, AUC_FALLS = AUCBENCH_NO_STOP, AUCBENCH_AUM_RISES, AUCBENCH_AUC_FALLS


def tree_size(Py_ssize_t lines):
    """Return the number of nodes of a tree over the slots between `lines` lines."""
    cdef Py_ssize_t size = (lines + 7) // 8 * 8, total = size + 1
    while size > 8:
        size = (size // 8 + 7) // 8 * 8
        total += size
    return total


def begin(
    const double[::1] T, const double[::1] d, const long long[::1] fp, const long long[::1] fn,
    const int[::1] order, double unit,
    double[:, ::1] lines, long long[:, ::1] levels, double[::1] tree, int[::1] winner,
    long long[::1] state,
):
    """Start a sweep over the lines T + step d in `order`, by (T, d); merge equal lines.

    fp and fn are the changes of the errors in units. Sums of their magnitudes are below 2^61.
    There is at least one line.
    """
    cdef aucbench_sweep S
    S.line = <aucbench_line*> &lines[0, 0]
    S.level = <aucbench_level*> &levels[0, 0]
    with nogil:
        aucbench_begin(
            &S, &tree[0], &winner[0], T.shape[0], &order[0], &T[0], &d[0], &fp[0], &fn[0], unit)
        memcpy(&state[0], &S.sum, sizeof(S.sum))


def run(
    double[:, ::1] lines, long long[:, ::1] levels, double[::1] tree, int[::1] winner,
    long long[::1] state, double step_limit, int stop, double[:, ::1] out,
):
    """Fill columns of out (5, at least one): step, AUM, slope after it, AUC at and after it.

    There is one column for each distinct step, the first at 0. The sweep ends when out is FULL,
    when all lines have crossed (EXHAUSTED), before a step above step_limit (STEP_LIMIT), or when
    it is STOPPED: AUM_RISES stops after a column with a slope >= 0, AUC_FALLS after a column
    with an AUC below the best so far.

    Returns
    -------
    filled : number of columns
    ending : why it ended
    """
    cdef aucbench_sweep S
    cdef size_t filled = 0
    cdef int ending
    S.line = <aucbench_line*> &lines[0, 0]
    S.level = <aucbench_level*> &levels[0, 0]
    with nogil:
        memcpy(&S.sum, &state[0], sizeof(S.sum))
        aucbench_root(&S.tree, &tree[0], &winner[0], S.sum.lines)
        ending = aucbench_run(&S, step_limit, stop, out.shape[1], &out[0, 0], &filled)
        memcpy(&state[0], &S.sum, sizeof(S.sum))
    return filled, ending
