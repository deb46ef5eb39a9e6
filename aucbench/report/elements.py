"""Elements of HTML and SVG. A text becomes an element's child escaped; only `Html` is markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from aucbench.errors import shown

UNENDED = {"td", "th", "tr", "li", "p"}  # elements whose end HTML takes for granted


class Html(str):
    """A text that is markup."""

    __slots__ = ()


def tag(name: str, *children: object, **attributes: object) -> Html:
    """Return an element; an attribute that is None or empty is left out.

    In the name of an attribute `_` stands for `-`, and one at its end is left out.
    """
    own = "".join(
        f" {key.rstrip('_').replace('_', '-')}={_quoted(str(value))}"
        for key, value in attributes.items()
        if value is not None and value != ""
    )
    end = "" if name in UNENDED else f"</{name}>"
    return Html(f"<{name}{own}>{join(children)}{end}")


def _quoted(value: str) -> str:
    return value if value.isalnum() and value.isascii() else f'"{escape(shown(value))}"'


def join(children: Iterable[object]) -> Html:
    """Return texts, which are escaped, and elements, one after the other."""
    return Html("".join(c if isinstance(c, Html) else escape(shown(str(c))) for c in children))
