"""Functions of plugins that work on finished results: looked up and called in their own processes.

No function of a plugin runs in this process. What it returns is plain data, which is checked again
here. One that fails, hangs or crashes costs its own answer, whose place takes a sentence.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from aucbench.bench.answers import is_unknown
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.learning import likely
from aucbench.bench.requests import resolve_job
from aucbench.errors import ParameterError, PluginChoiceError, PluginError, UnknownNameError
from aucbench.processes import isolated
from aucbench.processes.isolated import Process, ended
from aucbench.processes.records import Job, Limits, Outcome
from aucbench.registry.discovery import ALLOWED, CALLED
from aucbench.registry.fingerprints import plugin_fingerprint
from aucbench.registry.isolated_imports import within_limit
from aucbench.registry.lookup import names
from aucbench.registry.source_files import file_fingerprint
from aucbench.registry.specs import anchored, in_file, parse_spec, short
from aucbench.sections import Section

JOBS = "aucbench.bench.isolated.jobs"
LIMITS = Limits(timeout=60.0, memory=4 * 10**9)
FILES_MOST = 100  # that an exporter may return


@dataclass(frozen=True, slots=True)
class Addon:
    """A metric, a report section or an exporter of a plugin, as it was when it was looked up."""

    kind: str
    name: str  # its specification as it was asked for, with the whole path of a file
    qualified: str  # with its distribution
    version: str
    plugin: tuple[str, str]  # distribution and module; of a file its path, and its imported name
    fingerprint: str  # of the files of the plugin
    about: Mapping[str, Any] = field(compare=False)  # what else it says of itself

    @property
    def called(self) -> str:
        """How a sentence names it: "the metric acme:gain 1.0"."""
        return f"the {CALLED[self.kind]} {self.qualified} {self.version}"

    def job(self, function: str, **request: Any) -> Job:
        """Job of `aucbench.bench.isolated.jobs` that calls it, such as "section"."""
        asked = {"name": self.qualified, **request}
        return Job(f"{JOBS}:{function}", asked, LIMITS, preload=likely(self.qualified))


def addon_of(kind: str, spec: str) -> Addon:
    """Look up a metric, a report section or an exporter, in a minute or what `within` allows.

    Raises `UnknownNameError`, `ParameterError` or `PluginError`.
    """
    key = (kind, anchored(spec), tuple(sys.path), os.environ.get(ALLOWED))
    addon = _looked_up(*key)
    if addon.fingerprint != _fingerprint(addon.qualified, addon.plugin):  # a file has changed
        _looked_up.cache_clear()
        addon = _looked_up(*key)
    return addon


def sections_of(
    addons: Sequence[Addon], folder: Path, ids: Collection[str]
) -> tuple[tuple[Addon, Section], ...]:
    """Call report sections with the records of a results folder; a failure becomes a sentence."""
    with supervised() as process:
        return tuple((addon, _section(process, addon, folder, ids)) for addon in addons)


def exported_by(addon: Addon, folder: Path, ids: Collection[str] | None) -> dict[str, bytes]:
    """Call an exporter; return contents of files by name, where a single content has the name "".

    `ids` are those of the records that count, or None for all. Raises `PluginError` when it fails.
    """
    with supervised() as process:
        outcome, result = _returned(process, "export", addon, folder, ids)
    contents = result.get("names")
    if not isinstance(contents, dict) or len(contents) > FILES_MOST:
        raise PluginError(f"{addon.called} returned no contents of files")
    lacking = [name for name, file in contents.items() if file not in outcome.files]
    if lacking:
        raise PluginError(f"{addon.called} returned no content for {', '.join(lacking)}")
    return {str(name): outcome.files[file] for name, file in contents.items()}


def supervised() -> AbstractContextManager[Process]:
    """Keep processes warm inside the context, if any is asked for; it may be nested."""
    return isolated.supervised(LocalEngine().open)


def _section(process: Process, addon: Addon, folder: Path, ids: Collection[str]) -> Section:
    try:
        _, result = _returned(process, "section", addon, folder, ids)
        return Section.from_json(result.get("section"))
    except PluginError as error:
        return Section(short(addon.name), [str(error)])
    except ParameterError as error:
        return Section(short(addon.name), [f"{addon.called} has failed: {error}"])


def _returned(
    process: Process, function: str, addon: Addon, folder: Path, ids: Collection[str] | None
) -> tuple[Outcome, dict[str, Any]]:
    """Call a function with the rows of a results folder; return how it ended, and its result."""
    counted = None if ids is None else sorted(ids)
    outcome = process.run(addon.job(function, folder=str(folder.resolve()), ids=counted))
    result = {"failure": ended(outcome)} if outcome.result is None else outcome.result
    if "failure" in result:
        raise PluginError(f"{addon.called} has failed: {result['failure']}")
    return outcome, result


@lru_cache(maxsize=64)
def _looked_up(kind: str, spec: str, path: tuple[str, ...], allowed: str | None) -> Addon:
    with supervised() as process:
        answer = _answer(process, kind, spec)
    if answer["ok"]:
        distribution, version, module = answer["plugin"]
        plugin, qualified = (distribution, module), answer["qualified"]
        code, about = _fingerprint(qualified, plugin), answer["about"]
        return Addon(kind, answer["name"], qualified, version, plugin, code, about)
    called = CALLED[kind]
    if is_unknown(answer):
        raise UnknownNameError("measure" if kind == "metrics" else called, spec, names(kind))
    at_fault = answer["error"] in (PluginError.__name__, PluginChoiceError.__name__)
    raised = PluginError if at_fault else ParameterError
    raise raised(f"cannot use the {called} {spec}: {answer['reason']}")


def _answer(process: Process, kind: str, spec: str) -> dict[str, Any]:
    """Return what a worker answers about a name, see `resolved` of `aucbench.bench.worker`."""
    limits = replace(LIMITS, timeout=within_limit(LIMITS.timeout))
    outcome = process.run(resolve_job({kind: [spec]}, limits=limits, preload=likely(spec)))
    if outcome.result is None:
        return {"ok": False, "error": None, "plugin": None, "reason": ended(outcome)}
    [answer] = outcome.result[kind].values()
    return dict(answer)


def _fingerprint(spec: str, plugin: tuple[str, str]) -> str:
    place = in_file(parse_spec(spec).name)
    return plugin_fingerprint(*plugin) if place is None else file_fingerprint(place[0])
