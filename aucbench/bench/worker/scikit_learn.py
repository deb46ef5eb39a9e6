"""Import scikit-learn in the process from which cells are forked, and let it check rows once.

The first check reads the metadata of all installed packages, which takes some milliseconds. Done
here, it is not part of the time of each fit.
"""

from __future__ import annotations

import sklearn.svm  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import validate_data

validate_data(LogisticRegression(), [[0.0]])
