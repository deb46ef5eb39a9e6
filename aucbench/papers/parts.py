"""An experiment of a paper: what is run, what the paper prints, what is drawn, what is claimed.

Each published number is written as it is printed, with its place, and nothing is tuned towards it.
What the paper does not say is a note of the experiment, which every output shows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from aucbench.bench.cell import Choice
from aucbench.bench.codec import dump
from aucbench.bench.plan.plan import Plan
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import ParameterError, UnknownNameError
from aucbench.processes.records import Limits
from aucbench.ranges import DEFAULT_TIMEOUT
from aucbench.registry.specs import Spec, SpecChain

AUC = "auc"
HOLDS, HOLDS_NOT, OPEN = "holds", "does not hold here", "open here"  # of a claim
AS_IT_IS = ReadOptions()
AN_HOUR = Limits(timeout=DEFAULT_TIMEOUT)
Plain = Mapping[str, Any]  # a table of a TOML file


class Form(NamedTuple):
    """A form of claims or drawings: its function, and the keys that it needs and takes."""

    use: Callable[..., Any]
    needs: Collection[str]
    takes: Collection[str] = ()


def check_form(what: str, plain: Plain, forms: Mapping[str, Form]) -> None:
    """Refuse a claim or a drawing of no form, or with keys that its form has not.

    Raises
    ------
    UnknownNameError
        When there is no such form or key.
    ParameterError
        When a key is missing.
    """
    if (name := str(plain.get("form"))) not in forms:
        raise UnknownNameError(f"form of a {what}", name, forms)
    kind = f"{what} of the form {name!r}"
    require_keys(f"a {kind}", plain, {"form", *forms[name].needs, *forms[name].takes})
    if missing := [key for key in forms[name].needs if key not in plain]:
        raise ParameterError(f"a {kind} lacks {', '.join(missing)}")


def require_keys(what: str, plain: Plain, known: Collection[str]) -> None:
    """Raise `UnknownNameError` for a key that is not known."""
    for key in plain:
        if key not in known:
            raise UnknownNameError(f"key of {what}", key, known)


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
    """A number of a paper, in the unit of its measure (an AUC in [0, 1], a time in seconds)."""

    mean: float
    sd: float | None = None  # over the runs; None where the paper prints none
    runs: int | None = None  # None where the paper does not say it


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A measurement of an experiment that is no cell: a function of a data set.

    It runs in a process of its own, see `aucbench.papers.measuring`.
    """

    name: str  # for people, unique in its experiment
    call: str  # "package.module:function", called as function(data, **request) -> dict of JSON
    request: Mapping[str, Any] = field(default_factory=dict)  # JSON
    dataset: Spec
    reading: ReadOptions = AS_IT_IS
    limits: Limits = AN_HOUR  # unless the command says others

    @property
    def plain(self) -> dict[str, Any]:
        """What its result depends on, as plain values."""
        return {
            "call": self.call,
            "request": dict(self.request),
            "dataset": dump(self.dataset),
            "reading": dump(self.reading),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Those of our results that stand for one line of the paper: cells, or measurements."""

    method: str = ""  # as the paper calls it
    row: str = ""  # the words for its rows
    # What the file says of it besides, such as the number of training rows.
    at: Plain = field(default_factory=dict, compare=False)
    datasets: tuple[Spec, ...] = ()  # more than one if each trial is a data set of its own
    choice: Choice | None = None
    features: SpecChain | None = None
    truncated: bool = False  # whether small weights count as 0 where the support is measured
    minimum: Choice | None = None  # the exact solver of what it minimises
    measurements: tuple[str, ...] = ()  # one a run, by name


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One number of a table or a figure, ours and theirs."""

    row: str
    column: str
    measure: str = AUC  # a key of `aucbench.papers.results.MEASURES`
    line: Line
    # Of `line` and these, that with the best mean on the test rows counts. It is a leak of some
    # published protocols, and of no other use.
    rivals: tuple[Line, ...] = ()
    published: Published | None = None  # None for a number that the paper does not have
    why: str = ""  # the two numbers cannot be compared
    # Whether each run draws new rows, so that runs are independent. Otherwise they are splits of
    # the same rows, whose standard error is larger.
    fresh: bool = False
    left_out: str = ""  # why no plan has its cells


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a paper in our words with its place, and whether it holds here."""

    statement: str
    holds: bool | None  # None: it was not measured, or the measurements do not decide it
    because: str  # the numbers that decide it, and why it fails where it does

    def __str__(self) -> str:
        """One paragraph for people."""
        known = {True: f"{HOLDS}:", False: f"{HOLDS_NOT}, because", None: f"{OPEN}:"}
        return f"{self.statement} — {known[self.holds]} {self.because}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A table or a figure of a paper, at a scale and with a protocol."""

    paper: str = ""
    place: str = ""  # such as "table 3"
    scale: Scale = Scale.QUICK
    protocol: Protocol = Protocol.CLEAN
    title: str
    # Sentences: the protocol, what the paper leaves open, and what is smaller here.
    notes: tuple[str, ...] = ()
    plans: tuple[Plan, ...] = ()  # what the harness runs; their cells are different
    measurements: tuple[Measurement, ...] = ()  # what it runs besides
    lines: tuple[Line, ...] = ()  # without those that no plan has
    entries: tuple[Entry, ...] = ()
    drawings: tuple[Plain, ...] = ()  # see `aucbench.papers.drawings`
    claims: tuple[Plain, ...] = ()  # see `aucbench.papers.claims`
    # Of intervals of differences: `ratio`, test rows divided by training rows of a split, and
    # `repeats` of the splits. Without them, those of the records count.
    splits: Plain = field(default_factory=dict)
