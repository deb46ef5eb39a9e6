"""Keys in the order of doubles, and the radix sort by them: header only.

keys.h says what a key is. The sort takes the digits of 11 bits, the least significant digit
first, so it needs six passes whatever the values are.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from "keys.h" nogil:
    ctypedef uint64_t key_t "aucbench_key"
    key_t key_of "aucbench_key_of"(double x)
    double of_key "aucbench_of_key"(key_t key)
    int64_t magnitude_key "aucbench_magnitude_key"(double x)
    double magnitude "aucbench_magnitude"(int64_t key)
    size_t sampled "aucbench_sampled"(size_t i, size_t stretch)

cdef enum:
    DIGIT_BITS = 11
    DIGIT_VALUES = 2048
    DIGITS = 6

ctypedef fused sortable:
    double
    key_t


cdef inline int digit_of(sortable x, int level) noexcept nogil:
    cdef key_t key
    if sortable is double:
        key = key_of(x)
    else:
        key = x
    return <int> ((key >> (DIGIT_BITS * level)) & (DIGIT_VALUES - 1))


cdef inline void begins(unsigned int* count) noexcept nogil:
    """Replace how often each digit occurs by the place where the first one of its values goes."""
    cdef unsigned int total = 0, size
    cdef int digit
    for digit in range(DIGIT_VALUES):
        size = count[digit]
        count[digit] = total
        total += size


cdef inline void radix_sort(
    Py_ssize_t n, sortable* x, sortable* spare_x, int* row, int* spare_row, unsigned int* counts,
) noexcept nogil:
    """Sort n doubles and their rows by the doubles, or sort n keys, ascending.

    Keys have no rows, so `row` and `spare_row` are NULL for them. The spare arrays have room for
    n; counts has room for DIGITS x DIGIT_VALUES. The sort is stable. It skips a digit that all
    values share.
    """
    cdef sortable* x_from = x
    cdef sortable* x_to = spare_x
    cdef int* row_from = row
    cdef int* row_to = spare_row
    cdef unsigned int* count
    cdef unsigned int at
    cdef Py_ssize_t r
    cdef int level, digit
    cdef sortable value
    if n == 0:
        return
    memset(counts, 0, DIGITS * DIGIT_VALUES * sizeof(unsigned int))
    for r in range(n):
        value = x[r]
        for level in range(DIGITS):
            counts[DIGIT_VALUES * level + digit_of(value, level)] += 1
    for level in range(DIGITS):
        count = counts + DIGIT_VALUES * level
        if count[digit_of(x_from[0], level)] == n:
            continue
        begins(count)
        for r in range(n):
            value = x_from[r]
            digit = digit_of(value, level)
            at = count[digit]
            count[digit] = at + 1
            x_to[at] = value
            if sortable is double:
                row_to[at] = row_from[r]
        x_from, x_to = x_to, x_from
        row_from, row_to = row_to, row_from
    if x_from != x:
        memcpy(x, x_from, n * sizeof(sortable))
        if sortable is double:
            memcpy(row, row_from, n * sizeof(int))
