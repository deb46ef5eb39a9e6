"""Which column of a table has which role, by its name or as it was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aucbench.errors import ParameterError, UnknownNameError
from aucbench.judging.options import Columns

METHOD = ("method", "solver", "framework", "solver_name", "learner", "algorithm", "model")
DATASET = ("dataset", "data_set", "task", "data_name", "problem")
FOLD = ("fold", "split", "seed", "idx_rep")
REPEAT = ("repeat",)
METRIC = ("metric",)
VALUE = ("value", "result", "score", "metric_error")
ROLES = ("method", "dataset", "fold", "repeat", "metric", "value", "family")
USUAL = dict(zip(ROLES, (METHOD, DATASET, FOLD, REPEAT, METRIC, VALUE), strict=False))


def roles_of(
    names: Sequence[str], asked: Columns, usual: Mapping[str, Sequence[str]] = USUAL
) -> dict[str, str]:
    """Return the column of each role that has one.

    Raises
    ------
    UnknownNameError
        When there is no column with a name that was asked for.
    ParameterError
        When a column has two roles, or a role has two columns.
    """
    roles: dict[str, str] = {}
    for role in ROLES:
        if (column := getattr(asked, role)) is not None:
            if column not in names:
                raise UnknownNameError("column", column, names)
            for other, same in roles.items():
                if same == column:
                    raise ParameterError(
                        f"--{other} and --{role} name the same column {column!r}; give each its own"
                    )
            roles[role] = column
    for role, known in usual.items():
        if role not in roles:
            hits = [name for name in names if _plain(name) in known and name not in roles.values()]
            if len(hits) > 1:
                raise ParameterError(
                    f"the columns {' and '.join(hits)} can both be the {role}; choose one with "
                    f"--{role}"
                )
            roles.update(dict.fromkeys([role], *hits) if hits else {})
    return roles


def column_of(role: str, what: str, roles: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the column of a role; raise `ParameterError` where none is known to have it."""
    if role not in roles:
        free = [name for name in names if name not in roles.values()]
        raise ParameterError(
            f"no column is known to hold the {what}; choose one of {', '.join(free) or 'none'} "
            f"with --{role}"
        )
    return roles[role]


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")
