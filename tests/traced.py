"""Memory that some code holds, whatever else this process does meanwhile.

Other tests leave threads, finalisers and caches in the process, and what these allocate counts in
the totals and peaks of tracemalloc.
"""

import tracemalloc
from contextlib import contextmanager

FRAMES = 8  # of each allocation, the innermost ones


@contextmanager
def tracing():
    """Trace all allocations in a `with` block."""
    tracemalloc.start(FRAMES)
    try:
        yield
    finally:
        tracemalloc.stop()


def held(files):
    """Bytes that are in use now and were allocated in, or below, a function of these files."""
    inside = tracemalloc.Filter(True, files, all_frames=True)
    return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([inside]).traces)
