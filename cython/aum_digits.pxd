"""Weighted selection from the keys of two classes, by digits: header only."""

from keys cimport key_t
from libc.stdint cimport int64_t
from libc.string cimport memset

cdef enum:
    BYTE_VALUES = 256


cdef struct Side:       # keys of one class, their weight, and how many are above the range
    key_t* keys
    Py_ssize_t size, above
    int64_t weight


cdef inline void widen_range(Side side, key_t* low, key_t* high) noexcept nogil:
    """Widen low..high to all keys of the side."""
    cdef Py_ssize_t i
    for i in range(side.size):
        low[0] = min(low[0], side.keys[i])
        high[0] = max(high[0], side.keys[i])


cdef inline void count(Side side, key_t low, int shift, int64_t* counts) noexcept nogil:
    cdef Py_ssize_t i
    memset(counts, 0, BYTE_VALUES * sizeof(int64_t))
    for i in range(side.size):
        counts[(side.keys[i] - low) >> shift] += 1


cdef inline Py_ssize_t keep(Side side, key_t low, int shift, key_t digit) noexcept nogil:
    """Move the keys with this digit to the front; return how many there are."""
    cdef Py_ssize_t i, kept = 0
    cdef key_t key
    for i in range(side.size):
        key = side.keys[i]
        side.keys[i] = side.keys[kept]
        side.keys[kept] = key
        kept += (key - low) >> shift == digit
    return kept


cdef inline key_t meet(Side* pos, Side* neg, int64_t target) noexcept nogil:
    """Return the largest key with a weight of at least `target` at or above it.

    If no key has that weight, return the least key. There is at least one key. The keys are
    permuted, both sides are narrowed to the result, and `above` counts the keys above it. Each
    round settles eight bits, so there are at most eight rounds.
    """
    cdef int64_t pos_counts[BYTE_VALUES]
    cdef int64_t neg_counts[BYTE_VALUES]
    cdef int64_t more
    cdef key_t low, high
    cdef int shift, digit
    while True:
        low, high = <key_t> -1, 0
        widen_range(pos[0], &low, &high)
        widen_range(neg[0], &low, &high)
        if low >= high:
            return low
        shift = 0
        while (high - low) >> shift >= BYTE_VALUES:
            shift += 1
        count(pos[0], low, shift, pos_counts)
        count(neg[0], low, shift, neg_counts)
        digit = <int> ((high - low) >> shift)
        while digit > 0:
            more = pos_counts[digit] * pos.weight + neg_counts[digit] * neg.weight
            if more > 0 and more >= target:
                break
            target -= more
            pos.above += pos_counts[digit]
            neg.above += neg_counts[digit]
            digit -= 1
        pos.size = keep(pos[0], low, shift, digit)
        neg.size = keep(neg[0], low, shift, digit)
