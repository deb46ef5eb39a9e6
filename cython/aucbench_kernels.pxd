"""The public kernel functions of aucbench: what a kernel of another package may cimport.

Header only, so that a compiled kernel does not link to aucbench. docs/kernels.md has the meaning
and the cost of each function. The other .pxd and .h files of this folder may change at any time.

KERNEL_API grows when a name is taken away, a signature or a meaning changes, or the arrays of
`data.rows.stored_arrays` do. aucbench.kernels.headers has the same number, and refuses a kernel with another one.
"""

from floyd_rivest cimport select
from keys cimport DIGIT_VALUES, DIGITS, key_of, key_t, magnitude, magnitude_key, of_key, radix_sort
from rows cimport (
    Rows, ahead, axpy, axpy2, begin, column, dot, dot2, first, first_index, square, value, view,
)
from scaled cimport Scaled, add, count, fold, multiply, scaled, score

cdef enum:
    KERNEL_API = 1
