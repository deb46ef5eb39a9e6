"""Files of each kind, as the version of today writes them: `python tests/written_files.py`.

They go to tests/formats/VERSION, where the tests of later versions read them. A release keeps its
folder as it is; until its tag is there, it may be written again.
"""

from __future__ import annotations

import json
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

FORMATS = Path(__file__).parent / "formats"
TABLE, EXPECTED, PLAN, RESULTS = "rows.csv", "expected.json", "plan.toml", "results"
FITS = {  # what a model file can hold: options of `aucbench fit`
    "linear": ("--solver", "svm-or", "--target", "bought"),
    "trees": ("--solver", "hist-gradient-boosting[max_iter=5]", "--target", "bought"),
    "curved": ("--solver", "additive", "--target", "bought", "--monotone", "income=+1"),
    "points": ("--solver", "svm-or", "--target", "bought", "--scorecard", "{folder}/points.csv"),
    "classes": ("--solver", "logistic", "--target", "plan", "--labels", "classes"),
}
RUN = ("--solvers", "sht-auc,logistic", "--splits", "2", "--passes", "5", "--quiet")
PLAN_TEXT = """\
datasets = ["breast-cancer", "outbreak[n=200,d=30]"]
features = ["auto", "standard+nystroem[rank=20]"]
splits = 3
repeats = 2
seeds = [0, 7]

[budget]
passes = 20
gap_tol = 1e-5

[limits]
timeout = 60
memory = 2000

[tuning]
evals = 4
inner_splits = 2

[suite]
families = { clinic = ["breast-cancer"] }

[[solvers]]
spec = "sht-auc[k=5]"

[[solvers]]
spec = "svm-or"
tune.lam = { low = 1e-4, high = 1.0, log = true }
"""


def table() -> pd.DataFrame:
    """Return 120 rows with numbers, missing cells, levels and dates."""
    rng = np.random.default_rng(36)
    income = rng.lognormal(3.0, 0.5, 120).round(2)
    town = rng.choice(["Aachen", "Bonn", "Köln"], 120)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, 120), unit="D")
    score = 0.05 * income + (town == "Bonn") + 0.5 * rng.normal(size=120)
    columns = {"income": income, "town": town, "day": day.strftime("%Y-%m-%d")}
    columns["bought"] = np.where(score > 1.5, "yes", "no")
    columns["plan"] = np.array(["basic", "more", "all"])[np.digitize(score, [1.0, 2.0])]
    frame = pd.DataFrame(columns)
    frame.loc[::17, "income"] = np.nan
    return frame


def main() -> int:
    """Write the folder of this version."""
    from command_line import done

    from aucbench.bench import Store

    folder = FORMATS / version("aucbench")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    rows = folder / TABLE
    table().to_csv(rows, index=False)
    (folder / PLAN).write_text(PLAN_TEXT, encoding="utf-8")
    expected = {}
    for name, options in FITS.items():
        file = folder / f"{name}.aucbench"
        asked = [option.format(folder=folder) for option in options]
        drop = ("--drop", "plan" if "bought" in asked else "bought")
        done("fit", "--data", rows, *asked, *drop, "--splits", 2, "--quiet", "-o", file)
        expected[name] = answers(file, rows)
    done("compare", "--data", "breast-cancer", *RUN, "--out", folder / RESULTS)
    (folder / RESULTS / "run.lock").unlink()
    records = Store(folder / RESULTS).records()
    expected[RESULTS] = sorted((flat_record(record) for record in records), key=str)
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (folder / EXPECTED).write_text(f"{text}\n", encoding="utf-8")
    return 0


def answers(model: Path, rows: Path) -> dict[str, list[object]]:
    """Return what a model says of the first rows of a table, by columns."""
    from aucbench.models import load_model

    return load_model(model).predict(pd.read_csv(rows).head(20)).to_dict(orient="list")


def flat_record(record: object) -> dict[str, object]:
    """Return the public fields of a record that a later version must read as they were."""
    fields = json.loads(json.dumps(record.flat(), default=str))  # type: ignore[attr-defined]
    return {name: value for name, value in fields.items() if value is not None}


if __name__ == "__main__":
    sys.exit(main())
