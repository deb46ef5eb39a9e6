"""The orders of points of the plane along its directions, exactly: the AUC of linear scores.

Between two directions a pair of points changes its order at most once, if they are less than half a
turn apart, and does so where it is level. `places` orders the points at a direction, `turns` counts
the pairs that change between two of them, and `best_arc` sweeps over those pairs.

A point has `pos` positive and `neg` negative rows, and points are distinct. Counts are exact in 64
bits if there are at most 2**61 pairs of rows.
"""

from libc.stdint cimport int32_t, int64_t

cdef extern from "directions.h" nogil:
    ctypedef struct spot_t "aucbench_spot":
        double x, y
    ctypedef struct direction_t "aucbench_direction":
        const spot_t* points
        spot_t p, q
    ctypedef struct turns_t "aucbench_turns":
        const int32_t* first
        const int64_t* pos
        const int64_t* neg
        int64_t* spare
        int64_t gain, count, next, stride
        size_t room, listed
        int32_t* up
        int32_t* low
        unsigned char* gains
    ctypedef struct events_t "aucbench_events":
        const spot_t* points
        const int32_t* up
        const int32_t* low
    ctypedef struct arc_t "aucbench_arc":
        int64_t twice
        double width
        ptrdiff_t before, after
    void aucbench_places(
        const direction_t* at, size_t n, const int64_t* pos, const int64_t* neg, int32_t* order,
        int32_t* spare, int32_t* before, int32_t* after, int64_t* twice
    )
    void aucbench_count_turns(turns_t* t, int64_t* P, size_t p, int64_t* N, size_t n)
    arc_t aucbench_best_arc(
        const events_t* of, const unsigned char* gains, const int64_t* pos, const int64_t* neg,
        const double* keys, double least, int64_t twice, int32_t* order, int32_t* spare, size_t n
    )


def places(
    const double[:, ::1] points, const double[::1] turn, const int64_t[::1] pos,
    const int64_t[::1] neg, int32_t[::1] order, int32_t[::1] spare, int32_t[::1] before,
    int32_t[::1] after,
):
    """Order the points at the direction where (turn[0], turn[1]) passes above (turn[2], turn[3]).

    Returns twice the concordant pairs and pairs of one point once, just before it and just after.
    `order` has each point, and is sorted; it takes O(n) if it was nearly in order. `before` and
    `after` become the place of each point.
    """
    cdef direction_t at
    cdef int64_t twice[2]
    at.p = spot_t(turn[0], turn[1])
    at.q = spot_t(turn[2], turn[3])
    at.points = <const spot_t*> &points[0, 0]
    with nogil:
        aucbench_places(
            &at, points.shape[0], &pos[0], &neg[0], &order[0], &spare[0], &before[0], &after[0],
            twice,
        )
    return twice[0], twice[1]


def turns(
    const int32_t[::1] first, const int64_t[::1] pos, const int64_t[::1] neg, int64_t[::1] P,
    int64_t[::1] N, int64_t[::1] spare, int64_t stride, int32_t[::1] up, int32_t[::1] low,
    unsigned char[::1] gains,
):
    """Count the pairs of points that change their order between two directions.

    P and N hold the points with positive and with negative rows as `place << 32 | point`, by their
    places at the second direction, in the order of their places at the first one; both are sorted.
    Returns how many pairs of rows become concordant, how many pairs of points change their order,
    and how many of these are listed: each stride-th one, while there is room.
    """
    cdef turns_t t
    t.first, t.pos, t.neg = &first[0], &pos[0], &neg[0]
    t.spare, t.up, t.low, t.gains = &spare[0], &up[0], &low[0], &gains[0]
    t.gain = t.count = t.next = 0
    t.listed, t.room, t.stride = 0, up.shape[0], stride
    with nogil:
        aucbench_count_turns(&t, &P[0], P.shape[0], &N[0], N.shape[0])
    return t.gain, t.count, t.listed


def best_arc(
    const double[:, ::1] points, const int32_t[::1] up, const int32_t[::1] low,
    const unsigned char[::1] gains, const int64_t[::1] pos, const int64_t[::1] neg,
    const double[::1] keys, double least, int64_t twice, int32_t[::1] order, int32_t[::1] spare,
):
    """Sweep over the pairs in `order`, which is sorted by where they are level.

    `keys` are these places in [0, 1], rounded, and `twice` is the count before all of them. Returns
    the largest count of an arc that is at least `least` wide, and the numbers of the pairs at the
    ends of the widest one that has it: -1 and n are the ends of all. The count is -1 if all are
    narrower.
    """
    cdef events_t of
    cdef arc_t best
    cdef size_t n = order.shape[0]
    if n == 0:
        return (twice if least <= 1.0 else -1), -1, 0
    of.points, of.up, of.low = <const spot_t*> &points[0, 0], &up[0], &low[0]
    with nogil:
        best = aucbench_best_arc(
            &of, &gains[0], &pos[0], &neg[0], &keys[0], least, twice, &order[0], &spare[0], n
        )
    return best.twice, best.before, best.after
