"""Kinds of pairs that are wrong on purpose: each one is found by the law about its mistake."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from broken_laws import assert_found

from aucbench.data import ALL
from aucbench.pairs import Group, Members


@dataclass(frozen=True)
class OfGroups:
    """Pairs within groups, which the changes below make wrong."""

    kind: ClassVar = "group"
    measure: ClassVar = "gauc"

    def members(self, data, rows=ALL):
        return Group().members(data, rows)


@dataclass
class Changed:
    kind: ClassVar = "group"
    measure: ClassVar = "gauc"
    members = OfGroups.members


class OfNoKind(OfGroups):
    kind = "pairs"


class Unscaled(OfGroups):
    def members(self, data, rows=ALL):
        right = Group().members(data, rows)
        return replace(right, a=2.0 * right.a)


class BothWays(OfGroups):
    def members(self, data, rows=ALL):
        y, n = data.labels.y[rows], data.y[rows].size
        twice, block = np.tile(np.arange(n), 2), np.repeat([0, 1], n)
        upper = np.r_[y > 0, y < 0]
        weights = np.ones(data.n) if data.weights is None else data.weights
        return Members.of_blocks(n, twice, block, upper, np.tile(weights[rows], 2))


class ByPlace(OfGroups):
    def members(self, data, rows=ALL):
        y = data.labels.y[rows]
        return Members.of_blocks(
            y.size, np.arange(y.size), np.arange(y.size) // 9, y > 0, np.ones(y.size)
        )


class Unweighted(OfGroups):
    def members(self, data, rows=ALL):
        return Group().members(replace(data, target=replace(data.target, weights=None)), rows)


class OfAllRows(OfGroups):
    def members(self, data, rows=ALL):
        return Group().members(data)


WRONG = {
    "can be changed": (Changed, "declared", "can be changed"),
    "unknown kind": (OfNoKind, "declared", "its kind is 'pairs'"),
    "sum of two": (Unscaled, "distribution", "the sum of all pairs"),
    "both ways": (BothWays, "one-way", "above a row that is above it"),
    "by the place of a row": (ByPlace, "order-of-rows", "shuffled rows"),
    "weights ignored": (Unweighted, "weights", "repeated rows"),
    "a block ignored": (OfAllRows, "some-rows", "the members of"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kind_is_found(name):
    kind, law, told = WRONG[name]
    assert_found("pairs", kind(), law, told)
