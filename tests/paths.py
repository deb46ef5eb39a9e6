"""The path of the AUM in exact numbers, and the published search that no solver has."""

import numpy as np

from aucbench.aum import Lines, reference_path, walk

NEVER = 2**1022  # almost larger than any float


def exact_rows(T, d, fp, fn):
    """Return (step, AUM, slope, AUC, AUC after, number of events) at each float step."""
    rows, after = {}, None
    for event in reference_path(Lines(*(np.asarray(x, float) for x in (T, d, fp, fn)))):
        if event.step >= NEVER:
            break
        before, after = after, event.auc_after
        row = rows.setdefault(float(event.step), [before, event.aum, 0, event.auc, 0, 0])
        if row[0] is not None:  # at step 0 the AUC is that of step 0 itself
            row[3] = (row[0] + after) / 2
        row[2], row[4], row[5] = event.slope_after, after, row[5] + 1
    return [(step, *row[1:]) for step, row in rows.items()]


def first_max_auc(lines):
    """Return the first local maximum of the AUC, where the published search for it ends."""
    for pieces in walk.find_plateaus(walk.Walk(lines)):
        if pieces.optimum.any():
            return pieces.found(int(pieces.optimum.argmax()))
    return pieces.found(-1)
