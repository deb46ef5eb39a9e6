"""Turn the formulas of the pages on methods, `$...$` and blocks of math, into MathML.

Browsers draw MathML by themselves, so no page needs a script or a font of another host.
"""

from __future__ import annotations

import re

from latex2mathml.converter import convert

BLOCK = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<![\\$])\$([^$\n]+)\$")


def with_formulas(page: str) -> str:
    """Return a page with MathML in place of its formulas; code stays as it is."""
    blocks = BLOCK.sub(lambda found: f'<div class="formula">{mathml(found[1], True)}</div>', page)
    parts = CODE.split(blocks)
    parts[::2] = [INLINE.sub(lambda found: mathml(found[1]), text) for text in parts[::2]]
    return "".join(parts)


def mathml(formula: str, block: bool = False) -> str:
    """Return a formula as MathML in one line.

    Raises
    ------
    ValueError
        When a command of the formula is not known, so that it would stand there as text.
    """
    found = convert(" ".join(formula.split()), display="block" if block else "inline")
    if unknown := re.findall(r"<m\w+[^>]*>(\\\w+)</m", found):
        raise ValueError(f"{formula.strip()!r} has {', '.join(unknown)}, which is no MathML")
    return str(found)
