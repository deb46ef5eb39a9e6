"""What `make bench-history` does around asv: choose commits, and tell what changed between them.

    python -m benchmarks.history commits 12   # hashes, the newest first, for `asv run HASHFILE:-`
    python -m benchmarks.history changes FILE # .asv/results of these -> docs/data/history.json
    python -m benchmarks.history picture      # .asv/html    -> docs/img/history.png

asv compares each commit with the one before. Here the question is what a user of the first
commit gets with the last one, and whether anything was faster once than it is now.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from shutil import which
from threading import Thread
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS, PAGES = ROOT / ".asv" / "results", ROOT / ".asv" / "html"
TABLE, PICTURE = ROOT / "docs" / "data" / "history.json", ROOT / "docs" / "img" / "history.png"
SUBSET = "bench_history."
GROUP = "document.getElementById('group-bench_history')"
FEWEST = 12  # plots on the picture
SCRIPT = re.compile(r'"https://[^"]*/((?:jquery|bootstrap|stupidtable|md5)[\w.-]*\.(?:js|css))"')


def commits(count: int, pause: float) -> list[str]:
    """Return the last commit, and the last ones before a pause: states in which work was landed.

    Parameters
    ----------
    count : how many at most
    pause : minutes without a commit that end a piece of work
    """
    log = ["git", "log", "--first-parent", "--format=%H %ct"]
    told = subprocess.run(log, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found: list[str] = []
    later = float("inf")
    for line in told.splitlines():  # the newest first
        name, seconds = line.split()
        if later - int(seconds) >= 60 * pause:
            found.append(name)
        later = int(seconds)
    return found[:count]


def changes(wanted: set[str]) -> dict[str, Any]:
    """Return commits, oldest first, and for each benchmark its seconds there, None if not known.

    Parameters
    ----------
    wanted : hashes; others that were measured for another reason are left out

    Raises
    ------
    FileNotFoundError
        When none of them was measured here.
    """
    from asv.results import iter_results

    found = (one for one in iter_results(str(RESULTS)) if one.commit_hash in wanted)
    measured = sorted(found, key=lambda one: one.date)
    if not measured:
        raise FileNotFoundError(f"no results in {RESULTS}; `make bench-history` makes them")
    rows: dict[str, dict[str, tuple[float, float]]] = {}
    for one in measured:
        for name, seconds, spread in _values(one):
            rows.setdefault(name, {})[one.commit_hash] = (seconds, spread)
    names = [one.commit_hash for one in measured]
    params = measured[-1].params
    return {
        "machine": {name: params.get(name, "") for name in ("cpu", "num_cpu", "python")},
        "commits": [_commit(one) for one in measured],
        "seconds": {name: _column(rows[name], names, 0) for name in sorted(rows)},
        "spread": {name: _column(rows[name], names, 1) for name in sorted(rows)},
    }


def _column(row: dict[str, tuple[float, float]], names: list[str], of: int) -> list[float | None]:
    return [float(f"{row[name][of]:.3g}") if name in row else None for name in names]


def _values(found: Any) -> Iterator[tuple[str, float, float]]:
    """Yield name with parameters, median and half the interquartile range of the subset."""
    for key in found.get_all_result_keys():
        if not key.startswith(SUBSET):
            continue
        params = found.get_result_params(key)
        values, stats = (
            read(key, params) for read in (found.get_result_value, found.get_result_stats)
        )
        for choice, value, stat in zip(product(*params), values, stats, strict=True):
            if value is not None and value == value:
                of = ", ".join(text.strip("'") for text in choice)
                name = key.removeprefix(SUBSET).removeprefix("History")
                spread = (stat["q_75"] - stat["q_25"]) / 2 if stat else 0.0
                yield f"{name}({of})" if of else name, value, spread


def _commit(found: Any) -> dict[str, str]:
    subject = ["git", "log", "-1", "--format=%s", found.commit_hash]
    told = subprocess.run(subject, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    day = datetime.fromtimestamp(found.date / 1000, UTC)
    return {
        "hash": found.commit_hash[:8],
        "date": day.strftime("%Y-%m-%d %H:%M"),
        "subject": told.strip(),
    }


def picture(scripts: Path | None) -> None:
    """Write the part of asv's first page that has the subset as a picture, drawn by Chromium.

    Parameters
    ----------
    scripts : a folder with jQuery, flot and the others; without it the page loads them from their
        hosts
    """
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService
    from selenium.webdriver.support.ui import WebDriverWait

    browser, driver_path = which("chromium"), which("chromedriver")
    if browser is None or driver_path is None:
        raise FileNotFoundError("no browser: install chromium and chromium-driver")
    if scripts is not None:
        _with_scripts_of(scripts)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(PAGES)))
    Thread(target=server.serve_forever, daemon=True).start()
    options = ChromeOptions()
    options.binary_location = browser
    for flag in ("--headless=new", "--no-sandbox", "--window-size=1100,900"):
        options.add_argument(flag)
    driver = Chrome(options=options, service=ChromeService(driver_path))
    try:
        driver.get(f"http://127.0.0.1:{server.server_port}/#/")
        wait = WebDriverWait(driver, 30)
        wait.until(lambda driver: driver.execute_script(f"return !!{GROUP}"))
        driver.execute_script(f"{GROUP}.scrollIntoView()")  # plots are drawn where they are seen
        drawn = f"return {GROUP}.querySelectorAll('canvas.flot-base').length"
        wait.until(lambda driver: driver.execute_script(drawn) >= FEWEST)
        driver.save_screenshot(str(PICTURE))
    finally:
        driver.quit()
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        pass


def _with_scripts_of(folder: Path) -> None:
    """Put the scripts beside the pages, which then ask no other host."""
    index = PAGES / "index.html"
    text = index.read_text(encoding="utf-8")
    for name in SCRIPT.findall(text):
        plain = re.sub(r"-[\d.]+\d(?=\.)", "", name)
        candidates = (plain, plain.replace(".min", ""))
        found = next((p for c in candidates for p in sorted(folder.rglob(c)) if p.is_file()), None)
        if found is None:
            raise FileNotFoundError(f"{folder} has no {plain}")
        (PAGES / name).write_bytes(found.read_bytes())
    text = SCRIPT.sub(r'"\1"', text)
    index.write_text(
        re.sub(r'\s(?:integrity|crossorigin|referrerpolicy)="[^"]*"', "", text), "utf-8"
    )


def main() -> None:
    """Do what the first argument says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history")
    tasks = parser.add_subparsers(dest="task", required=True)
    which = tasks.add_parser("commits", help="hashes of landed states, the newest first")
    which.add_argument("count", type=int, nargs="?", default=12)
    which.add_argument("--pause", type=float, default=30, help="minutes (default: 30)")
    telling = tasks.add_parser("changes", help=f"write {TABLE.relative_to(ROOT)}")
    telling.add_argument("commits", type=Path, help="a file with their hashes")
    drawing = tasks.add_parser("picture", help=f"write {PICTURE.relative_to(ROOT)}")
    drawing.add_argument("--scripts", type=Path, help="where jQuery, flot and others are")
    given = parser.parse_args()
    if given.task == "commits":
        print("\n".join(commits(given.count, given.pause)))
    elif given.task == "changes":
        wanted = {*given.commits.read_text(encoding="utf-8").split()}
        TABLE.write_text(json.dumps(changes(wanted)) + "\n", encoding="utf-8")
    else:
        picture(given.scripts)


if __name__ == "__main__":
    main()
