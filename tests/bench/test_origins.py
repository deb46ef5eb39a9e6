"""Where cells come from, and which of them were run again."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from aucbench.bench.results.origins import (
    Origin,
    hash_of_scores,
    keep_origin,
    origins_of,
    scores_hash,
    verified,
)
from aucbench.bench.results.store import SEALS, Store
from aucbench.data.packed import pack_arrays
from aucbench.errors import DataError, ParameterError

SCORES = {"scores": np.array([0.25, -1.0, 3.0]), "rows": np.array([4, 7, 9])}
HASH = hash_of_scores(SCORES)
ORIGIN = Origin(
    name="toy-iht",
    by="Ada",
    made="2026-11-26T12:00:00+00:00",
    aucbench="0.2.0",
    machine={"cpu": "8086", "cores": 1},
    packages={"numpy": "2.1.0"},
    solvers=("toy-iht (tuned)",),
    plan="ab" * 16,
    cells={"0a1b": HASH, "ff00": None},
)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results", create=True) as opened:
        super(Store, opened).write({"id": "0a1b"}, pack_arrays(SCORES))
        super(Store, opened).write({"id": "ff00"})
        yield opened


def path(store, name=ORIGIN.name):
    return store.folder / "origins" / f"{name}.json"


def test_an_origin_comes_back_as_it_was(store):
    assert origins_of(store) == ()
    keep_origin(store, ORIGIN)
    keep_origin(store, replace(ORIGIN, name="another", own=True))
    assert origins_of(store) == (replace(ORIGIN, name="another", own=True), ORIGIN)
    keep_origin(store, replace(ORIGIN, by="Grace"))
    assert [origin.by for origin in origins_of(store)] == ["Ada", "Grace"]


def test_a_cell_is_verified_by_a_run_of_ones_own_with_the_same_scores(store):
    keep_origin(store, ORIGIN)
    assert verified(store) == frozenset()
    keep_origin(store, replace(ORIGIN, name="mine", own=True))
    assert verified(store) == {"0a1b", "ff00"}


@pytest.mark.parametrize(
    ("other", "ids"),
    [
        ({"name": "copy", "own": False}, set()),  # a second submission of the same
        ({"name": "mine", "own": True, "cells": {"0a1b": "00" * 32}}, set()),
        ({"name": "mine", "own": True, "cells": {"0a1b": None, "ff00": None}}, {"ff00"}),
        ({"name": "mine", "own": True, "cells": {"0a1c": HASH}}, set()),
    ],
)
def test_no_cell_is_verified_by_anything_else(store, other, ids):
    keep_origin(store, ORIGIN)
    keep_origin(store, replace(ORIGIN, **other))
    assert verified(store) == ids


def test_scores_that_changed_since_the_merge_are_not_verified(store):
    keep_origin(store, ORIGIN)
    keep_origin(store, replace(ORIGIN, name="mine", own=True))
    changed = {**SCORES, "scores": SCORES["scores"] + 1.0}
    super(Store, store).write({"id": "0a1b"}, pack_arrays(changed))
    assert verified(store) == {"ff00"}


def test_the_hash_is_of_the_numbers_and_not_of_the_file(store):
    assert scores_hash(store, "0a1b") == HASH
    assert scores_hash(store, "ff00") is None
    assert hash_of_scores({**SCORES, "y": np.zeros(3)}) == HASH
    assert hash_of_scores({**SCORES, "rows": SCORES["rows"].astype("i4")}) == HASH
    matrix = SCORES["scores"][:, None]
    others = ({"scores": -SCORES["scores"]}, {"rows": np.array([4, 9, 7])}, {"scores": matrix})
    assert len({HASH, *(hash_of_scores({**SCORES, **other}) for other in others)}) == 4


@pytest.mark.parametrize("name", ["../../out", "a/b", "A", "", "x" * 200])
def test_a_name_cannot_lead_out_of_the_folder(store, name):
    with pytest.raises(ParameterError, match="2 to 128 of the characters"):
        keep_origin(store, replace(ORIGIN, name=name))


def sealed(store, plain, name=ORIGIN.name):
    path(store, name).parent.mkdir(exist_ok=True)
    content = plain if isinstance(plain, bytes) else json.dumps(plain).encode()
    path(store, name).write_bytes(SEALS["origins"].put_on(name, content))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"own": "yes"}, "bool @ .*own"),
        ({"by": None}, "str @ .*by"),
        ({"solvers": "abc"}, "solvers"),
        ({"cells": {"0a1b": 5}}, "0a1b"),
        ({"cells": 5}, "cells"),
        ({"verified": True}, "verified"),
        ({"name": "another"}, "it is that of 'another'"),
    ],
)
def test_a_file_that_holds_no_origin_is_refused_by_its_name(store, change, why):
    plain = {**asdict(ORIGIN), "solvers": [*ORIGIN.solvers]}
    sealed(store, {**plain, **change})
    with pytest.raises(DataError, match=rf"toy-iht\.json is damaged .*{why}.*merge the folders"):
        origins_of(store)


@pytest.mark.parametrize("content", [b"[" * 100_000 + b"}", b"{}", b'{"name": 3}', b"[1}"])
def test_a_sealed_file_of_anything_else_is_refused(store, content):
    sealed(store, content)
    with pytest.raises(DataError, match=r"toy-iht\.json is damaged"):
        origins_of(store)


def test_an_origin_without_its_seal_or_in_the_place_of_another_is_refused(store):
    keep_origin(store, ORIGIN)
    whole = path(store).read_bytes()
    for content in (whole.replace(b"Ada", b"Bob"), SEALS["origins"].taken_off("toy-iht", whole)):
        path(store).write_bytes(content)
        with pytest.raises(DataError, match="its seal is missing, or of another content"):
            origins_of(store)
    path(store).unlink()
    path(store, "another").write_bytes(whole)
    with pytest.raises(DataError, match=r"another\.json is damaged"):
        origins_of(store)
