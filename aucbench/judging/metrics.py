"""Names of metrics: which are shares, and whether a smaller value is better.

The direction is never guessed from values. A name that is not known here needs --smaller or
--larger.
"""

from __future__ import annotations

from aucbench.errors import ParameterError
from aucbench.stats.measures import Measure

SAME = {  # other names of the shares
    **dict.fromkeys(("roc_auc", "auroc", "rocauc", "roc_auc_score"), "auc"),
    **dict.fromkeys(("average_precision", "average_precision_score"), "ap"),
    **dict.fromkeys(("acc", "accuracy_score"), "accuracy"),
}
AREAS = ("auc", "roc_auc_ovr", "roc_auc_ovo", "auc_ovr", "auc_ovo")  # 1/2 by chance
SHARES = ("auc", "accuracy", "ap")  # in [0, 1], and judged by their log-odds
SUCCESSES = ("resolved", "solved", "correct", "success", "passed", "exact_match", "win")  # of items
LARGER = (
    *SHARES,
    *("f1", "r2", "balanced_accuracy", "balacc", "bacc", "precision", "recall", "mcc"),
    *("matthews_corrcoef", "kappa", "jaccard", *AREAS, *SUCCESSES),
)
SMALLER = (
    *("logloss", "log_loss", "brier", "brier_score", "rmse", "mae", "mse", "time"),
    *("metric_error", "error", "loss", "objective_value"),
)
ENDINGS = ("_error", "_loss")  # of losses
NEGATIVE = "neg_"  # begins the names of the negative losses of scikit-learn
UNNAMED = ("", "value", "result", "score")  # columns that name no metric


def plain(name: str) -> str:
    """Return a name in lower case, with one mark between words, and our name of a share."""
    words = "_".join(name.strip().lower().replace("-", " ").replace("_", " ").split())
    return SAME.get(words, words)


def direction(name: str) -> bool | None:
    """Return whether a smaller value is better, by the name of a metric; None: nobody knows."""
    known = plain(name)
    if known.startswith(NEGATIVE) or known in LARGER or known.startswith("f1_"):
        return False
    if known in SMALLER or known.endswith(ENDINGS):
        return True
    return None


def metric_of(name: str, *, smaller: bool, larger: bool, by_format: bool | None = None) -> Measure:
    """Return a measure whose direction is the one asked for, that of the format, or of its name.

    Raises
    ------
    ParameterError
        When none of them says it.
    """
    is_smaller = direction(name) if by_format is None else by_format
    if smaller or larger:
        is_smaller = smaller
    if is_smaller is None:
        raise ParameterError(
            f"it is not known whether a smaller {name or 'value'} is better; give --smaller or "
            "--larger, or the name of the metric with --by"
        )
    share = plain(name) in SHARES and not is_smaller
    named = plain(name) if share else name.strip()
    return Measure(named, smaller=is_smaller, share=share)
