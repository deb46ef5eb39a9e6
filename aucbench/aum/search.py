"""Exact line searches for the AUM and the AUC; their memory does not grow with the events."""

from __future__ import annotations

from math import inf

from aucbench.aum.lines import Found, Lines
from aucbench.aum.walk import Walk, best_piece, first_piece, plateaus, valleys
from aucbench.kernels import aum_sweep


def first_min(lines: Lines, *, max_events: int | None = None, step_limit: float = inf) -> Found:
    """Return the first local minimum of the AUM over steps in [0, step_limit].

    A minimum may be an interval on which the AUM is constant and after which it rises. Its
    midpoint is chosen, or its beginning when it has no end. If the search ends while the AUM
    still falls, it returns the least AUM it saw: that of the last event, or of step_limit.

    A slope counts as 0 when its magnitude is at most c Σ_b |slope_b - mean| (|fp_b| + |fn_b|),
    which bounds the rounding. Here c = 2**-80 if all errors are whole numbers, and
    c = 2**-49 + B 2**-60 otherwise.

    As for all searches here, time is O((B + events) log B) and memory is O(B).

    Parameters
    ----------
    lines : Lines
        Thresholds along the line.
    max_events : int, optional
        Visit at most this many distinct steps after step 0. An interval that goes on after
        them is returned up to the next event.
    step_limit : float
        Larger steps are not considered.

    Raises
    ------
    DataError
        When the lines break a rule of `aum_path`.
    ParameterError
        When `max_events` is not a whole number >= 0, or `step_limit` is not a number >= 0.
    """
    return first_piece(valleys(Walk(lines, aum_sweep.AUM_RISES, max_events, step_limit)))


def best_min(lines: Lines, *, max_events: int | None = None, step_limit: float = inf) -> Found:
    """Return the least AUM of all visited events and of step_limit.

    This is the published "quadratic" search. With max_events equal to the number of lines it is
    the published "linear" search. Parameters and errors are those of `first_min`.
    """
    walk = Walk(lines, aum_sweep.NO_STOP, max_events, step_limit)
    return best_piece(walk, valleys(walk), -1.0)


def first_max_auc(
    lines: Lines,
    *,
    max_events: int | None = None,
    step_limit: float = inf,
    validation: Lines | None = None,
) -> Found:
    """Return the first local maximum of the AUC.

    The AUC is constant between events. At an event it is the mean of the AUCs before and after
    it. So a maximum is an open interval, and its midpoint is chosen. If the interval has no end,
    twice its beginning is chosen. If it is all steps > 0, step 1 is chosen when the AUC is
    larger there than at step 0 (where thresholds may be tied), and step 0 otherwise. AUCs are
    exact for labels and for whole numbers of errors. Other AUCs count as equal when they differ
    by at most 2**-49.

    With `validation`, the AUC is that of the lines `validation`. Then only steps up to the end
    of the first local minimum of the AUM of `lines` are considered. Two sweeps run one after the
    other. The end of the first does not depend on the second, so the result is the same as if
    the events of both were visited in order. `max_events` holds for each sweep, and `events`
    counts the events of both. The other parameters and the errors are those of `first_min`.
    """
    walk, spent = _walk_of_auc(lines, aum_sweep.AUC_FALLS, max_events, step_limit, validation)
    return first_piece(plateaus(walk), spent)


def best_max_auc(
    lines: Lines,
    *,
    max_events: int | None = None,
    step_limit: float = inf,
    validation: Lines | None = None,
) -> Found:
    """Return the largest AUC of all visited events; all else is as in `first_max_auc`."""
    walk, spent = _walk_of_auc(lines, aum_sweep.NO_STOP, max_events, step_limit, validation)
    return best_piece(walk, plateaus(walk), 1.0, spent)


def _walk_of_auc(
    lines: Lines, stop: int, max_events: int | None, step_limit: float, validation: Lines | None
) -> tuple[Walk, int]:
    """Return the walk that has the AUC, and how many events were spent to find its limit."""
    if validation is None:
        return Walk(lines, stop, max_events, step_limit), 0
    minimum = first_min(lines, max_events=max_events, step_limit=step_limit)
    return Walk(validation, stop, max_events, minimum.step_hi), minimum.events
