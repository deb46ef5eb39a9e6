"""An error of a plugin as one sentence, with the file and the line in which it was raised."""

from __future__ import annotations

from aucbench.bench.worker.blame import place_of
from aucbench.registry.discovery import describe_error


def sentence_of(error: BaseException) -> str:
    """Return "it raised ValueError: math domain error, in the metric a:gain 1.0 (file, line 3)"."""
    place = place_of(error)
    return f"it raised {describe_error(error)}" + (f", {place}" if place else "")
