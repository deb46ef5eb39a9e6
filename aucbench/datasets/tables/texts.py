"""Free text as hashed words: the different texts of a column, each as counts of its n-grams.

A text is cut into words and pairs of neighbouring words, and each of these has one of `BUCKETS`
numbers by its hash. This is `HashingVectorizer(n_features=BUCKETS, ngram_range=(1, 2),
alternate_sign=False, norm=None)` of scikit-learn: nothing is learnt, so that new texts are read as
the first ones were. The texts themselves are not kept, only their hashes and counts, and n-grams
that several texts have, as names of features.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any
from zlib import compress, decompress

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import DataError

BUCKETS = 1 << 16  # as many as uint16 holds
NGRAMS = (1, 2)
LOOKED_AT, MOST_NAMED = 20_000, 5000  # texts, and n-grams of them that may name a feature
MOST_TABLES = 16  # that stay unpacked in a process
LEVEL = 1  # of the compression: the fastest


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """The n-grams of m different texts, as rows of a CSR matrix (m, BUCKETS)."""

    names: NDArray[np.uint64]  # the hash of each text, (m,)
    starts: NDArray[np.int32]  # (m + 1,)
    buckets: NDArray[np.uint16]  # ascending within a text
    counts: NDArray[np.uint8]  # how often a text has an n-gram of the bucket, at most 255

    @staticmethod
    def of(texts: Sequence[str]) -> Texts:
        """Hash the n-grams of texts."""
        X = _vectorizer().transform(texts)
        X.sort_indices()
        return Texts(
            _names(texts),
            X.indptr.astype(np.int32),
            X.indices.astype(np.uint16),
            np.minimum(X.data, 255).astype(np.uint8),
        )

    @property
    def lengths(self) -> NDArray[np.int32]:
        """Number of the buckets of each text."""
        return np.diff(self.starts)

    def places(self, texts: Sequence[str], unseen: float) -> list[float]:
        """Return the place of each text among these, or `unseen`."""
        at = {name: float(k) for k, name in enumerate(self.names.tolist())}
        return [at.get(name, unseen) for name in _names(texts).tolist()]

    def packed(self) -> str:
        """Return all of it as text."""
        sizes = np.array([self.names.size, self.buckets.size], np.int64)
        arrays = (sizes, self.names, self.starts, self.buckets, self.counts)
        return b64encode(compress(b"".join(a.tobytes() for a in arrays), LEVEL)).decode("ascii")


def frequent(texts: Sequence[str]) -> dict[int, str]:
    """Return the most frequent n-gram of each bucket, for those that several texts have.

    It is found in at most `LOOKED_AT` texts, and only names features.
    """
    from sklearn.feature_extraction import FeatureHasher

    cut = _vectorizer().build_analyzer()
    some = texts[:: -(-len(texts) // LOOKED_AT)] if texts else texts
    held = Counter(ngram for text in some for ngram in {*cut(text)})
    often = [ngram for ngram, count in held.most_common(MOST_NAMED) if count > 1]
    hasher = FeatureHasher(n_features=BUCKETS, input_type="string", alternate_sign=False)
    buckets = hasher.transform([[ngram] for ngram in often]).indices.tolist() if often else []
    return dict(reversed([*zip(buckets, often, strict=True)]))


def _vectorizer() -> Any:
    from sklearn.feature_extraction.text import HashingVectorizer

    return HashingVectorizer(
        n_features=BUCKETS, ngram_range=NGRAMS, alternate_sign=False, norm=None
    )


@lru_cache(maxsize=MOST_TABLES)
def unpacked(packed: str) -> Texts:
    """Inverse of `Texts.packed`; an empty text has no text in it."""
    if not packed:
        return Texts(
            np.zeros(0, np.uint64),
            np.zeros(1, np.int32),
            np.zeros(0, np.uint16),
            np.zeros(0, np.uint8),
        )
    try:
        content = decompress(b64decode(packed, validate=True))
        m, stored = np.frombuffer(content, np.int64, 2).tolist()
        place, arrays = 16, []
        for count, kind in ((m, "u8"), (m + 1, "i4"), (stored, "u2"), (stored, "u1")):
            arrays.append(np.frombuffer(content, kind, count, place))
            place += arrays[-1].nbytes
        return Texts(*arrays)
    except Exception as error:
        raise DataError(f"the hashed texts of a column are damaged: {error}") from error


def _names(texts: Sequence[str]) -> NDArray[np.uint64]:
    digests = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts
    )
    return np.frombuffer(digests, np.uint64)
