"""A fit by parts that is ended; found by the path of its parent, in a process of its own."""

import os

from aucbench.models import parted_job
from aucbench.scale import Here


def ends(request, room, steps):
    """Fit, and end the process after three readings."""
    own, left = Here.reduce, iter(range(3))

    def reduce(self, *args, **kwargs):
        if next(left, None) is None:
            os._exit(7)
        return own(self, *args, **kwargs)

    Here.reduce = reduce
    return parted_job.fit(request, room, steps)
