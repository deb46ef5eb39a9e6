"""Families of a plan: groups of related data sets, such as the variants of one source.

Related data sets agree or disagree about two solvers together, so that the statistics count a
family as one witness. Families say nothing of a cell, and are no part of its id.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from aucbench.bench.plan.errors import PlanError, read_spec, require_text, with_place
from aucbench.datasets.reading import SUITE
from aucbench.errors import DataError, UnknownNameError
from aucbench.registry.specs import Spec, anchored, parse_spec, short

if TYPE_CHECKING:
    from aucbench.bench.plan.plan import Plan

FAMILIES = "families"  # a field of a plan


def read_families(families: Any, datasets: Collection[Spec]) -> dict[str, tuple[Spec, ...]]:
    """Return families with the members of suites in place of the suites, and with whole paths.

    It raises `PlanError` unless each data set of a family is one of `datasets`, and in no other.
    """
    if not isinstance(families, Mapping):
        wanted = "families must be a table of names and lists of data sets"
        raise PlanError(f"{wanted}, such as uci = ['german'], got {families!r}", FAMILIES)
    checked: dict[str, tuple[Spec, ...]] = {}
    seen: dict[Spec, str] = {}
    for name, members in families.items():
        require_text(name, FAMILIES, FAMILIES)
        checked[name] = tuple(_members(name, members, datasets))
        if not checked[name]:
            raise PlanError(f"no data set of the plan is in the family {name}", FAMILIES, name)
        for member in checked[name]:
            if member in seen:
                both = f"is in the family {name} and in {seen[member]}"
                both = "is named twice" if seen[member] == name else both
                sentence = f"{short(member)} {both}; a data set is in one family, once"
                raise PlanError(sentence, FAMILIES, name, value=member)
            seen[member] = name
    return checked


def _members(name: str, members: Any, datasets: Collection[Spec]) -> Iterable[Spec]:
    """Yield the data sets of a family."""
    if isinstance(members, str) or not isinstance(members, Sequence) or not members:
        wanted = f"the family {name} must be a list of data sets"
        raise PlanError(f"{wanted}, got {members!r}", FAMILIES, name)
    for given in members:
        spec = read_spec(given, FAMILIES, FAMILIES)
        for member in with_place((FAMILIES, name), with_members, spec):
            if member in datasets:
                yield member
            elif not spec.name.startswith(SUITE):  # of a suite, a plan may have some members only
                unknown = UnknownNameError("data set", str(given), [*map(short, datasets)])
                raise PlanError(f"the family {name}: {unknown}", FAMILIES, name, value=spec)


def with_members(spec: Spec) -> tuple[Spec, ...]:
    """Return a data set, or the members of a suite in its place.

    The catalogue is imported only for a suite, since it takes NumPy along.
    """
    if not spec.name.startswith(SUITE):
        return (spec,)
    from aucbench.datasets.catalogue import expanded

    return tuple(anchored(parse_spec(member)) for member in expanded([str(spec)]))


def family_of(plans: Iterable[Plan]) -> dict[Spec, str]:
    """Return the family of each data set that is in one, over several plans.

    It raises `DataError` when two plans put a data set into different families.
    """
    known: dict[Spec, str] = {}
    pairs = chain.from_iterable(plan.families.items() for plan in plans)
    for name, member in ((name, member) for name, members in pairs for member in members):
        if (other := known.setdefault(member, name)) != name:
            raise DataError(
                f"two plans of the folder put {short(member)} into the families {other} and {name};"
                " name one of them in both, or delete one plan"
            )
    return known
