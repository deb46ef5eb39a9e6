"""The laws as parameters of pytest, which is imported when they are asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from aucbench.errors import require_known
from aucbench.testing.asking import expectations
from aucbench.testing.laws import Law, LawWarning, NotAsked
from aucbench.testing.samples import extended, extent
from aucbench.testing.subjects import LAWS, named, subject_of


def parametrize_checks(
    kind: str, things: Iterable[Any], *, expected: Mapping[str, str] | None = None
) -> Any:
    """Decorate `def test(thing, law): law(thing)`, one test for each thing and law.

    Parameters
    ----------
    kind : str
        One of `LAWS`, such as solvers.
    things : iterable
        Names such as "sht-auc[k=3]", or what `check` takes of this kind.
    expected : mapping of str to str, optional
        Laws that are broken by all of them, with the reasons. They are marked as strict expected
        failures, beside those in `expected_failures` of a thing.

    Raises
    ------
    UnknownNameError
        When there is no such kind, a name names nothing, or `expected` names no law.
    """
    import pytest

    rows = []
    for thing in things:
        subjects = named(thing) if isinstance(thing, str) else (subject_of(thing, kind),)
        require_known(f"kind of {thing}", [kind], [one.kind for one in subjects])
        subject = next(one for one in subjects if one.kind == kind)
        built = subject.build()
        known = expectations(kind, built, expected or {})
        for law in LAWS[kind]:
            reason = known.get(law.name)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            name = f"{subject.name}-{law.name}"
            rows.append(pytest.param(built, _tested(law, reason), id=name, marks=marks))
    return pytest.mark.parametrize(("thing", "law"), rows)


def _tested(law: Law, expected: str | None) -> Callable[[Any], None]:
    """The law as a test: it skips a thing that it does not concern, and shows its warnings.

    One that is expected fails, as a broken law does.
    """
    import pytest

    def checked(thing: Any) -> None:
        try:
            with extended(extent().for_laws_of(thing)):
                law(thing)
        except NotAsked as why:
            pytest.skip(str(why))
        except LawWarning as warning:
            if expected:
                raise
            warnings.warn(warning, stacklevel=2)

    checked.__doc__ = law.doc
    return checked
