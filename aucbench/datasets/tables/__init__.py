"""Tables as users have them: numbers, truth values, categories, dates and missing cells.

A `Schema` says what each column is and turns cells into codes; it is read off the whole file, and
decides nothing that a fit could learn from. An `Encoding` learns on training rows, for each split
and inner fold, how codes become features. Each step means what it means in scikit-learn
(`OneHotEncoder`, `SimpleImputer`) and skrub (`DatetimeEncoder`, `TableVectorizer`). Theirs can only
be stored as pickles and are fitted on strings, which each inner fold would read again. An
`Encoding` is a few tuples, JSON says all of it, and it reads codes. (Rejected: target encoding and
embeddings of text, which need labels or another library; free text is hashed, see `texts`.)
"""

from aucbench.datasets.tables.columns import LINE, Column
from aucbench.datasets.tables.schema import Encoding, Schema, encode_table, is_numeric, with_shapes

__all__ = ["LINE", "Column", "Encoding", "Schema", "encode_table", "is_numeric", "with_shapes"]
