"""How a table of results is read and judged: options of the command and of the function."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from aucbench.errors import ParameterError, UnknownNameError, require_above, require_whole
from aucbench.options import option_group


class Missing(StrEnum):
    """What becomes of a method and a data set without a value."""

    WORST = "worst"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column has which role; those with usual names are known.

    Attributes
    ----------
    method : str, optional
        Column of the methods. [default: the one called method, solver, framework, solver_name,
        learner, algorithm or model]
    dataset : str, optional
        Column of the data sets. [default: dataset, data_set, task, data_name or problem]
    item : str, optional
        Column of single items, such as questions or issues, with a result for each method and
        item. [default: item, item_id, instance, instance_id, question_id or example_id]
    fold : str, optional
        Column of the folds. [default: fold or split]
    repeat : str, optional
        Column of the repeats, each of which splits the rows again. [default: repeat or idx_rep]
    value : str, optional
        Column of the values. [default: value, result, score, metric_error, or the name of a metric]
    metric : str, optional
        Column that names the metric of each value. [default: metric]
    family : str, optional
        Column of the families of related data sets, each of which counts as one; of items, the
        groups whose items are related. [default: none; of items, their data sets]
    where : tuple of str
        Only rows with this value in a column, as in arm=tuned; repeatable. Of several values of one
        column, any counts.
    """

    method: str | None = None
    dataset: str | None = None
    item: str | None = None
    fold: str | None = None
    repeat: str | None = None
    value: str | None = None
    metric: str | None = None
    family: str | None = None
    where: tuple[str, ...] = field(default=(), metadata={"whole": True})

    @property
    def conditions(self) -> dict[str, list[str]]:
        """The values of each column that `where` asks for; raises if one names no value."""
        conditions: dict[str, list[str]] = {}
        for condition in self.where:
            column, equals, value = condition.partition("=")
            if not equals:
                raise ParameterError(
                    f"--where takes COLUMN=VALUE, as in arm=tuned, got {condition!r}"
                )
            conditions.setdefault(column, []).append(value.strip())
        return conditions


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How a table of results is judged.

    Attributes
    ----------
    by : str, optional
        The metric, if there are several; its name, if the table has none.
    smaller : bool
        A smaller value is better.
    larger : bool
        A larger value is better.
    reference : str, optional
        Method with which each other one is compared. [default: logistic, if it takes part]
    repeats : int, optional
        How often the folds go over the same rows, if no column says it.
    folds : int, optional
        Folds of each repeat, if no column says it.
    ratio : float, optional
        Test rows divided by training rows. [default: 1 / (folds - 1)]
    missing : str
        worst: a method without a value on a data set is the last there. complete: such data sets
        are left out.
    rope : float
        Differences of the metric up to this size are practically zero.
    level : float
        Of the intervals.
    columns : Columns
    """

    by: str | None = None
    smaller: bool = False
    larger: bool = False
    reference: str | None = None
    repeats: int | None = None
    folds: int | None = None
    ratio: float | None = None
    missing: str = Missing.WORST
    rope: float = 0.005
    level: float = 0.95
    columns: Columns = option_group(Columns, "Columns of the table")

    def __post_init__(self) -> None:
        if self.smaller and self.larger:
            raise ParameterError("--smaller and --larger contradict each other; give one")
        if self.repeats is not None and self.folds is not None:
            raise ParameterError("--repeats follows from --folds, and the other way; give one")
        require_whole(1, repeats=self.repeats)
        require_whole(2, folds=self.folds)
        require_above(0.0, ratio=self.ratio)
        if self.missing not in [*Missing]:
            raise UnknownNameError("rule of --missing", self.missing, Missing)
