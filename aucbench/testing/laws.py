"""What a law is, and what was found when it was checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from inspect import cleandoc
from pathlib import Path
from time import perf_counter
from traceback import walk_tb
from typing import Any, NoReturn

from aucbench.records import Finding, Verdict

OURS = Path(__file__).resolve().parents[1]
EXPECTED = "expected_failures"  # the attribute of a plugin that names laws, with reasons


class LawBroken(AssertionError):
    """What was checked does not obey the law; the message says what came and what was wanted."""


class LawWarning(UserWarning):
    """Something that may be meant, and breaks nothing, such as a parameter that changes nothing."""


class NotAsked(Exception):
    """The law does not concern what was checked; the message says why."""


@dataclass(frozen=True)
class Law:
    """Something that every plugin of a kind obeys.

    Attributes
    ----------
    kind, name, doc : str
        What it concerns, such as solvers; its name, such as same-seed; what is checked, and why.
    tolerance : str
        How far numbers may differ.
    holds : function (thing)
        Returns if the law holds: nothing, or a sentence of what was found.
    once : bool
        Whether it asks that something differs on some rows, for which the small sample is enough.
    """

    kind: str
    name: str
    doc: str
    tolerance: str
    holds: Callable[[Any], str | None]
    once: bool = False

    @property
    def sentence(self) -> str:
        """What is checked, in one sentence."""
        return " ".join(self.doc.partition("\n\n")[0].split())

    def __call__(self, thing: Any) -> str | None:
        """Check a solver, a projector or a feature map; a function or class of other kinds.

        Raises
        ------
        LawBroken
            When the law does not hold. Exceptions of the plugin pass through.
        LawWarning
            When it holds, and the author should know of something.
        NotAsked
            When the law does not concern this thing.
        """
        return self.holds(thing)

    def __repr__(self) -> str:
        return self.name


class Laws:
    """The laws of one kind, those of `parts` first; it decorates a function to a law."""

    def __init__(self, kind: str, *parts: Iterable[Law]):
        self.kind = kind
        self._laws = [law for part in parts for law in part]

    def __iter__(self) -> Iterator[Law]:
        return iter(self._laws)

    def __call__(
        self, tolerance: str, *, once: bool = False
    ) -> Callable[[Callable[[Any], str | None]], Law]:
        """Return the decorator of a function whose docstring and name are those of the law."""

        def law(holds: Callable[[Any], str | None]) -> Law:
            name = holds.__name__.replace("_", "-")
            doc = cleandoc(holds.__doc__ or "")
            self._laws.append(Law(self.kind, name, doc, tolerance, holds, once))
            return self._laws[-1]

        return law


def require(holds: object, sentence: str) -> None:
    """Raise `LawBroken` with this sentence unless the condition holds."""
    if not holds:
        raise LawBroken(sentence)


def require_frozen(thing: object) -> None:
    """Raise `LawBroken` unless it is a frozen dataclass: ids and `space` are made of its fields."""
    name = type(thing).__name__
    require(is_dataclass(thing), f"{name} is no dataclass; decorate it with @dataclass")
    frozen = type(thing).__dataclass_params__.frozen  # type: ignore[attr-defined]
    require(frozen, f"{name} can be changed; write @dataclass(frozen=True)")


def warn(sentence: str) -> NoReturn:
    """End the check of a law with a warning: it is not broken."""
    raise LawWarning(sentence)


def not_asked(why: str) -> NoReturn:
    """End the check of a law that does not concern this plugin."""
    raise NotAsked(why)


def found(
    law: Law, thing: Any, name: str, expected: Mapping[str, str], *, strict: bool = True
) -> Finding:
    """Check one law, and return the verdict instead of raising.

    A law that is expected to be broken, and holds, is a failure too where expectations are strict:
    it is outdated.
    """
    begin = perf_counter()
    verdict, reason = Verdict.HOLDS, ""
    try:
        reason = law(thing) or ""
    except NotAsked as why:
        verdict, reason = Verdict.NOT_ASKED, str(why)
    except LawWarning as warning:
        verdict, reason = Verdict.WARNING, str(warning)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, and panics of extensions in Rust
        verdict, reason = Verdict.BROKEN, told(error)
    if law.name in expected:
        if verdict in (Verdict.BROKEN, Verdict.WARNING):
            verdict, reason = Verdict.EXPECTED, expected[law.name]
        elif verdict is Verdict.HOLDS and strict:
            verdict = Verdict.BROKEN
            reason = (
                f"it holds now; take it out of {EXPECTED}, where the reason was: "
                + (expected[law.name])
            )
    return Finding(law.kind, name, law.name, verdict, reason, perf_counter() - begin)


@dataclass(frozen=True)
class Cause:
    """Laws that have one verdict for one reason."""

    verdict: Verdict
    reason: str  # of the first law
    laws: tuple[str, ...]


def causes(findings: Iterable[Finding]) -> list[Cause]:
    """Return broken laws first, then warnings and others, each with those of the same reason.

    Reasons that differ by numbers only are the same.
    """
    by_cause: dict[tuple[Verdict, str], list[Finding]] = {}
    for finding in findings:
        kind = re.sub(r"-?\d[\d.e+-]*", "0", finding.reason)
        by_cause.setdefault((finding.verdict, kind), []).append(finding)
    order = [Verdict.BROKEN, Verdict.WARNING, Verdict.EXPECTED, Verdict.HOLDS, Verdict.NOT_ASKED]
    return [
        Cause(verdict, some[0].reason, tuple(finding.law for finding in some))
        for (verdict, _), some in sorted(by_cause.items(), key=lambda item: order.index(item[0][0]))
    ]


def told(error: BaseException) -> str:
    """The sentence of a broken law; of another exception its class, message, file and line."""
    if isinstance(error, LawBroken):
        return " ".join(str(error).split())
    text = re.sub(r"\s+", " ", f"{type(error).__name__}: {error}")
    return f"{text} ({place})" if (place := _place(error)) else text


def _place(error: BaseException) -> str:
    """The last line of the traceback in the package that we called, not in one that it calls."""
    place, called = "", None
    for frame, line in walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if Path(file).resolve().is_relative_to(OURS):
            continue
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        called = called or package
        if package == called:
            place = f"{file}:{line}"
    return place
