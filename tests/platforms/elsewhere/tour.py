"""What a user does with the library, step by step, on the system of `sitecustomize`.

Run in an empty folder. It prints what it has seen as JSON, which another system must see too.
"""

import json
import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

import numpy as np
import pandas as pd

import aucbench
import aucbench_plugins

OF_OTHERS = ("catboost", "lightgbm", "torch", "xgboost")  # a module of losses imports its own


def modules():
    """The names of all our modules, imported where the library that a module serves is there."""
    names = ["aucbench", "aucbench_plugins"]
    for package in (aucbench, aucbench_plugins):
        names += [found.name for found in walk_packages(package.__path__, f"{package.__name__}.")]
    for name in names:
        library = name.removeprefix("aucbench.losses.")
        absent = library in OF_OTHERS and find_spec(library) is None
        if not (name.endswith("__main__") or absent):
            import_module(name)
    return sorted(names)


def rows(n=240, d=5):
    """Rows with names of columns, and labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] - X[:, 1] + rng.normal(size=n) > 0, "yes", "no")
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)])
    return frame.assign(kind=np.where(X[:, 2] > 0, "a", "b"), target=y)


def files():
    """The sizes of the rows of files that hold the same."""
    from sklearn.datasets import dump_svmlight_file

    from aucbench.datasets import load

    frame = rows()
    plain = frame.drop(columns=["kind", "target"])
    labels = np.where(frame.target == "yes", 1, -1)
    frame.to_csv("rows.csv", index=False, lineterminator="\r\n")
    frame.to_parquet("rows.parquet")
    frame.to_excel("rows.xlsx", index=False)
    dump_svmlight_file(plain.to_numpy(), labels, "rows.svm")
    np.savez("rows.npz", X=plain.to_numpy(), y=labels)
    names = ("rows.csv", "rows.parquet", "rows.xlsx", "rows.svm", "rows.npz")
    return {name: [load(os.path.join(os.curdir, name)).n, load(name).d] for name in names}


def models():
    """What is learnt from the rows, and what a file of it gives back."""
    frame = rows()
    X, y = frame.drop(columns=["kind", "target"]), frame.target
    run = aucbench.solve(aucbench.get_solver("sht-auc"), aucbench.Data.of(X.to_numpy(), y == "yes"))
    learnt = aucbench.AUCClassifier("svm-or").fit(X, y)
    learnt.save("model.aucb")
    again = aucbench.AUCClassifier.load("model.aucb")
    scores = again.decision_function(X)
    return {
        "w": run.w.tolist(),
        "auc": aucbench.auc(y == "yes", scores),
        "same": bool(np.array_equal(scores, learnt.decision_function(X))),
    }


def stores():
    """A results folder: a document, its lock, a damaged file that is moved away, a second one."""
    from aucbench.store.documents import DocumentStore

    said = []
    with DocumentStore(Path("store"), create=True) as store, store.alone(said.append):
        for value in (1, 2):
            store.write({"id": "0" * 32, "value": value}, b"blob")
        [shard] = Path("store").glob("*/00/*.json")
        shard.write_bytes(shard.read_bytes()[:-9])
        assert store.read("0" * 32) is None
        moved = store.problems()[0]
        store.write({"id": "0" * 32, "value": 3})
        return [store.read("0" * 32)["value"], "it was moved to" in moved, said]


def scratch():
    """Which folders for temporary files are left: the one whose owner lives."""
    from aucbench.processes.scratch import Scratch, remove_abandoned

    ours, theirs = Scratch(), Scratch()
    theirs._lock.release()  # as at the end of its process
    remove_abandoned(ours.path.parent)
    left = [ours.path.exists(), theirs.path.exists()]
    ours.remove()
    return [*left, ours.path.exists()]


STEPS = (modules, files, models, stores, scratch)

if __name__ == "__main__":
    print(json.dumps({step.__name__: step() for step in STEPS}, default=str))
