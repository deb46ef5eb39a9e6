"""The methods of the paper as solvers, with grids, budgets and features, and what it prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aucbench.bench.plan.fields import Choice

STEPS = tuple(float(xi) for xi in range(1, 101, 9))  # "[1 : 9 : 100]"
RIDGES = tuple(10.0**e for e in range(-5, 6))  # "10^[−5:5]"
SPDAM_RIDGES = RIDGES[:7]  # "10^[−5:1]"
BATCH = 0.1  # of the rows
SPDAM_PASSES, SOLAM_PASSES, ONE_PASS = 50.0, 15.0, 1.0


SMALL = ("diabetes", "fourclass", "german")  # the small sets, by their names in section 5.2
SCALED = (*SMALL, "splice", "usps")  # those that LIBSVM has with features in [−1, 1]


@dataclass(frozen=True, slots=True)
class Group:
    """Methods of one budget and one scaling, by their names in the paper."""

    methods: Mapping[str, Choice]
    passes: float | None  # None: the default, which exact methods do not use up
    taken: bool  # whether the paper took the numbers from Gao et al. (2013)


def features_of(name: str, *, taken: bool) -> str:
    """Return the feature map of a data set; rows of numbers that were taken have any length."""
    if taken:
        return "min-max" if name in SCALED else "none"
    return "min-max+unit" if name in SMALL else "unit-centred"


def spdam(lam: float | None = None, batch: float = BATCH, sampling: str = "uniform") -> Choice:
    """Return SPDAM as published, tuned over its grid, or with a ridge λ."""
    ridge = "" if lam is None else f",lam={lam:g}"
    spec = f"spdam[batch={batch:g},sampling={sampling}{ridge}]"
    return Choice(spec, tune={"lam": SPDAM_RIDGES} if lam is None else False)


GROUPS = (
    Group({"SPDAM": spdam()}, SPDAM_PASSES, taken=False),
    Group(
        {"regSOLAM": Choice("reg-solam", tune={"xi": STEPS, "lam": RIDGES})},
        SOLAM_PASSES,
        taken=False,
    ),
    Group(
        {
            "OPAUC": Choice("opauc", tune=True),
            "OAMseq": Choice("oam-seq", tune=True),
            "OAMgra": Choice("oam-gra", tune=True),
            "online Uni-Exp": Choice("uni-exp", tune=True),
        },
        ONE_PASS,
        taken=True,
    ),
    Group(
        {"B-SVM-OR": Choice("svm-or", tune=True), "B-LS-SVM": Choice("ls-svm", tune=True)},
        None,
        taken=True,
    ),
)
METHOD = {name: choice for group in GROUPS for name, choice in group.methods.items()}
_PRINTED = """
diabetes  .8275 .0302  .8140 .0330  .8309 .0350  .8264 .0367  .8262 .0338  .8215 .0309  .8326 .0328  .8325 .0329
fourclass .8223 .0275  .8222 .0276  .8310 .0251  .8306 .0247  .8295 .0251  .8281 .0305  .8305 .0311  .8309 .0309
german    .7959 .0265  .7830 .0247  .7978 .0347  .7747 .0411  .7723 .0358  .7908 .0367  .7935 .0348  .7994 .0343
splice    .9227 .0128  .9237 .0090  .9232 .0099  .8594 .0194  .8864 .0166  .8931 .0213  .9239 .0089  .9245 .0092
usps      .9854 .0019  .9848 .0021  .9620 .0040  .9310 .0159  .9348 .0122  .9538 .0045  .9630 .0047  .9634 .0045
a9a       .8967 .0032  .8970 .0048  .9002 .0047  .8420 .0174  .8571 .0173  .9005 .0024  .9009 .0036  .8982 .0028
mnist     .9552 .0011  .9599 .0014  .9242 .0021  .8615 .0087  .8643 .0112  .7932 .0245  .9340 .0020  .9336 .0025
acoustic  .8119 .0039  .8114 .0035  .8192 .0032  .7113 .0590  .7711 .0217  .8171 .0034  .8262 .0032  .8210 .0033
ijcnn1    .9132 .0016  .9108 .0030  .9269 .0021  .9209 .0079  .9100 .0092  .9264 .0035  .9337 .0024  .9320 .0037
covtype   .9409 .0011  .9332 .0020  .8244 .0014  .7361 .0317  .7403 .0289  .8236 .0017  .8248 .0013  .8222 .0014
sector    .9406 .0062  .9734 .0036  .9292 .0081  .9163 .0087  .9043 .0100  .9215 .0034
"""  # noqa: E501


# Data set: method: mean and standard deviation. The table has no batch method on sector.
PUBLISHED: dict[str, dict[str, tuple[float, float]]] = {}
for _line in _PRINTED.strip().splitlines():
    _name, *_texts = _line.split()
    _numbers = [*map(float, _texts)]
    _pairs = zip(_numbers[::2], _numbers[1::2], strict=True)
    PUBLISHED[_name] = dict(zip(METHOD, _pairs, strict=False))
