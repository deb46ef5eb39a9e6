"""What is wrong with a plan, and where; specifications and suites as a plan holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from aucbench.datasets.reading import SUITE
from aucbench.errors import AucbenchError, ParameterError
from aucbench.registry.specs import Spec, anchored, parse_spec, short

T = TypeVar("T")


class PlanError(ParameterError):
    """A part of a plan makes no sense, or cannot be used."""

    def __init__(self, message: str, *place: str | int, value: Any = None):
        super().__init__(message)
        self.place = place
        self.value = value


class PlanErrors(PlanError):
    """Several parts of a plan make no sense, or cannot be used."""

    def __init__(self, errors: Sequence[PlanError]):
        self.errors = tuple(errors)
        head, *each = self.lines
        super().__init__(f"{head} {'; '.join(each)}", *errors[0].place, value=errors[0].value)

    @property
    def lines(self) -> tuple[str, ...]:
        """Their number, and each with what it is about."""
        each = (f"{short(str(error.value))}: {error}" for error in self.errors)
        return f"{len(self.errors)} parts of the plan cannot be used:", *each


def every(calls: Iterable[Callable[[], T]]) -> list[T]:
    """Return what functions return; where some refuse the plan, all of them are heard."""
    results, refused = [], []
    for call in calls:
        try:
            results.append(call())
        except PlanError as error:
            refused.append(error)
    if refused:
        raise refused[0] if len(refused) == 1 else PlanErrors(refused)
    return results


def with_place(
    place: tuple[str | int, ...], check: Callable[..., T], *args: Any, value: Any = None
) -> T:
    """Return what a call returns; what it raises becomes a `PlanError` with this place."""
    try:
        return check(*args)
    except PlanError:
        raise
    except AucbenchError as error:
        raise PlanError(str(error), *place, value=value) from error


def checked_spec(spec: Any) -> Spec:
    """Return the specification of one solver, parsed unless it is already, with whole paths."""
    if isinstance(spec, Spec):
        return replace(spec, name=anchored(spec.name))
    require_text(spec, "solvers", "spec")
    return with_place(("spec",), lambda: parse_spec(anchored(spec)), value=spec)


def require_text(text: Any, field: str, place: str) -> None:
    """Raise `PlanError` unless this is text of Unicode."""
    if not isinstance(text, str):
        raise PlanError(f"{field} holds {text!r}, wanted a name", place, value=text)
    if any("\ud800" <= c <= "\udfff" for c in text):  # a file name in another encoding
        raise PlanError(f"{field} holds {text!r}, which is no Unicode text", place)


def with_members(datasets: Sequence[str]) -> Sequence[str]:
    """Return data sets with the members of suites in place of the suites.

    The catalogue is imported where there is a suite only, since it takes NumPy along.
    """
    if not any(text.startswith(SUITE) for text in datasets):
        return datasets
    from aucbench.datasets.catalogue import expanded

    return expanded(datasets)
