"""Objects of Python in a plan: solvers that are instances, and data sets that are `Data`.

An object stands in a plan under a name with parentheses, and comes to the workers with their
requests: a solver as a pickle, which is never written to a disk, and rows as files. What identifies
an instance is the code of its class and its values, and of a class in a script also its pickle,
which has the functions and globals that it uses. If these cannot be known for certain, as in a
notebook, the id is new in every run.
"""

from __future__ import annotations

import inspect
import pickle
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from hashlib import blake2b
from itertools import chain, count
from pathlib import Path
from typing import Any
from uuid import uuid4

from aucbench.bench.fingerprints import file_fingerprint, hash_of, package_fingerprint
from aucbench.errors import ParameterError
from aucbench.processes.records import Job
from aucbench.registry import get_solver
from aucbench.registry.discovery import entries, loaded, remembered
from aucbench.registry.lookup import lookup
from aucbench.registry.shapes import fault
from aucbench.registry.source_files import has_changed
from aucbench.registry.specs import INLINE_MARK, Spec, is_literal

UNKNOWN = object()
MAIN = "__main__"


@dataclass(frozen=True)
class Inline:
    """The objects that a plan names."""

    solvers: Mapping[Spec, str] = field(default_factory=dict)  # pickles in base 64
    datasets: Mapping[Spec, str] = field(default_factory=dict)  # folders of `save_data`
    identities: Mapping[Spec, str] = field(default_factory=dict)  # of solvers

    def handed(self, job: Job, solver: Spec, dataset: Spec, *, rows_too: bool) -> Job:
        """Return a job whose request has the solver that is meant, and with `rows_too` the rows.

        Its steps get the rows in any case. That of a cell gets none: they have the labels.
        """
        known = self.solvers.get(solver)
        solvers = {} if known is None else {solver.name: known}
        datasets = {dataset.name: held} if (held := self.datasets.get(dataset)) else {}
        if not solvers and not datasets:
            return job
        rows = {"datasets": datasets}
        steps = (replace(s, request={**s.request, "inline": rows}) for s in job.steps)
        inline = {**({"solvers": solvers} if solvers else {}), **(rows if rows_too else {})}
        return replace(job, request={**job.request, "inline": inline}, steps=tuple(steps))


NOTHING = Inline()


def name_solvers(solvers: Iterable[Any]) -> tuple[list[str | Spec], Inline]:
    """Return specifications of solvers, and what is behind those that are instances."""
    specs: list[str | Spec] = []
    packed: dict[Spec, str] = {}
    identities: dict[Spec, str] = {}
    for solver in solvers:
        if isinstance(solver, str | Spec):
            specs.append(solver)
            continue
        get_solver(solver)  # which refuses what is none
        if wrong := fault("solvers", solver):
            raise ParameterError(f"{solver!r} is not a valid solver: {wrong}")
        values, whole = _values(solver)
        if whole and (known := _registered(solver)) is not None:
            specs.append(Spec(known, values))
            continue
        spec = _free_spec(type(solver).__qualname__.rpartition(".")[2], values, packed)
        content = _pickled(solver)
        packed[spec] = b64encode(content).decode("ascii")
        identities[spec] = (whole and _identity(type(solver), content)) or uuid4().hex
        specs.append(spec)
    return specs, Inline(packed, {}, identities)


def unpickle_solver(packed: str) -> Callable[..., Any]:
    """Return a function that makes a solver like a packed one.

    Its defaults are the values of that one.
    """
    solver = pickle.loads(b64decode(packed))  # of the own parent, by a pipe

    def make(**params: Any) -> Any:
        return replace(solver, **params)

    kind = type(solver)
    own = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=getattr(solver, field.name),
            annotation=field.type,
        )
        for field in fields(solver)
        if field.init
    ]
    made: Any = make
    made.__signature__ = inspect.Signature(own)
    made.__name__, made.__module__, made.__doc__ = kind.__qualname__, kind.__module__, kind.__doc__
    made.space, made.needs, made.__wrapped__ = solver.space, solver.needs, kind
    return make


def _free_spec(label: str, values: Mapping[str, Any], taken: Mapping[Spec, str]) -> Spec:
    """Return how a plan names an instance: with a number where its values do not tell it."""
    numbered = (f"{label}-{number}" for number in count(2))
    specs = (Spec(f"{name}{INLINE_MARK}", values) for name in chain([label], numbered))
    return next(spec for spec in specs if spec not in taken)


def _values(solver: Any) -> tuple[dict[str, Any], bool]:
    """Return the parameters that are not the defaults and that a specification can hold.

    The second says whether it can hold all of them.
    """
    values, whole = {}, True
    for one in fields(solver):
        value = getattr(solver, one.name)
        if not one.init:
            continue
        default = UNKNOWN if one.default is MISSING else one.default
        if type(value) is type(default) and isinstance(value, PLAIN) and value == default:
            continue
        if is_literal(value):
            values[one.name] = value
        else:
            whole = False
    return values, whole


PLAIN = (bool, int, float, str, type(None))


def _registered(solver: Any) -> str | None:
    """Return the name of the class in a plugin or in a file; None when it has none."""
    for entry in (*entries(), *remembered()):
        known = loaded(entry)
        for name, factory in (known.factories.get("solvers", {}) if known else {}).items():
            if factory is not type(solver):
                continue
            if entry in remembered():
                if has_changed(entry):
                    raise ParameterError(
                        f"{entry.distribution} has changed since {name} was made; make it again"
                    )
                return f"{entry.distribution}:{name}"
            claim = lookup("solvers", name)
            return name if claim and claim.factory is factory else f"{entry.distribution}:{name}"
    return None


def _identity(kind: type, content: bytes) -> str | None:
    """Return what identifies the code of a class; None when that cannot be known."""
    module = sys.modules.get(kind.__module__)
    origin = getattr(module, "__file__", None)
    if module is None or origin is None or "<locals>" in kind.__qualname__:
        return None
    path = Path(origin)
    if kind.__module__ == MAIN:
        if path.suffix != ".py" or not path.is_file():
            return None
        return hash_of([kind.__qualname__, file_fingerprint(path), _digest(content)])
    top = kind.__module__.partition(".")[0]
    if top == kind.__module__ and path.name == f"{top}.py":
        return hash_of([kind.__qualname__, file_fingerprint(path)])
    return hash_of([kind.__module__, kind.__qualname__, package_fingerprint(top)])


def _digest(content: bytes) -> str:
    """Return a hash of a pickle without the ids that classes get anew in each process."""
    from cloudpickle import cloudpickle

    for number in getattr(cloudpickle, "_DYNAMIC_CLASS_TRACKER_BY_CLASS", {}).values():
        content = content.replace(number.encode(), b"")
    return blake2b(content).hexdigest()


def _pickled(solver: Any) -> bytes:
    import cloudpickle

    try:
        content: bytes = cloudpickle.dumps(solver)
    except Exception as error:  # of any object that the solver holds
        raise ParameterError(
            f"{solver!r} cannot be brought to another process: {error}; give it values that can be "
            "pickled"
        ) from error
    return content
