"""Text for a terminal or a pipe: aligned columns, and names without control characters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def shown(text: str) -> str:
    """`text` with characters that are not printable written as escapes, on one line."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def reason_text(error_type: str | None, reason: str | None) -> str:
    """Return class of the error, if there was one, and reason, as in "ValueError: k is 0"."""
    return ": ".join(part for part in (error_type, reason) if part)


def aligned(lines: Iterable[Sequence[str]], right: Collection[int] = ()) -> str:
    """Align columns, two spaces apart; those in `right` are aligned right."""
    table = [[shown(text) for text in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(
            text.rjust(width) if j in right else text.ljust(width)
            for j, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    )
