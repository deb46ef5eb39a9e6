"""Tables as users have them: numbers, truth values, categories, dates and missing cells.

A `Schema` says what each column is and turns cells into codes, one number per cell. An `Encoding`
learns on training rows how codes become features, and makes features of any rows.

Design
  a. Two steps. A schema is read off the whole file, because files are read once; it decides
     nothing that a fit could learn from. All that has an effect on numbers (which levels have a
     column, medians, the first date) is learnt from training rows, for each split and inner fold.
  b. The meaning of each step is that of scikit-learn (`OneHotEncoder` with min_frequency and
     handle_unknown="ignore", `SimpleImputer` with add_indicator) and of skrub (`DatetimeEncoder`);
     the tests compare with scikit-learn.
  c. The code is our own. What skrub does well is to find the kind of a column (`TableVectorizer`:
     dates in text, numbers in text, few or many levels), and the rules here follow it. But a
     fitted `ColumnTransformer` or `TableVectorizer` can only be kept as a pickle of private
     attributes, which other versions may not read and which runs code when it is read; skrub
     returns data frames, which are dense; and both are fitted on strings, so that each inner fold
     would read all strings again. An `Encoding` is a few tuples of names and numbers, JSON says
     all of it, and it reads codes. (Rejected: target encoding and embeddings of text, which need
     labels or another library. A column of free text is refused instead.)
"""

from aucbench.datasets.tables.columns import LINE, Column
from aucbench.datasets.tables.schema import Encoding, Schema, is_numeric, require_numbers

__all__ = ["LINE", "Column", "Encoding", "Schema", "is_numeric", "require_numbers"]
