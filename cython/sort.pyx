"""Sorting doubles by digits, and pairs of a double and a row as one double.

a. Keys of doubles (keys.h) are sorted by the highest digits of their range, three digits of 11
   bits, the least significant first. What shares these bits is nearly always in order, or a few
   places away, and insertion mends it. Where insertion would take long, all digits are sorted.
b. To sort doubles with their rows, the row stands in the low bits of an integer, and as many of
   the high bits of the key as there is room for stand above. Such integers are the bits of
   positive, normal, finite doubles, which are in the same order. Whatever sorts doubles then
   sorts the pairs, and it is stable. What differs only in bits that were cut off is mended by
   insertion.

aucbench/data/sorting.py decides which sort is used. (Rejected: an index beside each double. It
moves twelve bytes instead of eight, and NumPy's vectorised argsort of it takes three times as
long as its sort, and is not stable. Rejected too: integers. With AVX2, which compares doubles and
signed integers only, NumPy sorts unsigned ones in 1.4 times the time of doubles.)
"""

from keys cimport DIGIT_BITS, DIGIT_VALUES, DIGITS, begins, key_of, key_t, of_key
from libc.string cimport memcpy, memset

cdef enum:
    TOP_DIGITS = 3  # 33 bits: of a million normal variables, some thousands share them
    MOVES = 4       # moves per key after which insertion costs more than another sort
    CUT = 2         # bits of a double above those that are used for a pair

cdef key_t NORMAL = <key_t> 1 << 52  # the bits of the smallest normal double


cdef inline key_t sorting_key(double x) noexcept nogil:
    """The key of x; all NaN are equal and come last."""
    return key_of(x) if x == x else <key_t> -1


cdef inline int bits_of(key_t x) noexcept nogil:
    cdef int bits = 0
    while x > 0:
        x >>= 1
        bits += 1
    return bits


cdef key_t* sort_digits(
    Py_ssize_t n, key_t* keys, key_t* spare, unsigned int* counts, key_t low, int shift,
    int levels,
) noexcept nogil:
    """Sort by the digits of (key - low) >> shift; return which array has the result."""
    cdef unsigned int* count
    cdef Py_ssize_t r
    cdef int level, digit, down
    cdef key_t x
    memset(counts, 0, levels * DIGIT_VALUES * sizeof(unsigned int))
    for r in range(n):
        x = (keys[r] - low) >> shift
        for level in range(levels):
            counts[DIGIT_VALUES * level + (x & (DIGIT_VALUES - 1))] += 1
            x >>= DIGIT_BITS
    for level in range(levels):
        count = counts + DIGIT_VALUES * level
        down = shift + DIGIT_BITS * level
        if count[((keys[0] - low) >> down) & (DIGIT_VALUES - 1)] == n:
            continue  # all keys share this digit
        begins(count)
        for r in range(n):
            x = keys[r]
            digit = <int> (((x - low) >> down) & (DIGIT_VALUES - 1))
            spare[count[digit]] = x
            count[digit] += 1
        keys, spare = spare, keys
    return keys


cdef bint mend_keys(Py_ssize_t n, key_t* keys) noexcept nogil:
    """Sort almost sorted keys by insertion; return False after too many moves."""
    cdef Py_ssize_t r, k, moves = MOVES * n
    cdef key_t x
    for r in range(1, n):
        x = keys[r]
        if x >= keys[r - 1]:
            continue
        k = r
        while k > 0 and x < keys[k - 1]:
            keys[k] = keys[k - 1]
            k -= 1
        keys[k] = x
        moves -= r - k
        if moves < 0:
            return False
    return True


def by_digits(key_t[::1] keys, key_t[::1] spare, unsigned int[:, ::1] counts):
    """Sort the doubles whose bits are in `keys`, ascending; -0.0 becomes 0.0.

    There is no NaN. `spare` has the size of `keys`, `counts` the shape (6, 2048).
    """
    cdef Py_ssize_t n = keys.shape[0], r
    cdef key_t low = <key_t> -1, high = 0
    cdef key_t* found
    cdef double x
    cdef int bits
    if n < 2:
        return
    with nogil:
        for r in range(n):
            memcpy(&x, &keys[r], sizeof(double))
            keys[r] = key_of(x)
            low = min(low, keys[r])
            high = max(high, keys[r])
        bits = bits_of(high - low) - TOP_DIGITS * DIGIT_BITS
        found = sort_digits(
            n, &keys[0], &spare[0], &counts[0, 0], low, max(bits, 0), TOP_DIGITS
        )
        if bits > 0 and not mend_keys(n, found):
            found = sort_digits(
                n, found, &keys[0] if found == &spare[0] else &spare[0], &counts[0, 0], low, 0,
                DIGITS,
            )
        for r in range(n):
            x = of_key(found[r])
            memcpy(&keys[r], &x, sizeof(double))


def pack(const double[::1] x, key_t[::1] packed):
    """Fill `packed` with the bits of doubles whose order is that of x, then that of the rows.

    The row is in the low bits; above it are the highest bits of the range of the keys, 62 bits in
    all. NORMAL is added, so that no double is subnormal. There are at least two rows.
    """
    cdef Py_ssize_t n = x.shape[0], r
    cdef int row_bits = bits_of(n - 1), up
    cdef key_t key, low = <key_t> -1, high = 0
    with nogil:
        for r in range(n):
            key = sorting_key(x[r])
            packed[r] = key
            low = min(low, key)
            high = max(high, key)
        up = 64 - bits_of((high - low) | 1)  # a shift by 64 has no meaning in C
        for r in range(n):
            key = (packed[r] - low) << up >> CUT + row_bits << row_bits
            packed[r] = NORMAL + key | <key_t> r


def unpack(const key_t[::1] packed, const double[::1] x, double[::1] values, int[::1] order):
    """Read sorted `packed`: order = the stable argsort of x, values = x in this order.

    Returns False, with no meaningful result, if too many keys share their highest bits.
    """
    cdef Py_ssize_t n = x.shape[0], r, k, moves = MOVES * n
    cdef key_t rows = (<key_t> 1 << bits_of(n - 1)) - 1
    cdef key_t key, last = 0
    cdef double value
    cdef int row
    with nogil:
        for r in range(n):
            row = <int> (packed[r] & rows)
            order[r] = row
            values[r] = x[row]
        for r in range(1, n):
            value = values[r]
            if value >= values[r - 1]:
                continue
            key = sorting_key(value)
            if key >= sorting_key(values[r - 1]):
                continue
            row = order[r]
            k = r
            while k > 0 and key < sorting_key(values[k - 1]):
                values[k] = values[k - 1]
                order[k] = order[k - 1]
                k -= 1
            values[k] = value
            order[k] = row
            moves -= r - k
            if moves < 0:
                break
    return moves >= 0
