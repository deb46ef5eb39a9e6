"""What plugins of third parties register: resolved and called in processes of their own.

No function of a plugin runs in this process. What a process returns is plain data. One that fails,
hangs or crashes costs its own answer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from aucbench.bench.answers import is_unknown
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.learning import likely
from aucbench.bench.requests import resolve_job
from aucbench.errors import ParameterError, PluginChoiceError, PluginError, UnknownNameError
from aucbench.processes import isolated
from aucbench.processes.isolated import Process, ended
from aucbench.processes.records import Job, Limits
from aucbench.registry.discovery import ALLOWED, CALLED
from aucbench.registry.fingerprints import plugin_fingerprint
from aucbench.registry.isolated_imports import within_limit
from aucbench.registry.lookup import names
from aucbench.registry.source_files import file_fingerprint
from aucbench.registry.specs import anchored, in_file, parse_spec

JOBS = "aucbench.bench.isolated.jobs"
LIMITS = Limits(timeout=60.0, memory=4 * 10**9)


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """A metric or a kind of pairs of a plugin, as it was when its name was resolved."""

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
        """Job of `aucbench.bench.isolated.jobs` that calls it, such as "values"."""
        asked = {"name": self.qualified, **request}
        return Job(f"{JOBS}:{function}", asked, LIMITS, preload=likely(self.qualified))


def resolve_name(kind: str, spec: str) -> ResolvedName:
    """Resolve the name of a metric or of a kind of pairs, in a minute or what `within` allows.

    Raises `UnknownNameError`, `ParameterError` or `PluginError`.
    """
    key = (kind, anchored(spec), tuple(sys.path), os.environ.get(ALLOWED))
    found = _resolved(*key)
    if found.fingerprint != _fingerprint(found.qualified, found.plugin):  # a file has changed
        _resolved.cache_clear()
        found = _resolved(*key)
    return found


def supervised() -> AbstractContextManager[Process]:
    """Keep processes warm inside the context, if any is asked for; it may be nested."""
    return isolated.supervised(LocalEngine().open)


@lru_cache(maxsize=64)
def _resolved(kind: str, spec: str, path: tuple[str, ...], allowed: str | None) -> ResolvedName:
    with supervised() as process:
        answer = _answer(process, kind, spec)
    if answer["ok"]:
        distribution, version, module = answer["plugin"]
        plugin, qualified = (distribution, module), answer["qualified"]
        code, about = _fingerprint(qualified, plugin), answer["about"]
        return ResolvedName(kind, answer["name"], qualified, version, plugin, code, about)
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
