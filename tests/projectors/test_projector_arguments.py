"""Projectors: what they refuse, in a sentence that says the way out."""

from math import inf, nan

import numpy as np
import pytest

from aucbench.errors import ParameterError
from aucbench.projectors import Box, ElasticNet, Hyperplane, L1Ball, L2Ball, SoftThreshold, TopK

OVERWRITING = [TopK(), L1Ball(), L2Ball(), Box(), SoftThreshold(), ElasticNet()]
OVERWRITING.append(Hyperplane(np.ones(3)))


def read_only():
    v = np.ones(3)
    v.flags.writeable = False
    return v


@pytest.mark.parametrize("project", OVERWRITING, ids=repr)
@pytest.mark.parametrize(
    "argument",
    [
        np.ones(3, np.float32),
        np.ones(3, np.int64),
        np.ones(3, ">f8"),
        np.ones((3, 1)),
        np.ones(6)[::2],
        read_only(),
        [1.0, 2.0],
        None,
    ],
    ids=["float32", "int64", "swapped bytes", "matrix", "strided", "read-only", "list", "None"],
)
def test_an_argument_that_cannot_be_overwritten_is_refused(project, argument):
    with pytest.raises(ParameterError, match="overwrites its argument"):
        project(argument)


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: TopK(0), "k must be at least 1, got 0"),
        (lambda: TopK(2.5), "k must be a whole number, got 2.5"),
        (lambda: TopK(True), "k must be a whole number"),
        (lambda: TopK(3, free=-1), "free must be at least 0, got -1"),
        (lambda: Hyperplane(np.zeros(3)), "normal of a hyperplane has the squared length 0.0"),
        (lambda: Hyperplane(np.full(3, 1e-160)), "with a length from 1e-125 to 1e125"),
        (lambda: Hyperplane(np.full(3, 1e160)), "with a length from 1e-125 to 1e125"),
        (lambda: Hyperplane(np.array([np.inf])), "squared length inf; give one with a length"),
        (lambda: L1Ball(0.0), "R must be greater than 0"),
        (lambda: L2Ball(-1.0), "R must be greater than 0"),
        (lambda: L2Ball(inf), "R must be greater than 0"),
        (lambda: Box(1.0, 0.0), "lo <= hi and a number between them, got lo=1.0 and hi=0.0"),
        (lambda: Box(nan, 0.0), "lo <= hi"),
        (lambda: Box(inf, inf), "lo <= hi"),
        (lambda: SoftThreshold(-0.1), "t must be at least 0"),
        (lambda: ElasticNet(0.1, nan), "l2 must be at least 0"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(build, sentence):
    with pytest.raises(ParameterError, match=sentence):
        build()
