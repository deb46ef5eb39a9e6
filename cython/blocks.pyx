"""Sums over pairs of rows whose keys are in order, in one group or in many; see blocks.h.

Rows come group after group, and in the order of their keys within a group. In each group the keys
are numbers from 0. `a` and `b` are the shares of a row as upper and as lower row.
"""

from libc.string cimport memset

cdef extern from "blocks.h" nogil:
    const int AUCBENCH_LEAF
    const int AUCBENCH_LOWERS
    ctypedef struct aucbench_order:
        int mode
        double shift
        int keys
        const int* first
        const double* x
        const double* a
        const double* b
        const double* u
        double* out
        double mass
        int even
        double** xs
        double** us
        double** sums
        int** place
        double* t
        double* at
        double* ut
        double* before
        double* behind
        double* before_x
        double* behind_x
        int* leaf_from "from"
        int* of_upper
        int* of_lower
        double* leaf
        size_t room
    void aucbench_leaf(aucbench_order* o, int lo, int hi, const int* key_of_row)
    double aucbench_loss(const aucbench_order* o, int n)
    void aucbench_node(
        aucbench_order* o, int bit, long long key, int start, const int* key_of_row
    )

MODES = ("hinge", "squared", "bend", "concordance")
OF_LEAF = 12  # vectors of a leaf
LOWERS = AUCBENCH_LOWERS


def small_groups(
    int mode, double shift, const long long[::1] starts, const long long[::1] groups, size_t room,
    const int[::1] key, const double[::1] x, const double[::1] a, const double[::1] b,
    const double[::1] u, double[::1] scratch, double[::1] out, double[::1] value,
    double[::1] mass,
):
    """Set out[r] for the rows of some groups of at most `room` rows, by all pairs of each.

    value[g] and mass[g] become the loss of group g and its active share. scratch has
    12 (room + 8) entries. Without BEND, u is not read and may have one entry.
    """
    cdef aucbench_order o
    cdef Py_ssize_t k
    cdef long long g, lo, hi
    memset(&o, 0, sizeof(o))
    o.mode, o.shift, o.room, o.leaf = mode, shift, room, &scratch[0]
    with nogil:
        for k in range(groups.shape[0]):
            g = groups[k]
            lo, hi = starts[g], starts[g + 1]
            o.x, o.a, o.b, o.out = &x[lo], &a[lo], &b[lo], &out[lo]
            o.u = &u[lo] if mode == 2 else &u[0]
            o.mass = 0.0
            memset(o.out, 0, (hi - lo) * sizeof(double))
            aucbench_leaf(&o, 0, <int> (hi - lo), &key[lo])
            value[g], mass[g] = aucbench_loss(&o, <int> (hi - lo)), o.mass


def large_group(
    int mode, double shift, bint even, const int[::1] first, const int[::1] key, const double[::1] x,
    const double[::1] a, const double[::1] b, const double[::1] u, double[:, ::1] sorted_x,
    double[:, ::1] sorted_u, int[:, ::1] place, double[:, ::1] scratch, int[:, ::1] places,
    double[::1] leaf, double[::1] out,
):
    """Set out (m,) for the rows of one group; return its loss and its active share.

    first (K + 1,) says where the rows of each key begin. sorted_x[0] has the scores in ascending
    order, and place[0] their rows; sorted_u[0] has u in that order (with BEND). Other rows of these
    arrays, scratch (9, m + 1) and places (3, m + 1) are memory.
    """
    cdef aucbench_order o
    cdef int k, bit = -1
    cdef Py_ssize_t m = x.shape[0]
    cdef double value
    memset(&o, 0, sizeof(o))
    o.mode, o.shift, o.keys, o.first = mode, shift, <int> first.shape[0] - 1, &first[0]
    o.x, o.a, o.b, o.u, o.out = &x[0], &a[0], &b[0], &u[0], &out[0]
    for k in range(2):
        o.xs[k], o.sums[k], o.place[k] = &sorted_x[k, 0], &scratch[k, 0], &place[k, 0]
        o.us[k] = &sorted_u[k, 0] if mode == 2 else NULL
    o.t, o.at, o.ut = &scratch[2, 0], &scratch[3, 0], &scratch[4, 0]
    o.before, o.behind = &scratch[5, 0], &scratch[6, 0]
    o.before_x, o.behind_x = &scratch[7, 0], &scratch[8, 0]
    o.leaf_from, o.of_upper, o.of_lower = &places[0, 0], &places[1, 0], &places[2, 0]
    o.leaf, o.room, o.even = &leaf[0], AUCBENCH_LEAF, even
    while o.keys - 1 >> (bit + 1):
        bit += 1
    with nogil:
        memset(o.sums[0], 0, m * sizeof(double))
        aucbench_node(&o, bit, 0, 0, &key[0])
        value = aucbench_loss(&o, <int> m)
    return value, o.mass


def leaf_room():
    """Return how many entries `leaf` of `large_group` needs."""
    return OF_LEAF * (AUCBENCH_LEAF + AUCBENCH_LOWERS)


def running_sums(
    const long long[::1] starts, const double[:, ::1] x, double[:, ::1] out, bint backwards
):
    """out[r] = sum of x[starts[g]], ..., x[r] for the rows r of each group g, column by column.

    Backwards it is the sum of x[r], ..., x[starts[g + 1] - 1]. The sums of a group have no rounding
    error of another group, as a difference of one running sum over all of them would have.
    """
    cdef Py_ssize_t g, j, r, k, step = -1 if backwards else 1
    cdef long long first
    with nogil:
        for g in range(starts.shape[0] - 1):
            first = starts[g + 1] - 1 if backwards else starts[g]
            for k in range(starts[g + 1] - starts[g]):
                r = first + k * step
                for j in range(x.shape[1]):
                    out[r, j] = x[r, j] if k == 0 else out[r - step, j] + x[r, j]
