"""What the process of a job says: in a stream of frames, which may hold anything.

A frame is a kind, the lengths of a name and of a content, the name and the content.

    line      an object of JSON, handed over at once
    file      its name and its bytes
    kept      what a step keeps, or where that is
    result    what the function has returned, JSON
    failure   its exception, JSON

The frames are read when all processes of the job have ended. What comes after a frame that is
damaged, or incomplete because the process was killed, is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from math import isfinite
from struct import Struct
from typing import Any, NamedTuple, NoReturn

from aucbench.errors import float_of
from aucbench.processes.records import Ending, Outcome

LINE, FILE, KEPT, RESULT, FAILURE = KINDS = b"l", b"f", b"k", b"r", b"e"
HEAD = Struct("<cHQ")  # kind, bytes of the name, bytes of the content
MOST_BYTES = 64 * 2**20  # of the result, of the lines, and of the files
MOST_STREAM = 4 * MOST_BYTES  # of all frames
MOST_FILES = 200
FAILED = {"reason": str, "error_type": str, "refusal": bool, "memory": bool}  # of a failure


class UnfitAnswerError(Exception):
    """An answer cannot be used; the message says why."""


class Frame(NamedTuple):
    """A part of an answer."""

    kind: bytes
    name: str
    content: bytes


def frame(kind: bytes, content: bytes, name: str = "") -> bytes:
    """Return the bytes of a frame."""
    called = name.encode()
    return b"".join((HEAD.pack(kind, len(called), len(content)), called, content))


@dataclass(frozen=True)
class Answer:
    """The frames of a job."""

    stream: bytes

    @property
    def ending(self) -> Outcome | None:
        """How the function ended, as its process says; None where it does not."""
        if failures := self._of(FAILURE):
            return _failed(json_object(failures[-1]))
        return Outcome(Ending.OK) if self._of(RESULT) else None

    @property
    def result(self) -> dict[str, Any]:
        """What the function has returned."""
        returned = self._of(RESULT)
        value = json_object(returned[-1]) if returned else None
        if value is None:
            raise UnfitAnswerError("the result is not a JSON object; return a dict of plain values")
        return value

    @property
    def lines(self) -> tuple[dict[str, Any], ...]:
        """The objects of its lines, up to the first that is none."""
        texts = self._of(LINE)
        require_few("what it has told in lines", map(len, texts))
        objects = takewhile(lambda line: line is not None, map(json_object, texts))
        return tuple(objects)  # type: ignore[arg-type] # none of them is None

    @property
    def files(self) -> dict[str, bytes]:
        """The files that it has handed over."""
        files = [(frame.name, frame.content) for frame in self.frames if frame.kind == FILE]
        require_few("what it has handed over", (len(content) for _, content in files))
        return dict(files)

    @cached_property
    def frames(self) -> list[Frame]:
        """Its frames, up to the first that is damaged or incomplete."""
        return [*_frames(self.stream)]

    def _of(self, kind: bytes) -> list[bytes]:
        return [frame.content for frame in self.frames if frame.kind == kind]


def with_answer(outcome: Outcome, answer: Answer) -> Outcome:
    """Return an outcome with what the job has said; an unfit answer makes an error of a success."""
    if outcome.step is not None:
        return outcome
    try:
        outcome = replace(outcome, lines=answer.lines)
        outcome = replace(outcome, files=answer.files)
        if outcome.ending is Ending.OK:
            outcome = replace(outcome, result=answer.result)
    except UnfitAnswerError as unfit:
        if outcome.ending is Ending.OK:
            return replace(outcome, ending=Ending.ERROR, reason=str(unfit))
    return outcome


def json_object(text: bytes) -> dict[str, Any] | None:
    """Return a JSON object whose numbers are finite floats, or ints of their range; else None."""
    try:
        value = json.loads(text, parse_constant=_refuse, parse_int=_whole, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _frames(stream: bytes) -> Iterator[Frame]:
    at = 0
    while len(stream) - at >= HEAD.size:
        kind, called, size = HEAD.unpack_from(stream, at)
        name_end = at + HEAD.size + called
        end = name_end + size
        if kind not in KINDS or end > len(stream):
            return
        name = stream[at + HEAD.size : name_end].decode(errors="replace")
        yield Frame(kind, name, stream[name_end:end])
        at = end


def _failed(plain: Mapping[str, Any] | None) -> Outcome | None:
    """Return the outcome of a failure; None when it is damaged, perhaps on purpose by the job."""
    if plain is None or {name: type(value) for name, value in plain.items()} != FAILED:
        return None
    ending = Ending.MEMOUT if plain["memory"] else Ending.ERROR
    return Outcome(ending, plain["reason"], plain["error_type"], plain["refusal"])


def require_few(what: str, sizes: Iterable[int]) -> None:
    """Raise `UnfitAnswerError` where a job has said too much."""
    if sum(sizes) > MOST_BYTES:
        raise UnfitAnswerError(f"{what} has more than {MOST_BYTES >> 20} MiB; write less")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _whole(digits: str) -> int:
    value = int(digits)
    return value if float_of(value) is not None else _refuse(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    return value if isfinite(value) else _refuse(digits)
