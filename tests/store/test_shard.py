import json
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucbench.errors import DataError, ParameterError
from aucbench.store import DocumentStore
from aucbench.store.shard import blob_hash, document, fault_of, shard_text

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
    max_leaves=6,
)
SMALL = {"id": "0a1b", "auc": 0.5, "curve": [1, 2.5], "reason": None}


@settings(max_examples=25)
@given(st.dictionaries(st.text(st.characters()), PLAIN), st.none() | st.binary(max_size=50))
def test_any_plain_record_comes_back(values, scores):
    record = {**values, "id": "0a1b"}
    text = shard_text(record, scores)

    assert fault_of("0a1b", text) is None
    assert document(text) == record
    assert blob_hash(text) == (None if scores is None else sha256(scores).hexdigest())


def test_a_shard_is_sorted_strict_json_with_a_key_per_line_and_a_final_newline():
    text = shard_text({"id": "0a1b", "b": {"z": 1, "y": 2}, "a": 1}, None).decode("ascii")

    ordered = json.dumps(json.loads(text, parse_constant=pytest.fail), sort_keys=True)
    assert "".join(text.split()) == "".join(ordered.split())
    assert text.endswith("\n}\n")
    first = ["{", '"record": {', '"a": 1,', '"b": {"y": 2, "z": 1},', '"id": "0a1b"']
    assert text.splitlines()[:5] == first
    assert shard_text(dict(reversed(SMALL.items())), b"x") == shard_text(SMALL, b"x")


def test_neither_a_part_of_a_shard_nor_a_flipped_bit_is_taken_for_a_whole_one():
    text = shard_text(SMALL, b"scores")
    assert all(fault_of("0a1b", text[:end]) for end in range(len(text)))
    assert fault_of("0a1b", text + b"\n")
    for place in range(len(text)):
        flipped = bytearray(text)
        for bit in range(8):
            flipped[place] = text[place] ^ 1 << bit
            assert fault_of("0a1b", bytes(flipped))


ENDLESS = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (float("nan"), r"document\['x'\] is nan"),
        ([0.0, {"y": float("-inf")}], r"document\['x'\]\[1\]\['y'\] is -inf"),
        (np.int64(3), "of type int64"),
        ({1: 0, "1": 0}, "has the key 1;"),
        pytest.param(2 ** (2**13), "too many digits", id="digits"),
        (ENDLESS, "nested without end"),
    ],
)
def test_what_strict_json_cannot_hold_is_refused(value, sentence):
    with pytest.raises(DataError, match=sentence):
        shard_text({"id": "0a1b", "x": value}, None)


@pytest.mark.parametrize("cell", ["", "a", "../aa", "AB", "a/b", "é1", "ab\n", "-a", "a" * 129, 12])
def test_a_key_that_is_no_file_name_everywhere_is_refused(folder, cell):
    with DocumentStore(folder, create=True) as store:
        for use in (store.read, lambda key: store.blob(key, bytes)):
            with pytest.raises(ParameterError, match="2 to 128"):
                use(cell)
        with pytest.raises(ParameterError, match="hexadecimal"):
            store.write({"id": cell})
