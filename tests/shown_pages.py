"""Pages that lead through commands: their blocks, and whether an output is what they show."""

import re
import shlex
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:e-?\d+)?")


def text_of(page):
    return (DOCS / page).read_text(encoding="utf-8")


def section(page, heading):
    """Text of a page from a heading to the next one of the same level, or to the end."""
    level = heading.split()[0]
    found = re.split(rf"^(?={level} )", text_of(page), flags=re.MULTILINE)
    [text] = [text for text in found if text.startswith(f"{heading}\n")]
    return text


def blocks(page):
    """Language and content of the code blocks of a page, in their order."""
    return blocks_in(text_of(page))


def blocks_in(text):
    """Language and content of the code blocks of a text, in their order."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(block):
    """Each command of a console block, and what is shown below it."""
    found = re.findall(r"^\$ ((?:[^\n]*\\\n)*[^\n]*)\n?((?:(?!\$ ).*\n?)*)", block, re.MULTILINE)
    return [(command.replace("\\\n", " "), shown) for command, shown in found]


def masked(text):
    """Return lines without numbers, which depend on time and libraries, and without marks."""
    words = (NUMBER.sub("#", line).split() for line in text.splitlines())
    return [" ".join(word for word in line if word not in {"*", "b", "N"}) for line in words]


def assert_in_order(shown, printed):
    """Are the lines of the page, but for `...`, lines of the output in the same order?"""
    rest = iter(masked(printed))
    for line in masked(shown):
        assert line == "..." or line in rest, f"{line!r} is not, or not there, in\n{printed}"


def table(text):
    """Name, mark, AUC, non-zeros (-1: none) of each line; times differ from run to run."""
    line = r"^\*? +(\S.*?) +(\d\.\d{4}) +(?:\S+–\S+ +)?\S+ +\S+ +(\S+) +\d+/\d+ *([\w ]*)$"
    return [
        (name, mark, float(auc), float(nnz.replace("-", "-1")))
        for name, auc, nnz, mark in re.findall(line, text, re.MULTILINE)
    ]


def assert_shown(shown, printed):
    """Its lines are there, and the AUC and the non-zeros of its table; libraries round apart."""
    assert_in_order(shown, printed)
    came = table(printed)
    for *row, auc, nnz in table(shown):
        assert any(
            other == row and abs(a - auc) <= 0.002 and abs(b - nnz) <= 0.002
            for *other, a, b in came
        ), f"{row}, {auc}, {nnz} is not in\n{printed}"


def play(text, programs, form=str):
    """Run the blocks of a text in the present folder, and compare what they print with it.

    Code prints exactly what a block of text below it shows, in this form. A program is a function
    of the words of its command, which returns what it has printed. Return how many outputs and
    commands there were.
    """
    names, count, printed = {}, 0, None
    for language, block in blocks_in(text):
        if language == "text" and printed is not None:
            if "..." in block:
                assert_in_order(block, printed)
            else:
                assert form(printed) == form(block)
            count += 1
        printed = None
        if language == "python":
            with redirect_stdout(StringIO()) as out:
                exec(block, names)
            printed = out.getvalue()
        for command, shown in commands(block) if language == "console" else ():
            program, *words = shlex.split(command)
            if program in programs:
                assert_shown(shown, programs[program](words))
                count += 1
    return count
