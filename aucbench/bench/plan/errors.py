"""What is wrong with a plan, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from aucbench.errors import AucbenchError, ParameterError
from aucbench.registry.specs import Spec, anchored, parse_spec, short

T = TypeVar("T")
Place = tuple[str | int, ...]


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
        each = (f"{_named(error.value)}: {error}" for error in self.errors)
        return f"{len(self.errors)} parts of the plan cannot be used:", *each


def _named(value: Any) -> str:
    return short(value) if isinstance(value, Spec) else str(value)


def every(calls: Iterable[Callable[[], T]]) -> list[T]:
    """Return what functions return; if some refuse the plan, all of them are heard."""
    results, refused = [], []
    for call in calls:
        try:
            results.append(call())
        except PlanError as error:
            refused.append(error)
    if refused:
        raise refused[0] if len(refused) == 1 else PlanErrors(refused)
    return results


def with_place(place: Place, check: Callable[..., T], *args: Any, value: Any = None) -> T:
    """Return what a call returns; what it raises becomes a `PlanError` with this place."""
    try:
        return check(*args)
    except PlanError:
        raise
    except AucbenchError as error:
        raise PlanError(str(error), *place, value=value) from error


def require_text(text: Any, field: str, *place: str | int) -> None:
    """Raise `PlanError` unless this is text of Unicode."""
    if not isinstance(text, str):
        raise PlanError(f"{field} holds {text!r}, wanted a name", *place, value=text)
    if any("\ud800" <= c <= "\udfff" for c in text):  # a file name in another encoding
        raise PlanError(f"{field} holds {text!r}, which is no Unicode text", *place)


def read_spec(given: Any, field: str, *place: str | int) -> Spec:
    """Return a specification with the whole path of its file, parsed unless it is already."""
    if isinstance(given, Spec):
        return anchored(given)
    require_text(given, field, *place)
    return anchored(with_place(place, parse_spec, given, value=given))
