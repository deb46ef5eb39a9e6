"""The sweep of the AUM along a line: `begin` once, then `run`, which goes on where it ended.

The caller keeps `room`, an array of at least `room_size(B)` doubles that only this file reads.
"""

cdef extern from "aum_sweep.h" nogil:
    int AUCBENCH_FULL, AUCBENCH_EXHAUSTED, AUCBENCH_STOPPED, AUCBENCH_STEP_LIMIT
    size_t aucbench_room_size(size_t lines)
    void aucbench_start(
        double* room, size_t count, const int* order, const double* T, const double* d,
        const long long* fp, const long long* fn, double unit)
    int aucbench_go_on(
        double* room, double step_limit, int until_aum_rises, size_t capacity, double* out,
        size_t* rows)

FULL, EXHAUSTED = AUCBENCH_FULL, AUCBENCH_EXHAUSTED
STOPPED, STEP_LIMIT = AUCBENCH_STOPPED, AUCBENCH_STEP_LIMIT


def room_size(Py_ssize_t lines):
    """Return the number of doubles that a sweep over `lines` lines needs."""
    return aucbench_room_size(lines)


def begin(
    const double[::1] T, const double[::1] d, const long long[::1] fp, const long long[::1] fn,
    const int[::1] order, double unit, double[::1] room,
):
    """Start a sweep over the lines T + step d in `order`, by (T, d); merge equal lines.

    fp and fn are the changes of the errors in units. Sums of their magnitudes are below 2^61.
    There is at least one line.
    """
    with nogil:
        aucbench_start(
            &room[0], T.shape[0], &order[0], &T[0], &d[0], &fp[0], &fn[0], unit)


def run(double[::1] room, double step_limit, bint until_aum_rises, double[:, ::1] out):
    """Fill columns of out (5, at least one): step, AUM, slope after it, AUC at and after it.

    There is one column for each distinct step, the first at 0. The sweep ends when out is FULL,
    when all lines have crossed (EXHAUSTED), before a step above step_limit (STEP_LIMIT), or, if
    `until_aum_rises`, after a column with a slope >= 0 (STOPPED).

    Returns
    -------
    filled : number of columns
    ending : why it ended
    """
    cdef size_t filled = 0
    cdef int ending
    with nogil:
        ending = aucbench_go_on(
            &room[0], step_limit, until_aum_rises, out.shape[1], &out[0, 0], &filled)
    return filled, ending
