"""An experiment of a paper as data: what is run, what the paper prints, and where it prints it.

Design
  a. An experiment is one table or one figure. It names its plans, which the harness runs as any
     other, and the lines of them that stand beside each published number.
  b. Each published number is written here as it is printed, with its place. Nothing is tuned
     towards it.
  c. What the paper does not say is a note of the experiment, which every output shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from aucbench.bench.plan.fields import DEFAULT_TIMEOUT, Choice
from aucbench.datasets.reading import Reading
from aucbench.processes.records import Limits

AUC = "auc"
HOLDS, HOLDS_NOT, OPEN = "holds", "does not hold here", "open here"  # of a claim
AS_IT_IS = Reading()
AN_HOUR = Limits(timeout=DEFAULT_TIMEOUT)


class Scale(StrEnum):
    """How much of an experiment is run."""

    QUICK = "quick"  # minutes on two cores: fewer runs, smaller grids, smaller sets
    FULL = "full"  # the runs of the paper


class Protocol(StrEnum):
    """What is done with the rows."""

    CLEAN = "clean"  # nothing that is fitted or chosen has seen a test row
    AS_PUBLISHED = "as-published"  # with the leaks and the faults of the published code


@dataclass(frozen=True, slots=True)
class Published:
    """A number of a paper.

    Attributes
    ----------
    mean : float
        As printed, in the unit of the measure (an AUC in [0, 1], a time in seconds).
    sd : float or None
        Standard deviation over the runs; None where the paper prints none.
    runs : int or None
        Number of runs; None where the paper does not say it.
    """

    mean: float
    sd: float | None = None
    runs: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """Those of our cells that stand for one line of the paper.

    Attributes
    ----------
    datasets : tuple of str
        Specifications; more than one where a trial is a data set of its own.
    choice : Choice
        The solver of the plan.
    features : str
        The feature map of the plan.
    """

    datasets: tuple[str, ...]
    choice: Choice
    features: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One number of a table or a figure, ours and theirs.

    Attributes
    ----------
    row, column : str
        Its place in the paper.
    measure : str
        A key of `aucbench.papers.results.MEASURES`.
    line : Line
        Our cells.
    rivals : tuple of Line
        Other lines. Of `line` and these, that with the best mean on the test rows counts. It is a
        leak of some published protocols, and of no other use.
    published : Published or None
        What the paper prints; None for a number that it does not have.
    why : str
        Why the two numbers cannot be compared; empty when they can.
    fresh : bool
        Whether each run draws new rows, so that runs are independent. Otherwise they are splits
        of the same rows, whose standard error is larger.
    left_out : str
        Why no plan has its cells; empty when one has.
    """

    row: str
    column: str
    measure: str = AUC
    line: Line
    rivals: tuple[Line, ...] = ()
    published: Published | None = None
    why: str = ""
    fresh: bool = False
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a paper, and whether it holds here.

    Attributes
    ----------
    statement : str
        In our words, with its place in the paper.
    holds : bool or None
        None: it was not measured, or the measurements do not decide it.
    because : str
        The numbers that decide it, and why it fails where it does.
    """

    statement: str
    holds: bool | None
    because: str

    def __str__(self) -> str:
        """One paragraph for people."""
        known = {True: f"{HOLDS}:", False: f"{HOLDS_NOT}, because", None: f"{OPEN}:"}
        return f"{self.statement} — {known[self.holds]} {self.because}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A measurement of an experiment that is no cell: a function of a data set.

    It runs in a process of its own, see `aucbench.papers.measuring`.

    Attributes
    ----------
    name : str
        For people, unique in its experiment.
    call : str
        "package.module:function", called as function(data, **request); it returns a dict of JSON.
    request : mapping
        JSON: the other parameters of the function.
    dataset : str
        Specification of the data set.
    reading : Reading
        How it is read.
    limits : Limits
        Of its process, unless the command says others.
    """

    name: str
    call: str
    request: Mapping[str, Any] = field(default_factory=dict)
    dataset: str
    reading: Reading = AS_IT_IS
    limits: Limits = AN_HOUR
