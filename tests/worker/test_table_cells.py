"""A table with text, dates and gaps through the harness: what is kept, and what a fit may see."""

import json
from io import BytesIO

import numpy as np
import pytest
from tables import table
from toys import cell

from aucbench import Data
from aucbench.bench.worker import jobs, rows
from aucbench.bench.worker.features import Refitted, map_split
from aucbench.bench.worker.rows import Block
from aucbench.contract import NoMap
from aucbench.data.arrays import rows as as_rows
from aucbench.data.folds import drawn_few
from aucbench.datasets import load
from aucbench.datasets.reading import ReadOptions
from aucbench.datasets.tables import Encoding, Schema

N = 240


def frame():
    made = table(0, N, "age colour town seen number", gaps={"age": 0.1}, target="sick")
    return made.assign(seen=made["seen"].dt.strftime("%d.%m.%Y %H:%M"))


@pytest.fixture
def path(tmp_path):
    frame().to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def planned(path, solver="logistic", **given):
    return cell(solver, str(path), **{"reading": ReadOptions(target="sick"), **given})


def learnt_rows(bench, asked):
    [*_, split] = bench.steps(asked).values()
    return np.array(Block(split).array(jobs.LEARNT))


@pytest.mark.parametrize("tune", [False, (("C", (0.1, 10.0)),)])
def test_no_cell_of_a_test_row_reaches_a_fit(bench, path, tmp_path, tune):
    """The same training rows beside other test rows give the same weights."""
    asked = planned(path, features="standard", tune=tune)
    first = bench.run(asked)
    held = np.setdiff1d(np.arange(N), learnt_rows(bench, asked))
    changed = frame()
    changed.loc[held, "age"] = 1e9
    changed.loc[held, "colour"] = "pink"
    changed.loc[held, "town"] = [f"new{k % 50}" for k in range(len(held))]
    changed.loc[held, "seen"] = "01.01.1999 00:00"
    changed.to_csv(tmp_path / "changed.csv", index=False)
    second = bench.run(planned(tmp_path / "changed.csv", features="standard", tune=tune))
    assert (first.error, second.error) == (None, None)
    assert first.record.sizes.d == second.record.sizes.d
    np.testing.assert_array_equal(weights(first), weights(second))
    if tune:
        chosen = [json.dumps(one.record.tuning["chosen"]) for one in (first, second)]
        aucs = [[row["aucs"] for row in one.record.tuning["table"]] for one in (first, second)]
        assert (chosen[0], aucs[0]) == (chosen[1], aucs[1])


def weights(done):
    return np.load(BytesIO(done.files["w.npy"]))


def test_inner_folds_learn_their_own_encoding(path):
    data = load(path, target="sick")
    numbers = np.arange(0, N, 2, dtype=np.int32)
    raw = data.take(numbers)
    train = map_split(raw, raw.rows, NoMap(), np.random.default_rng(0))[0]
    refit = Refitted(NoMap(), train, data.rows, data.schema, numbers, np.random.default_rng(0))
    widths = set()
    for rest, held in drawn_few(train, 3, 0):
        inner, outer = refit(rest, held)
        encoding = Encoding.learn(data.schema, raw.rows.take(rest))
        np.testing.assert_array_equal(inner.rows.stored, encoding(raw.rows.take(rest)).stored)
        np.testing.assert_array_equal(outer.rows.stored, encoding(raw.rows.take(held)).stored)
        assert (inner.schema, outer.schema) == (None, None)
        widths.add(inner.d)
    assert len(widths) > 1


def test_the_hash_covers_schema_and_codes():
    made = frame().drop(columns="sick")
    schema, y = Schema.of(made), np.where(frame()["sick"] == "yes", 1, -1)
    azure = made.assign(colour=made["colour"].replace("blue", "azure"))
    plain, other = Data.of(as_rows(schema.codes(made)), y), Schema.of(azure)
    sets = [plain, *(Data(plain.rows, plain.target, schema=s) for s in (schema, other))]
    assert len({rows.data_hash(one) for one in sets}) == 3
    np.testing.assert_array_equal(other.codes(azure), plain.rows.matrix)
