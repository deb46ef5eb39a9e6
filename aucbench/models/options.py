"""The options of `fit`, for the command, the function of Python and what they call."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucbench.datasets.reading import ReadOptions
from aucbench.errors import ParameterError, require_above
from aucbench.options import option_group

if TYPE_CHECKING:
    from aucbench.metrics import Aim
    from aucbench.models.model import Model
    from aucbench.models.scorecard import Scaling
    from aucbench.registry.specs import Spec

AUTO, NO_CALIBRATION, CALIBRATION = "auto", "none", "sigmoid"
HERE = "here"  # the engine that reads chunks on this machine
BINS, OF_CARD = "bins", "bins[rule=tree,count=5]"  # few bins, which tell the classes apart


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Which solvers are compared, and how.

    Attributes
    ----------
    solver : tuple of str
        Solvers to compare: auto, or names such as svm-or[lam=.1],logistic; repeatable. auto
        chooses them by the table, and with --pairs among those that train on such pairs. [default:
        auto]
    features : str
        Feature map to apply to the columns, as in compare.
    tune : bool, optional
        Tune the solvers over their published grids. [default: with auto only]
    minutes : float, optional
        Shorten the search, if solvers are tuned, so that the whole fit takes about so many minutes
        of one core. Work is counted, so that every machine chooses the same model. [default: a
        search of about a minute]
    holdout : float, optional
        Hold out this share of the rows once, in place of folds.
    splits : int, optional
        Number of stratified folds. [default: 5]
    passes : float, optional
        Limit of a fit, in passes over the data. [default: 50, or the solver's own]
    seconds : float, optional
        Limit of a fit, in seconds; the first limit that is reached ends it.
    seed : int
        Seed of the folds and of the solvers.
    """

    solver: tuple[str, ...] = field(default=(), metadata={"whole": True})
    features: str = AUTO
    tune: bool | None = field(default=None, metadata={"negatable": True})
    minutes: float | None = None
    holdout: float | None = None
    splits: int | None = None
    passes: float | None = None
    seconds: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        from aucbench.registry.specs import split_specs

        texts = (self.solver,) if isinstance(self.solver, str) else self.solver
        named = tuple(spec for text in texts for spec in split_specs(text)) or (AUTO,)
        if AUTO in named and len(named) > 1:
            raise ParameterError("--solver auto names the solvers itself; leave the others out")
        object.__setattr__(self, "solver", named)
        require_above(0, minutes=self.minutes)
        if self.minutes is not None and not self.tuned:
            raise ParameterError(
                "--minutes limits the search for parameters, and nothing is tuned; add --tune, or "
                "leave --minutes out"
            )

    @property
    def is_automatic(self) -> bool:
        """Whether nobody has named a solver."""
        return self.solver == (AUTO,)

    @property
    def tuned(self) -> bool:
        """Whether the solvers are tuned over their grids."""
        return self.is_automatic if self.tune is None else self.tune


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdOptions:
    """What the threshold is chosen for.

    Attributes
    ----------
    sensitivity : float, optional
        Share of the positives that must be predicted positive.
    specificity : float, optional
        Share of the negatives that must be predicted negative.
    precision : float, optional
        Share of the rows predicted positive that must be positive.
    flags : float, optional
        Rows that may be predicted positive, of --per rows.
    per : float, optional
        Rows in which --flags are counted.
    cost_fp : float, optional
        Cost of a false positive.
    cost_fn : float, optional
        Cost of a false negative.
    """

    sensitivity: float | None = None
    specificity: float | None = None
    precision: float | None = None
    flags: float | None = None
    per: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None

    @property
    def given(self) -> dict[str, float]:
        """The options that are given, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def aim(self) -> Aim:
        """The one aim that is given.

        Raises
        ------
        ParameterError
            As `Aim`, and when `flags` or `per` is given alone.
        """
        from aucbench.metrics import Aim

        wanted = self.given
        per = wanted.pop("per", None)
        if (self.flags is None) != (per is None):
            raise ParameterError("--flags and --per belong together, as in --flags 50 --per 10000")
        if self.flags is not None and per is not None:
            if per <= 0:
                raise ParameterError(f"--per is {per:g}; give a number of rows above 0")
            wanted["flags"] = self.flags / per
        return Aim(**wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorecardOptions:
    """Whether the model is a scorecard, and what its points mean.

    Attributes
    ----------
    scorecard : str, optional
        Make the model a scorecard, and write its points into this CSV file: a whole number for
        each bin of a number and each level, which add up to the score of a row. In Python True
        makes one without a file. Default of --features: bins[rule=tree,count=5].
    base_score : float, optional
        Points at the base odds. [default: 600]
    base_odds : float, optional
        Odds of the positive class at the base score. [default: 50, to 1]
    pdo : float, optional
        Points that double the odds. [default: 20]
    """

    scorecard: str | None = None
    base_score: float | None = None
    base_odds: float | None = None
    pdo: float | None = None

    def __post_init__(self) -> None:
        named = [name for name, value in self._points.items() if value is not None]
        if named and not self.is_asked:
            raise ParameterError(
                f"--{named[0].replace('_', '-')} says what the points of a scorecard mean; add "
                "--scorecard FILE"
            )

    @property
    def is_asked(self) -> bool:
        """Whether the model shall be a scorecard."""
        return bool(self.scorecard)

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
        return Scaling(**given) if self.is_asked else None

    def require_writable(self) -> None:
        """Raise `ParameterError`, before a long fit, unless the file can be written."""
        from aucbench.store import require_writable

        if isinstance(self.scorecard, str):
            require_writable(Path(self.scorecard))

    def write(self, model: Model) -> None:
        """Write the points of a model into the file, if there is one.

        A text that a spreadsheet would run as a formula gets an apostrophe in front.
        """
        from aucbench.store import own_file
        from aucbench.store.files import format_csv_text

        if model.scorecard is not None and isinstance(self.scorecard, str):
            table = model.scorecard.frame()
            for name in ("attribute", "value"):
                table[name] = table[name].map(format_csv_text)
            with own_file(Path(self.scorecard)) as file:
                file.write(table.to_csv(index=False, lineterminator="\n").encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfCoreOptions:
    """How rows are read that do not fit in memory.

    Attributes
    ----------
    in_chunks : bool, optional
        Read the rows in chunks, again and again, in place of once into memory. [default: for a
        folder, a pattern such as 'rows/*.parquet', a Parquet or CSV file that --memory, or what is
        free, is too little for, and a large Parquet file if the solvers can]
    engine : str
        Read chunks here, by threads of this machine, or by dask=ADDRESS, the workers of a scheduler
        of dask.
    skip_bad : bool
        Skip row groups that cannot be decoded, and name them; one more reading finds them.
    memory : float, optional
        Megabytes that the rows and the fits may take in memory. A file that needs more is read in
        chunks. [default: what is free]
    """

    in_chunks: bool | None = field(default=None, metadata={"negatable": True})
    engine: str = HERE
    skip_bad: bool = False
    memory: float | None = None

    def __post_init__(self) -> None:
        require_above(0, memory=self.memory)


@dataclass(frozen=True, slots=True, kw_only=True)
class FitRunOptions:
    """How the fits are run, which changes no result.

    Attributes
    ----------
    jobs : int, optional
        Number of fits at once. [default: as many as cores]
    threads : int
        Threads of aucbench, BLAS and OpenMP in each fit.
    quiet : bool
        Show no progress on stderr.
    """

    jobs: int | None = None
    threads: int = 1
    quiet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FitOptions:
    """All options of `fit`.

    Pairs and constraints may be given as objects, and are kept as text.

    Attributes
    ----------
    calibration : str, optional
        Calibrate probabilities by sigmoid or isotonic; none: the model has no probabilities.
    pairs : str, optional
        Pairs of rows that are used, in training and in the measure: group[column=user],
        fpr[max=0.1,rest=0.5], top, or what `list pairs` shows. [default: those of the target: all
        pairs of labels]
    monotone : str, optional
        Constraints on the effects of columns: increasing (+1), decreasing (-1), convex or concave,
        as in income=+1,age=-1,dose=increasing-convex. The solvers are those that keep them.
    by : tuple of str
        Columns for whose values the explanation shows the AUC, besides categories and truth
        values; repeatable.
    read : ReadOptions
        How the table is read.
    search : SearchOptions
        Which solvers are compared, and how.
    threshold : ThresholdOptions
        What the threshold is chosen for.
    scorecard : ScorecardOptions
        Whether the model is a scorecard.
    out_of_core : OutOfCoreOptions
        How rows are read that do not fit in memory.
    run : FitRunOptions
        How the fits are run.

    Raises
    ------
    ParameterError
        When options contradict each other, or as the groups.
    UnknownNameError
        When there is no such calibration.
    """

    calibration: str | None = CALIBRATION
    pairs: Spec | None = None
    monotone: str | None = None
    by: tuple[str, ...] = field(default=(), metadata={"whole": True})
    read: ReadOptions = option_group(
        ReadOptions, "How files are read", first=("target", "positive")
    )
    search: SearchOptions = option_group(
        SearchOptions, "How solvers are compared", first=("solver", "minutes", "features", "tune")
    )
    threshold: ThresholdOptions = option_group(ThresholdOptions, "What the threshold is chosen for")
    scorecard: ScorecardOptions = option_group(ScorecardOptions, "A scorecard")
    out_of_core: OutOfCoreOptions = option_group(OutOfCoreOptions, "Rows that do not fit in memory")
    run: FitRunOptions = option_group(FitRunOptions, "How fits are run")

    def __post_init__(self) -> None:
        calibration = None if self.calibration == NO_CALIBRATION else self.calibration
        self._set(calibration=calibration or None, by=_as_tuple(self.by))
        if self.scorecard.is_asked:
            self._require_card()
        if self.read.ranks:
            self._require_ranking()
        if self.calibration not in (None, CALIBRATION):
            from aucbench.models.calibration import require_method

            require_method(self.calibration)
        if self.threshold.given:
            _ = self.threshold.aim  # raises
        self._read_names()

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _read_names(self) -> None:
        """Read pairs and constraints, and let the reader take the column of groups."""
        from aucbench.bench.plan.pairs import read_pairs
        from aucbench.bench.plan.values import read_shapes

        pairs, read = read_pairs(self.pairs, self.read)
        self._set(pairs=pairs, read=read, monotone=read_shapes(self.monotone))

    def _require_ranking(self) -> None:
        """Refuse options about two classes where a model ranks rows; it has no probabilities."""
        named = [*self.threshold.given, *(["by"] if self.by else [])]
        if self.calibration not in (None, CALIBRATION):
            named.append("calibration")
        if named:
            raise ParameterError(
                "times and grades have no two classes, so that a model of them ranks rows and "
                f"decides nothing; leave {' and '.join(named)} out"
            )
        self._set(calibration=None)

    def _require_card(self) -> None:
        """Refuse options that contradict a scorecard; by default its features are bins."""
        from aucbench.registry.specs import parse_spec

        if self.read.ranks:
            raise ParameterError(
                "the points of a scorecard are odds of two classes, and times and grades have "
                "none; leave --scorecard out"
            )
        if self.calibration != CALIBRATION:
            raise ParameterError(
                "the points of a scorecard are odds by a sigmoid, and --calibration is "
                f"{self.calibration or NO_CALIBRATION}; leave it out"
            )
        features = OF_CARD if self.search.features == AUTO else self.search.features
        if parse_spec(features).name != BINS:
            raise ParameterError(
                f"a scorecard has points for bins, and --features is {features}; take bins, such "
                "as bins[count=6], or leave it out"
            )
        self._set(search=replace(self.search, features=features))


def _as_tuple(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
