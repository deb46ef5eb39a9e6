"""The laws as parameters of pytest, which is imported when they are asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from aucbench.testing.asking import expectations
from aucbench.testing.laws import Law, LawWarning, NotAsked
from aucbench.testing.subjects import LAWS, Subject, named, subject_of

Things = Iterable[Any]
Expected = Mapping[str, str] | None


def parametrize_solver_checks(solvers: Things, *, expected: Expected = None) -> Any:
    """Decorate `def test(solver, law): law(solver)`, one test for each solver and law.

    Parameters
    ----------
    solvers : iterable of str, solver or class
        Names such as "sht-auc[k=3]", instances, or classes that need no argument.
    expected : mapping of str to str, optional
        Laws that are broken by all of them, with the reasons. They are marked as strict expected
        failures, beside those in `expected_failures` of a solver.

    Raises
    ------
    UnknownNameError
        When a name names nothing, or `expected` names no law.
    """
    return _parametrized("solvers", "solver", solvers, expected)


def parametrize_objective_checks(objectives: Things, *, expected: Expected = None) -> Any:
    """Decorate `def test(objective, law): law(objective)`; classes or names, else as solvers."""
    return _parametrized("objectives", "objective", objectives, expected)


def parametrize_projector_checks(projectors: Things, *, expected: Expected = None) -> Any:
    """Decorate `def test(projector, law): law(projector)`, else as solvers."""
    return _parametrized("projectors", "projector", projectors, expected)


def parametrize_feature_checks(features: Things, *, expected: Expected = None) -> Any:
    """Decorate `def test(features, law): law(features)`, else as solvers."""
    return _parametrized("features", "features", features, expected)


def parametrize_pairs_checks(pairs: Things, *, expected: Expected = None) -> Any:
    """Decorate `def test(pairs, law): law(pairs)`, else as solvers."""
    return _parametrized("pairs", "pairs", pairs, expected)


def parametrize_dataset_checks(datasets: Things, *, expected: Expected = None) -> Any:
    """Decorate `def test(dataset, law): law(dataset)`; functions, `Data` or names."""
    return _parametrized("datasets", "dataset", datasets, expected)


def parametrize_metric_checks(metrics: Things, *, expected: Expected = None) -> Any:
    """Decorate `def test(metric, law): law(metric)`; functions of labels and scores."""
    return _parametrized("metrics", "metric", metrics, expected)


def _parametrized(kind: str, argument: str, things: Things, expected: Expected) -> Any:
    import pytest

    rows = []
    for thing in things:
        subject = _subject(kind, thing)
        built = subject.build()
        known = expectations(kind, built, expected or {})
        for law in LAWS[kind]:
            reason = known.get(law.name)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            name = f"{subject.name}-{law.name}"
            rows.append(pytest.param(built, _tested(law, reason), id=name, marks=marks))
    return pytest.mark.parametrize((argument, "law"), rows)


def _subject(kind: str, thing: Any) -> Subject:
    if not isinstance(thing, str):
        return subject_of(thing, kind)
    return next(subject for subject in named(thing) if subject.kind == kind)


def _tested(law: Law, expected: str | None) -> Callable[[Any], None]:
    """The law as a test: it skips a thing that it does not concern, and shows its warnings.

    One that is expected fails, as a broken law does.
    """
    import pytest

    def checked(thing: Any) -> None:
        try:
            law(thing)
        except NotAsked as why:
            pytest.skip(str(why))
        except LawWarning as warning:
            if expected:
                raise
            warnings.warn(warning, stacklevel=2)

    checked.__doc__ = law.doc
    return checked
