"""Two versions of one distribution, each in an environment of its own, on the same splits.

A side is run by the aucbench of its environment, so that names, plugins and libraries are those of
the environment. (Rejected: workers of another environment under this parent. It would look up names
in the wrong one.) The sides take turns, data set by data set: a machine that becomes slower slows
both.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from aucbench.bench.plan.fields import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import write_plan
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.errors import INTERRUPTED, DataError, ParameterError
from aucbench.registry.specs import Spec, short
from aucbench.store import SCHEMA

SIDES = ("before", "after")
ANSWER = 120.0  # seconds for an interpreter to import aucbench
PATIENCE = 10.0  # seconds for a run to clean up after Ctrl-C
INTERPRETERS = ("bin/python", "Scripts/python.exe", "python.exe")  # of environments
Tell = Callable[[str], object]
START = "from aucbench.cli import main; main()"
ASK = """\
import json
from importlib.metadata import version
from aucbench.store import SCHEMA
print(json.dumps([version("aucbench"), SCHEMA]))
"""


@dataclass(frozen=True, slots=True)
class Version:
    """One side of the comparison."""

    side: str  # one of `SIDES`
    path: Path  # what the user named
    python: str  # the interpreter
    folder: str  # put first on the path of Python; empty for an environment
    aucbench: str  # the version of aucbench there

    def __str__(self) -> str:
        return f"{self.side}: {self.path}, aucbench {self.aucbench}"


def version_at(side: str, path: Path) -> Version:
    """Return the side that a path names.

    That is an environment (a folder with bin/python) or an interpreter; or a folder with packages,
    such as a checkout or the target of `pip install --target`, which is put first on the path of
    the present interpreter. Of a folder with the folder `src` it is that one.
    """
    python, folder = _python_of(side, path)
    try:
        asked = subprocess.run(
            [python, "-P", "-c", ASK],
            env=_environment(folder),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ANSWER,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ParameterError(f"--{side} {path} does not start: {error}") from error
    lines = asked.stderr.strip().splitlines()
    if asked.returncode != 0:
        raise ParameterError(
            f"--{side} {path} cannot import aucbench ({lines[-1] if lines else 'no message'}); "
            "install it there, beside the package that is compared"
        )
    known, schema = json.loads(asked.stdout.strip().splitlines()[-1])
    if schema != SCHEMA:
        raise ParameterError(
            f"--{side} {path} has aucbench {known}, whose records have format {schema}, and here "
            f"they have format {SCHEMA}; install the same aucbench there"
        )
    return Version(side, path, python, folder, known)


def _python_of(side: str, path: Path) -> tuple[str, str]:
    """Return the interpreter, and the folder that is put first on its path."""
    place = path.expanduser().absolute()  # a link to an interpreter is what makes an environment
    if place.is_file() and os.access(place, os.X_OK):
        return str(place), ""
    for inside in INTERPRETERS:
        if (place / inside).exists():
            return str(place / inside), ""
    if not place.is_dir():
        raise ParameterError(
            f"--{side} {path} is no environment, no interpreter and no folder; name one"
        )
    return sys.executable, str(place / "src" if (place / "src").is_dir() else place)


def _environment(folder: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, **({"PYTHONPATH": path} if path else {})}


def labelled(spec: Spec, side: str) -> Spec:
    """Return the specification under which a side of a solver stands in tables."""
    return Spec(f"{short(str(spec))} @{side}")


def both(plan: Plan) -> Plan:
    """Return a plan with both sides of each solver, which is shown and never run."""
    named = (Choice(labelled(c.spec, side), c.tune) for c in plan.solvers for side in SIDES)
    return replace(plan, solvers=tuple(named))


def run_sides(
    plan: Plan,
    versions: Sequence[Version],
    folder: Path,
    options: Sequence[str],
    tell: Tell,
) -> dict[str, list[Record]]:
    """Run the plan on both sides; return the records of each, with its name in their solvers.

    `folder` takes the results folder of each side, `options` are those of `aucbench run`, and
    `tell` takes lines of progress. Sides that are the same code, or read other rows, are refused.
    """
    records: dict[str, list[Record]] = {side: [] for side in SIDES}
    for number, dataset in enumerate(plan.datasets):
        one = replace(plan, datasets=(dataset,))
        turns = versions if number % 2 == 0 else versions[::-1]
        added = {version.side: _run(version, one, folder, options, tell) for version in turns}
        _require_two_versions(versions, dataset, added)
        for side in SIDES:
            for record in added[side]:
                cell = replace(record.cell, solver=labelled(record.cell.solver, side))
                records[side].append(replace(record, cell=cell))
    return records


def _run(
    version: Version, plan: Plan, folder: Path, options: Sequence[str], tell: Tell
) -> list[Record]:
    """Run a plan on a side, and return its records."""
    folder.mkdir(parents=True, exist_ok=True)
    text, rows = (folder / f"{version.side}-{name}" for name in ("plan.toml", "rows.json"))
    text.write_text(write_plan(plan), encoding="utf-8")
    files = [str(text), "--out", str(folder / version.side), "--json", str(rows)]
    last = ""
    try:
        with _started(version, ["run", *files, *options]) as process:
            assert process.stderr is not None
            for line in process.stderr:
                last = line.rstrip()
                tell(f"{version.side}: {last}")
            code = process.wait()
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if code != 0:
            own = rf"error: ({re.escape(str(text))}(, [^:]+)?: )?"  # a plan that nobody wrote
            reason = re.sub(rf"^{own}", "", last) or f"it ended with exit code {code}"
            raise ParameterError(f"{version.side}: {reason}")
        keys = [row["id"] for row in json.loads(rows.read_text(encoding="utf-8"))]
    finally:
        for file in (text, rows):
            file.unlink(missing_ok=True)
    with Store(folder / version.side) as store:
        records = {key: store.read(key) for key in keys}
    for key, record in records.items():
        if record is None:
            raise DataError(f"{store.folder} has lost the result {key}; run again")
    return [record for record in records.values() if record is not None]


@contextmanager
def _started(version: Version, arguments: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """Start aucbench on a side; it has ended when the context ends."""
    with subprocess.Popen(
        [version.python, "-P", "-c", START, *arguments],
        env=_environment(version.folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        try:
            yield process
        finally:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """Wait for a process, interrupt it, kill it; a terminal sends Ctrl-C to both processes."""
    for end in (None, _interrupt, subprocess.Popen.kill):
        if process.poll() is None:
            if end is not None:
                end(process)
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=PATIENCE)


def _interrupt(process: subprocess.Popen[str]) -> None:
    if sys.platform != "win32":  # where only a terminal can send it
        process.send_signal(signal.SIGINT)


def _require_two_versions(
    versions: Sequence[Version], dataset: str, sides: dict[str, list[Record]]
) -> None:
    """Raise when the sides share a result, since that is of the same code, or read other rows."""
    before, after = ({record.id: record for record in sides[side]} for side in SIDES)
    if same := before.keys() & after.keys():
        raise ParameterError(
            f"{before[same.pop()].cell.solver} is the same code with the same libraries in "
            f"{versions[0].path} and in {versions[1].path}; name two versions, or leave it out"
        )
    hashes = {record.sizes.data for record in (*before.values(), *after.values())}
    if len(hashes - {None}) > 1:
        raise DataError(
            f"{dataset} has other rows before than after, so the sides cannot be compared; "
            "give a file"
        )
