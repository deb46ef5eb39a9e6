"""What is refused when all names of a plan are known: cells that would mean nothing."""

from __future__ import annotations

from collections.abc import Mapping

from aucbench.bench.answers import Lookup, Name
from aucbench.bench.cell import Tuning
from aucbench.bench.plan.plan import Plan
from aucbench.errors import ParameterError, UnsupportedError, needless
from aucbench.registry.specs import Spec, bare

Known = Mapping[Name, Lookup]


def replaced_parts(plan: Plan) -> list[str]:
    """Return which parts of its solvers a plan replaces."""
    return [kind for kind in ("objective", "projector") if getattr(plan, kind) is not None]


def refuse_misfits(plan: Plan, known: Known) -> None:
    """Raise when names do not fit together."""
    _refuse_equal(known)
    _refuse_ignored(plan, known)
    _refuse_needless(plan, known)
    _refuse_unfit_objective(plan, known)


def _refuse_equal(known: Known) -> None:
    """Raise when two files hold one thing, or two names one data set.

    The cells of the files would have one id. The data set would count twice in what is said across
    data sets.
    """
    seen: dict[tuple[str, str, Tuning, str], Spec | str] = {}
    for name, found in known.items():
        label = "" if found.target else bare(str(name.spec))
        if label == str(name.spec):
            continue
        other = seen.setdefault((name.kind, label, name.tuning, found.fingerprint), name.spec)
        if other is not name.spec:
            raise ParameterError(f"{other} and {name.spec} are the same; name one of them")


def _refuse_ignored(plan: Plan, known: Known) -> None:
    """Raise when a solver would ignore --objective or --projector: its rows would be wrong."""
    for kind in replaced_parts(plan):
        tied = [
            name.label
            for name, lookup in known.items()
            if name.kind == "solvers" and not lookup.failure and not lookup.needs.get(kind)
        ]
        if tied:
            raise UnsupportedError(
                f"these solvers are tied to their own {kind}: {', '.join(tied)}; leave "
                f"--{kind} out, or name other solvers with --solvers"
            )


def _refuse_needless(plan: Plan, known: Known) -> None:
    """Raise when the user gives a parameter of the part that --objective or --projector replaces.

    It would count in the name and the id of a result, and change nothing.
    """
    for name, lookup in known.items():
        tuned = [] if isinstance(name.tuning, bool) else [axis for axis, _ in name.tuning]
        for kind in replaced_parts(plan):
            for parameter in lookup.needs.get(f"{kind}_parameters", ()):
                if parameter in (*lookup.found["written"], *tuned):
                    raise needless(parameter, name.label, kind)


def _refuse_unfit_objective(plan: Plan, known: Known) -> None:
    """Raise when --objective lacks what a solver needs of it: each of its cells would fail."""
    if plan.objective is None:
        return
    has = known[Name("objectives", plan.objective)].found.get("methods")
    if has is None:  # it could not be built on other rows than its own
        return
    for name, lookup in known.items():
        lacking = [method for method in lookup.needs.get("of_objective", ()) if method not in has]
        # A grid may give the parameter that replaces them; its points are tried one by one.
        if lacking and not name.tuning:
            unless = lookup.needs["unless"]
            way = f"give {unless}" if unless else "name other solvers"
            raise UnsupportedError(
                f"{name.label} needs an objective with {' and '.join(lacking)}, which "
                f"{plan.objective} has not; take another objective, or {way}"
            )
