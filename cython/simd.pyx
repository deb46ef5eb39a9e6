"""The vector instructions that the kernels of this process use (clones.h).

A word in AUCBENCH_SIMD that is not a level of this CPU is refused here, when kernels are imported.
"""

from os import environ as _environ

cdef extern from "clones.h" nogil:
    """
    static const char *const aucbench_names[] = AUCBENCH_LEVEL_NAMES;
    """
    int aucbench_best_simd()
    int aucbench_asked_simd()
    const char *aucbench_names[]


def levels():
    """Return the names of the levels that this CPU and this build have, the lowest first."""
    return [aucbench_names[level].decode() for level in range(aucbench_best_simd() + 1)]


def level():
    """Return the name of the level in use, none, avx2 or avx512."""
    return aucbench_names[asked].decode()


cdef int asked = aucbench_asked_simd()
if asked < 0:
    raise ImportError(
        f"AUCBENCH_SIMD is {_environ.get('AUCBENCH_SIMD')!r}, and this machine has the levels "
        f"{', '.join(levels())}; set it to one of them, or leave it out for the highest"
    )
