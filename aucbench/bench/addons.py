"""Functions of plugins that work on finished results: looked up and called in their own processes.

Design
  a. No function of a plugin runs in this process, and no module of one is imported. What it returns
     is plain data, which is checked again here.
  b. A function is called because the user named it. One that fails, hangs or crashes costs its own
     answer, whose place takes a sentence with the name of the plugin.
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

from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.learning import likely
from aucbench.errors import ParameterError, PluginChoiceError, PluginError, UnknownNameError
from aucbench.processes import isolated
from aucbench.processes.isolated import Process, ended
from aucbench.processes.records import Job, Limits, Outcome
from aucbench.registry.discovery import ALLOWED
from aucbench.registry.fingerprints import plugin_fingerprint
from aucbench.registry.lookup import CALLED, home, names
from aucbench.registry.source_files import file_fingerprint
from aucbench.registry.specs import anchored, in_file, parse_spec, short
from aucbench.registry.visits import Home, within_limit
from aucbench.sections import Section

ISOLATED = "aucbench.bench.isolated"
LIMITS = Limits(timeout=60.0, memory=4 * 10**9)
FILES_MOST = 100  # that an exporter may return


@dataclass(frozen=True, slots=True)
class Addon:
    """A metric, a report section or an exporter of a plugin.

    Attributes
    ----------
    kind : {"metrics", "report_sections", "exporters"}
    name, qualified : str
        Its specification as it was asked for, with the whole path of a file, and with its
        distribution.
    version : str
        Of the distribution.
    plugin : (str, str)
        Distribution and module; of a file its path and the name under which it was imported.
    fingerprint : str
        Of the files of the plugin when it was looked up.
    about : mapping
        What else it says of itself.
    homes : tuple
        Its plugin, if that has another name: see `aucbench.registry.visits.tell`.
    """

    kind: str
    name: str
    qualified: str
    version: str
    plugin: tuple[str, str]
    fingerprint: str
    about: Mapping[str, Any] = field(compare=False)
    homes: tuple[Home, ...] = ()

    @property
    def called(self) -> str:
        """How a sentence names it: "the metric acme:gain 1.0"."""
        return f"the {CALLED[self.kind]} {self.qualified} {self.version}"

    def job(self, function: str, **request: Any) -> Job:
        """Job of `aucbench.bench.isolated` that calls it, such as "jobs:section"."""
        asked = {"name": self.qualified, "homes": self.homes, **request}
        wanted = likely(self.qualified, self.homes)
        return Job(f"{ISOLATED}.{function}", asked, LIMITS, preload=wanted)


def addon_of(kind: str, spec: str) -> Addon:
    """Look up a metric, a report section or an exporter, in a minute or what `within` allows.

    Raises
    ------
    UnknownNameError, ParameterError, PluginError
        As `aucbench.registry.get_function`.
    """
    key = (kind, anchored(spec), tuple(sys.path), os.environ.get(ALLOWED))
    found = _looked_up(*key)
    now = _fingerprint(found.qualified, found.plugin)
    if found.fingerprint != now:  # its author has changed a file
        _looked_up.cache_clear()
        found = _looked_up(*key)
    return found


def sections_of(
    addons: Sequence[Addon], folder: Path, ids: Collection[str]
) -> tuple[tuple[Addon, Section], ...]:
    """Call report sections with the rows of a results folder; a failure becomes a sentence.

    Parameters
    ----------
    addons : sequence of Addon
        Of the kind "report_sections".
    folder : Path
        The results folder.
    ids : collection of str
        Of the records that count.
    """
    with supervised() as process:
        return tuple((addon, _section(process, addon, folder, ids)) for addon in addons)


def exported_by(addon: Addon, folder: Path, ids: Collection[str] | None) -> dict[str, bytes]:
    """Call an exporter with the rows of a results folder.

    Parameters
    ----------
    ids : collection of str or None
        Of the records that count; None: all.

    Returns
    -------
    dict of str to bytes
        Contents of files by name; a single content has the name "".

    Raises
    ------
    PluginError
        When it fails, or returns something else.
    """
    with supervised() as process:
        outcome, result = _made(process, "export", addon, folder, ids)
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
        _, result = _made(process, "section", addon, folder, ids)
        return Section.from_json(result.get("section"))
    except PluginError as error:
        return Section(short(addon.name), [str(error)])
    except ParameterError as error:
        return Section(short(addon.name), [f"{addon.called} has failed: {error}"])


def _made(
    process: Process, call: str, addon: Addon, folder: Path, ids: Collection[str] | None
) -> tuple[Outcome, dict[str, Any]]:
    """Call a function with the rows of a results folder; return how it ended, and its result."""
    counted = None if ids is None else sorted(ids)
    outcome = process.run(addon.job(f"jobs:{call}", folder=str(folder.resolve()), ids=counted))
    result = {"failure": ended(outcome)} if outcome.result is None else outcome.result
    if "failure" in result:
        raise PluginError(f"{addon.called} has failed: {result['failure']}")
    return outcome, result


@lru_cache(maxsize=64)
def _looked_up(kind: str, spec: str, path: tuple[str, ...], allowed: str | None) -> Addon:
    homes: tuple[Home, ...] = ()
    with supervised() as process:
        outcome = process.run(_found_job(kind, spec, homes))
        # Only if no plugin has this name are the others asked which of them registers it.
        if "known" in (outcome.result or {}) and (there := home(kind, parse_spec(spec).name)):
            homes = (there,)
            outcome = process.run(_found_job(kind, spec, homes))
    called = CALLED[kind]
    if outcome.result is None:
        at_fault = outcome.error_type in (PluginError.__name__, PluginChoiceError.__name__)
        raised = PluginError if at_fault else ParameterError
        reason = outcome.reason if outcome.refusal else ended(outcome)
        raise raised(f"cannot use the {called} {spec}: {reason}")
    told: dict[str, Any] = outcome.result
    if "known" in told:
        what = "measure" if kind == "metrics" else called
        raise UnknownNameError(what, spec, {*told["known"], *names(kind)})
    plugin = (told["distribution"], told["module"])
    return Addon(
        kind,
        told["name"],
        told["qualified"],
        told["version"],
        plugin,
        _fingerprint(told["qualified"], plugin),
        told["about"],
        homes,
    )


def _fingerprint(spec: str, plugin: tuple[str, str]) -> str:
    place = in_file(parse_spec(spec).name)
    return plugin_fingerprint(*plugin) if place is None else file_fingerprint(place[0])


def _found_job(kind: str, spec: str, homes: Sequence[Home]) -> Job:
    request = {"kind": kind, "name": spec, "homes": homes}
    limits = replace(LIMITS, timeout=within_limit(LIMITS.timeout))
    return Job(f"{ISOLATED}.jobs:found", request, limits, preload=likely(spec, homes))
