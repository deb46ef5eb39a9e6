"""Names of data sets and solvers: what was chosen of them, as far as it varies in the folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from aucbench.datasets.reading import Reading
from aucbench.registry.specs import bare, short

OF_TUNING = ("tune_evals", "inner_splits", "tune_seconds")

Key = tuple[Any, ...]


def names_of(keys: Sequence[Key], fields: Sequence[str]) -> tuple[str, ...]:
    """Return the first field of each key, with those of the others that vary.

    Of what is in a file they have as little of its path as makes them different.
    """
    varying = [j for j, values in _values(keys, fields).items() if len(values) > 1]

    def said(key: Key, place: Callable[[str], str]) -> str:
        others = [
            str(key[j]) if isinstance(key[j], Reading) else f"{fields[j]}={place(str(key[j]))}"
            for j in varying
            if key[j] is not None
        ]
        return ", ".join([place(key[0]), *others])

    for place in (_bare, partial(_bare, parts=1), _short, str):
        names = tuple(said(key, place) for key in keys)
        if len({*names}) == len(names):
            break
    return names


def _bare(text: str, parts: int = 0) -> str:
    return bare(text, parts, joined="+" in text)


def _short(text: str) -> str:
    return short(text, joined="+" in text)


def shared(keys: Sequence[Key], fields: Sequence[str]) -> dict[str, Any]:
    """Return the fields, but the first, that are the same for all keys and say something."""
    same = {fields[j]: values for j, values in _values(keys, fields).items() if len(values) == 1}
    return {name: one for name, [one] in same.items() if one not in (None, (), Reading())}


def _values(keys: Sequence[Key], fields: Sequence[str]) -> dict[int, list[Any]]:
    """Return the different values of each field but the first; tuning says nothing without it."""
    return {
        j: [*dict.fromkeys(k[j] for k in keys if fields[j] not in OF_TUNING or k[j] is not None)]
        for j in range(1, len(fields))
    }
