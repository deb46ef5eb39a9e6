"""What a model is made of, and what its threshold is for: options of `fit` in both languages."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from aucbench.errors import ParameterError, require_above

if TYPE_CHECKING:
    from aucbench.metrics import Aim
    from aucbench.models.model import Model
    from aucbench.models.scorecard import Scaling

AUTO, NO_CALIBRATION = "auto", "none"
HERE, DASK = "here", "dask"  # engines that read parts
GROUPS, FILE = "groups", "file"  # orders of rows in parts


@dataclass(frozen=True, slots=True)
class Making:
    """How a model is made.

    Attributes
    ----------
    solver : tuple of str
        auto, or names such as svm-or[lam=.1],logistic, of which the best is taken; repeatable.
        auto tunes logistic, svm-or, sht-auc, additive, roc-svm-nystrom, and lightgbm or else
        hist-gradient-boosting; with --pairs those that train on them. [default: auto]
    features : str
        The feature map, as in compare.
    calibration : str
        Of probabilities: sigmoid, isotonic or none.
    tune : bool, optional
        Tune solvers over their grids. [default: with auto only]
    minutes : float, optional
        Limit of the whole fit, if solvers are tuned: the search ends in time, and another machine
        may choose another model. [default: none, the search ends by the work that it counts]
    pairs : str, optional
        Which pairs count, in training and in the measure: group[column=user],
        fpr[max=0.1,rest=0.5], top, or what `list pairs` shows. [default: what the target says, all
        pairs of labels]
    monotone : str, optional
        What effects of columns must be: increasing (+1), decreasing (-1), convex or concave, as in
        income=+1,age=-1,dose=increasing-convex. The solvers are those that keep it.
    by : tuple of str
        Columns by whose values the page of the model tells the AUC, beside categories and truth
        values; repeatable.
    """

    solver: tuple[str, ...] = field(default=(), metadata={"whole": True})
    features: str = AUTO
    calibration: str = "sigmoid"
    tune: bool | None = field(default=None, metadata={"negatable": True})
    minutes: float | None = None
    pairs: str | None = None
    monotone: str | None = None
    by: tuple[str, ...] = field(default=(), metadata={"whole": True})

    def __post_init__(self) -> None:
        from aucbench.registry.specs import split_specs

        texts = (self.solver,) if isinstance(self.solver, str) else self.solver
        named = tuple(spec for text in texts for spec in split_specs(text)) or (AUTO,)
        if AUTO in named and len(named) > 1:
            raise ParameterError("--solver auto names the solvers itself; leave the others out")
        require_above(0, minutes=self.minutes)
        if self.minutes is not None and not self.tuned(named):
            raise ParameterError(
                "--minutes limits the search for parameters, and nothing is tuned; add --tune, or "
                "leave --minutes out"
            )
        object.__setattr__(self, "solver", named)
        object.__setattr__(self, "by", (self.by,) if isinstance(self.by, str) else tuple(self.by))
        object.__setattr__(self, "calibration", self.calibration or NO_CALIBRATION)

    def tuned(self, named: tuple[str, ...]) -> bool:
        """Whether these solvers are tuned."""
        return named == (AUTO,) if self.tune is None else self.tune


@dataclass(frozen=True, slots=True)
class Parting:
    """How rows are read that do not fit in memory.

    Attributes
    ----------
    by_parts : bool, optional
        Read the rows in parts, again and again, in place of once into memory. [default: for a
        folder, a pattern such as 'rows/*.parquet', and a Parquet or CSV file that --memory, or what
        is free, is too little for]
    engine : str
        What reads parts: here, by threads of this machine, or dask=ADDRESS, by the workers of a
        scheduler of dask.
    resume : bool
        Go on where a fit by parts into the same --out was interrupted.
    skip_bad : bool
        Leave row groups out that cannot be decoded, and say which; one more reading finds them.
    shuffle : str, optional
        Order of the rows for solvers that learn row by row. groups: row groups in a random order,
        and the rows of up to eight of them shuffled with each other; file: as they are. [default:
        the solver's own, which is groups]
    """

    by_parts: bool | None = field(default=None, metadata={"negatable": True})
    engine: str = HERE
    resume: bool = False
    skip_bad: bool = False
    shuffle: str | None = None

    def __post_init__(self) -> None:
        if self.shuffle not in (None, GROUPS, FILE):
            raise ParameterError(f"--shuffle is {self.shuffle!r}; take {GROUPS} or {FILE}")
        name, _, address = self.engine.partition("=")
        if self.engine != HERE and (name != DASK or not address):
            raise ParameterError(
                f"--engine is {self.engine!r}; take {HERE}, or {DASK}=ADDRESS, such as "
                f"{DASK}=tcp://host:8786"
            )


@dataclass(frozen=True, slots=True)
class Carding:
    """Whether the model is a scorecard, and what its points mean.

    Attributes
    ----------
    scorecard : str, optional
        CSV file that takes whole points for each bin of a number and each level, which add up to
        the score of a row: the model is this scorecard. Its features are bins[rule=tree,count=5]
        if nothing is said. In Python True makes one without a file.
    base_score : float, optional
        Points at the base odds. [default: 600]
    base_odds : float, optional
        Odds of the positive class to the other at the base score. [default: 50, to 1]
    pdo : float, optional
        Points that double the odds. [default: 20]
    """

    scorecard: str | None = None
    base_score: float | None = None
    base_odds: float | None = None
    pdo: float | None = None

    def __post_init__(self) -> None:
        named = [name for name, value in self._points.items() if value is not None]
        if named and not self.scorecard:
            raise ParameterError(
                f"--{named[0].replace('_', '-')} says what the points of a scorecard mean; add "
                "--scorecard FILE"
            )

    @property
    def _points(self) -> dict[str, float | None]:
        return {"base_score": self.base_score, "base_odds": self.base_odds, "pdo": self.pdo}

    @property
    def scaling(self) -> Scaling | None:
        """What points mean; None without a scorecard.

        Raises
        ------
        ParameterError
            As `Scaling`.
        """
        from aucbench.models.scorecard import Scaling

        given = {name: value for name, value in self._points.items() if value is not None}
        return Scaling(**given) if self.scorecard else None

    def require_writable(self) -> None:
        """Raise `ParameterError`, before a long fit, unless the file can be written."""
        from aucbench.store import require_writable

        if isinstance(self.scorecard, str):
            require_writable(Path(self.scorecard))

    def keep(self, model: Model) -> None:
        """Write the points of a model into the file, where there is one.

        A text that a spreadsheet would run as a formula gets an apostrophe in front.
        """
        from aucbench.bench.text import cell_text
        from aucbench.store import own_file

        card = getattr(model, "scorecard", None)
        if card is not None and isinstance(self.scorecard, str):
            table = card.frame()
            for name in ("attribute", "value"):
                table[name] = table[name].map(cell_text)
            with own_file(Path(self.scorecard)) as file:
                file.write(table.to_csv(index=False, lineterminator="\n").encode())


@dataclass(frozen=True, slots=True)
class Aims:
    """What the threshold is chosen for.

    Attributes
    ----------
    sensitivity : float, optional
        Share of the positives that must be found.
    specificity : float, optional
        Share of the negatives that must be left out.
    precision : float, optional
        Share of the rows found that must be positive.
    flags : float, optional
        Rows that may be found, of --per rows.
    per : float, optional
        Rows that --flags counts in.
    cost_fp : float, optional
        Cost of a negative that is found.
    cost_fn : float, optional
        Cost of a positive that is missed.
    """

    sensitivity: float | None = None
    specificity: float | None = None
    precision: float | None = None
    flags: float | None = None
    per: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None

    @property
    def aim(self) -> Aim:
        """The one aim that is given.

        Raises
        ------
        ParameterError
            As `Aim`, and when `flags` or `per` is given alone.
        """
        from aucbench.metrics import Aim

        wanted = asdict(self)
        per = wanted.pop("per")
        if (self.flags is None) != (per is None):
            raise ParameterError("--flags and --per belong together, as in --flags 50 --per 10000")
        if per is not None and per <= 0:
            raise ParameterError(f"--per is {per:g}; give a number of rows above 0")
        return Aim(**{**wanted, "flags": self.flags and self.flags / per})
