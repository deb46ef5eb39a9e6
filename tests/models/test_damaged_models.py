"""Model files whose checksums are right and whose content is not: refused by a sentence, or used.

`pytest --hypothesis-profile=explore` changes each value of the document and each array in all ways.
"""

import json
import zipfile
from hashlib import sha256
from io import BytesIO
from itertools import islice

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from table_models import model_of, model_of_run
from typer.testing import CliRunner

from aucbench.cli import app
from aucbench.data import Data
from aucbench.datasets import load
from aucbench.errors import DataError
from aucbench.models import Model
from aucbench.registry import get_features, get_solver
from aucbench.solving.loop import solve

N = 60
STEP = 1 if settings().max_examples >= 2000 else 23  # prime, so that it meets each kind of change
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "age": [None if i % 9 == 0 else float(i % 7) for i in range(N)],
        "colour": np.resize(["red", "green", "blue"], N),
        "since": pd.date_range("2020-01-01", periods=N).astype(str),
        "y": np.where((np.arange(N) % 7 + RNG.normal(size=N)) > 3, "yes", "no"),
    }
)
NUMBERS = Data.of(RNG.normal(size=(N, 3)), np.arange(N) % 2)
OTHERS = (None, True, -1, 7, 10**400, 1.5, 1e999, "", "other", [], ["a"], [None], {}, {"a": 1})


def model(solver, features):
    phi = get_features(features).fit(NUMBERS, RNG)
    run = solve(get_solver(solver), NUMBERS.with_rows(phi(NUMBERS.rows)), passes=2)
    return model_of_run(run, phi, labels=((0,), (1,)), width=3, columns=("a", "b", "c"))


def of_table(folder):
    TABLE.to_csv(folder / "t.csv", index=False)
    return model_of(load(folder / "t.csv"), spread=np.ones(7))[0]


MODELS = {
    "table": of_table,
    "trees": lambda _: model("random-forest[n_estimators=2,max_depth=2]", "standard"),
    "kernel": lambda _: model("svm-or", "min-max+nystroem[rank=4]"),
    "logistic": lambda _: model("logistic", "maxabs"),
}


def paths_of(plain, path=()):
    """Yield the way to each value of a document, those with values in them too."""
    yield path
    steps = plain.items() if isinstance(plain, dict) else ()
    for step, value in enumerate(plain) if isinstance(plain, list) else steps:
        yield from paths_of(value, (*path, step))


def with_other(plain, path, other):
    if not path:
        return other
    copy = plain.copy()
    copy[path[0]] = with_other(plain[path[0]], path[1:], other)
    return copy


def other_arrays(array):
    yield array[:0]
    yield array[:-1]
    yield np.concatenate([array, array[:1]])
    yield array.reshape(1, -1)
    yield array.reshape(-1)[0]
    yield array.astype(complex)
    yield array.astype(str)
    yield array.astype(np.float64) * np.nan
    yield (array - 10**6).astype(array.dtype)
    yield (array.astype(np.int64) + 2**40) if array.dtype.kind == "i" else array.astype(np.int8)


def packed(array):
    content = BytesIO()
    np.save(content, array)
    return content.getvalue()


def write(path, document, arrays):
    sums = {name: sha256(content).hexdigest() for name, content in arrays.items()}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", json.dumps({**document, "arrays": sums}))
        for name, content in arrays.items():
            archive.writestr(f"{name}.npy", content)


def changed(document, arrays):
    for path in [*paths_of(document)][1:]:
        for other in OTHERS:
            yield path, with_other(document, path, other), arrays
    for name, content in arrays.items():
        for number, other in enumerate(other_arrays(np.load(BytesIO(content)))):
            yield (name, number), document, {**arrays, name: packed(other)}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numbers that are changed
@pytest.mark.parametrize("kind", MODELS)
def test_a_value_that_makes_no_sense_is_refused_or_does_no_harm(tmp_path, kind):
    path = tmp_path / "m"
    made = MODELS[kind](tmp_path)
    made.save(path)
    with zipfile.ZipFile(path) as archive:
        document = json.loads(archive.read("model.json"))
        names = [*document.pop("arrays")]
        arrays = {name: archive.read(f"{name}.npy") for name in names}
    new = tmp_path / "new.csv"
    (TABLE if kind == "table" else pd.DataFrame(NUMBERS.rows.matrix, columns=[*"abc"])).to_csv(new)
    refused = 0
    for what, other, others in islice(changed(document, arrays), 0, None, STEP):
        write(path, other, others)
        try:
            Model.load(path)
        except DataError as error:
            told = str(error)
        else:
            for command in (("explain", path), ("explain", path, "--json"), ("predict", path, new)):
                result = CliRunner().invoke(app, [*map(str, command)])
                fine = result.exception is None or isinstance(result.exception, SystemExit)
                assert fine, (what, result.exc_info)
            continue
        refused += 1
        assert told.startswith(str(path)), (what, told)
        assert "\n" not in told, what
    assert refused > 5
