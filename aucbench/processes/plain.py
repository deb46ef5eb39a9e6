"""Orders, reports and failures as JSON. A missing or unknown name, or another type, is an error.

The dataclasses of `records` define the format. cattrs generates the code when this module is
imported, so that the warm process does it once, before it forks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cattrs import Converter, transform_error
from cattrs.errors import BaseValidationError
from cattrs.v import format_exception

from aucbench.errors import AucbenchError
from aucbench.processes.orders import Call, Order
from aucbench.processes.records import Ending, Failure, Report

T = TypeVar("T")

_converter = Converter(forbid_extra_keys=True)


class MalformedError(Exception):
    """JSON of another format; the message says where and why."""


def to_plain(record: Order | Report | Failure) -> dict[str, Any]:
    """Return plain values for `from_plain`."""
    plain: dict[str, Any] = _converter.unstructure(record)
    return plain


def from_plain(kind: type[T], plain: Any) -> T:
    """Build the object from the plain values that `to_plain` returns.

    Raises
    ------
    MalformedError
        When the values have another format.
    """
    if not isinstance(plain, dict):
        raise MalformedError(f"{type(plain).__name__} is not a {kind.__name__} @ $")
    try:
        return _converter.structure(plain, kind)
    except BaseValidationError as error:
        raise MalformedError("; ".join(transform_error(error, "$", _sentence))) from error


def _sentence(error: BaseException, kind: Any) -> str:
    """Describe an error; cattrs alone would replace our messages by "invalid value"."""
    return str(error) if isinstance(error, AucbenchError) else format_exception(error, kind)


def _only(*kinds: type) -> Callable[[Any, Any], Any]:
    """Accept values of these types only; cattrs alone would convert the text "1" to a number."""

    def take(value: Any, _: Any) -> Any:
        if type(value) not in kinds:
            raise TypeError(f"{type(value).__name__}, not {kinds[0].__name__}")
        return value

    return take


for _kinds in ((str,), (bool,), (int,), (float, int)):
    _converter.register_structure_hook(_kinds[0], _only(*_kinds))
# Ending is a subclass of str: without a hook of its own it would stay a str.
_converter.register_structure_hook(Ending, lambda value, _: Ending(value))
for _kind in (Order, Call, Report, Failure):
    _converter.get_structure_hook(_kind)
    _converter.get_unstructure_hook(_kind)
